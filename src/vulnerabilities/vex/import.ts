/** Writes VEX statements of either format as advisories of a group. */
import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { and, eq, inArray, not, sql } from "drizzle-orm";
import { advisories, advisoryEvents } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { vexSubjects } from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { invalidArgument, invalidArguments } from "../../aip/errors.ts";
import { retryStale } from "../../aip/stale.ts";
import type { Call } from "../../auth/call.ts";
import { commit, onlyIf } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { find, parentGroup } from "../../resource/find.ts";
import { insertImportEvents } from "../advisories/import_events.ts";
import { areAdvisoriesUnchanged } from "../advisories/versions.ts";
import { type PublishedFacts, upsertDocuments, upsertVulnerabilities } from "../catalog.ts";
import { JsonReader } from "../json_reader.ts";
import { preferredId } from "../osv/vulnerability.ts";
import {
  groupBySubject,
  type StoredSubjectAdvisory,
  type VexChange,
  type VexSubject,
  vexChange,
} from "./advisories.ts";
import { insertVexEvents, upsertVexAdvisories, upsertVexSubjects } from "./rows.ts";
import { maxStatements, type VexStatement } from "./statement.ts";

/** Reads a document of a format, and reports mistakes to the reader. */
export type ReadDocument = (
  reader: JsonReader,
  document: JsonObject,
  path: string,
) => VexStatement[];

/** The outcome of an import, in numbers of advisories. */
export interface ImportOutcome {
  created: number;
  updated: number;
  unchanged: number;
}

/** More violations would only make the response too large. */
const maxViolations = 1000;

/** The most characters of JSON that an import can write. A text is written once for each product. */
const maxWrittenLength = 8_000_000;

function readDocuments(documents: JsonObject[], readDocument: ReadDocument): VexStatement[] {
  const reader = new JsonReader();
  const statements = documents.flatMap((one, i) => readDocument(reader, one, `documents[${i}]`));
  const { violations } = reader;
  if (violations.length > 0) throw invalidArguments(violations.slice(0, maxViolations));
  if (statements.length <= maxStatements) return statements;
  const [firstExcess] = statements.slice(maxStatements);
  const field = /^documents\[\d+\]/.exec(firstExcess?.path ?? "")?.[0] ?? "documents";
  const text = `${field} exceeds the ${maxStatements} statements that one import can have; send fewer documents in one call`;
  throw invalidArgument(field, text);
}

const selectStored = (call: Call, parent: string, ids: string[]) => {
  const event = sql`json_object('type', ${advisoryEvents.type}, 'time', ${advisoryEvents.createTime},
    'detail', json(${advisoryEvents.detail}))`;
  const events = call.db
    .select({ events: sql`json_group_array(${event})` })
    .from(advisoryEvents)
    .where(and(eq(advisoryEvents.advisoryUid, advisories.uid), not(advisoryEvents.byHand)));
  return call.db
    .select({
      uid: sql<string>`${advisories.uid}`.as("advisory_uid"),
      advisoryId: advisories.advisoryId,
      updateTime: advisories.updateTime,
      sourceDigest: advisories.sourceDigest,
      editTime: advisories.editTime,
      aliases: advisories.aliases,
      severities: advisories.severities,
      identity: vexSubjects.identity,
      vulnerability: vexSubjects.vulnerability,
      product: vexSubjects.product,
      subcomponent: vexSubjects.subcomponent,
      published: vexSubjects.published,
      events: sql<StoredSubjectAdvisory["events"]>`${events}`.mapWith(JSON.parse).as("events"),
    })
    .from(advisories)
    .leftJoin(vexSubjects, eq(vexSubjects.uid, advisories.uid))
    .where(
      and(eq(advisories.parent, parent), inArray(advisories.advisoryId, valuesSubselect(ids))),
    );
};

async function changesOf(
  parent: string,
  subjects: VexSubject[],
  stored: StoredSubjectAdvisory[],
  now: number,
) {
  const known = new Map(stored.map((row) => [row.advisoryId, row]));
  const changes: VexChange[] = [];
  for (const subject of subjects) {
    const change = await vexChange(parent, subject, known.get(subject.advisoryId), now);
    if (change) changes.push(change);
  }
  return changes;
}

/** The data of the statements about the vulnerabilities themselves, the newest last. */
function vulnerabilitiesOf(statements: VexStatement[]): PublishedFacts[] {
  const found = new Map<string, PublishedFacts>();
  for (const one of statements.toSorted((a, b) => a.time - b.time)) {
    const { name, aliases = [] } = one.vulnerability;
    const id = preferredId([name, ...aliases]);
    const before = found.get(id);
    const { references, severities, summary } = one;
    found.set(id, {
      id,
      summary: summary || (before?.summary ?? ""),
      details: one.details || (before?.details ?? ""),
      references: references.length > 0 ? references : (before?.references ?? []),
      severities: severities.length > 0 ? severities : (before?.severities ?? []),
    });
  }
  return [...found.values()];
}

const toWritten = ({ uid, advisoryId, before }: VexChange) => ({
  ...{ uid, advisoryId, created: before === null },
});

/** Reads the documents and writes their new data. This is the handler for the import of each format. */
export async function importVexDocuments(
  call: Call,
  { parent, documents }: { parent: string; documents: JsonObject[] },
  readDocument: ReadDocument,
  answerDesc: DescMessage,
): Promise<ImportOutcome> {
  const statements = readDocuments(documents, readDocument);
  const subjects = await groupBySubject(statements);
  const ids = subjects.map(({ advisoryId }) => advisoryId);
  return retryStale(async () => {
    const stored = selectStored(call, parent, ids);
    const { caller, also } = await find(call, parentGroup, parent, { also: [stored] });
    const [known] = also;
    const changes = await changesOf(parent, subjects, known, call.now);
    const created = changes.filter(({ before }) => before === null).length;
    const updated = changes.length - created;
    const answer = { created, updated, unchanged: subjects.length - changes.length };
    if (changes.length === 0) return answer;
    if (JSON.stringify(changes).length > maxWrittenLength) {
      const text = `documents produce more than ${maxWrittenLength} characters of advisories; send fewer in one call`;
      throw invalidArgument("documents", text);
    }
    const changedIdentities = new Set(changes.map(({ identity }) => identity));
    const about = subjects.filter(({ identity }) => changedIdentities.has(identity));
    const published = vulnerabilitiesOf(about.flatMap((one) => one.statements));
    const origins = changes.map(({ artifactName }) => artifactName);
    await commit(call, [
      onlyIf(call.db, areAdvisoriesUnchanged(parent, ids, known)),
      ...upsertVexAdvisories(call, changes),
      insertEvent(call, caller, {
        subject: parent,
        group: parent,
        body: { desc: answerDesc, message: answer },
      }),
      ...insertImportEvents(call, caller, parent, changes.map(toWritten)),
      ...insertVexEvents(call, changes),
      ...upsertVexSubjects(call, changes),
      ...(await upsertVulnerabilities(call, parent, published)),
      ...(await upsertDocuments(call, parent, origins)),
    ]);
    return answer;
  });
}
