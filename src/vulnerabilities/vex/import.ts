/** Writes VEX statements, whichever format they came in, as advisories of a group. */
import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { and, eq, inArray, not, sql } from "drizzle-orm";
import { advisories, advisoryEvents } from "../../../schema/tables/advisories.ts";
import { vexSubjects } from "../../../schema/tables/vex_subjects.ts";
import { anyOf } from "../../aip/any_of.ts";
import { invalidArgument, invalidArguments } from "../../aip/errors.ts";
import { retryStale } from "../../aip/stale.ts";
import type { Call } from "../../auth/call.ts";
import { commit, onlyIf } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { find, parentGroup } from "../../resource/find.ts";
import { areAdvisoriesAsRead } from "../advisory_versions.ts";
import { upsertDocuments, upsertVulnerabilities, type Vulnerability } from "../catalog.ts";
import { JsonReader } from "../json_reader.ts";
import { knownAs } from "../osv/vulnerability.ts";
import { type Change, changeOf, type Stored, type Subject, subjectsOf } from "./advisories.ts";
import { insertEvents, upsertAdvisories, upsertSubjects } from "./rows.ts";
import { mostStatements, type Statement } from "./statement.ts";

/** Reads a document of a format; what is wrong with it goes to the reader. */
export type ReadDocument = (reader: JsonReader, document: JsonObject, path: string) => Statement[];

/** What an import came to, in advisories. */
export interface Outcome {
  created: number;
  updated: number;
  unchanged: number;
}

/** More violations than anybody reads would only make the answer too large. */
const mostViolations = 1000;

/** Most characters of JSON that an import may write: a text is written once for each product. */
const mostWritten = 8_000_000;

function readDocuments(documents: JsonObject[], readDocument: ReadDocument): Statement[] {
  const reader = new JsonReader();
  const statements = documents.flatMap((one, i) => readDocument(reader, one, `documents[${i}]`));
  const { violations } = reader;
  if (violations.length > 0) throw invalidArguments(violations.slice(0, mostViolations));
  if (statements.length <= mostStatements) return statements;
  const [beyond] = statements.slice(mostStatements);
  const field = /^documents\[\d+\]/.exec(beyond?.path ?? "")?.[0] ?? "documents";
  const text = `${field} says more of a product than the ${mostStatements} statements of one import`;
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
      events: sql<Stored["events"]>`${events}`.mapWith(JSON.parse).as("events"),
    })
    .from(advisories)
    .leftJoin(vexSubjects, eq(vexSubjects.uid, advisories.uid))
    .where(and(eq(advisories.parent, parent), inArray(advisories.advisoryId, anyOf(ids))));
};

async function changesOf(parent: string, subjects: Subject[], stored: Stored[], now: number) {
  const known = new Map(stored.map((row) => [row.advisoryId, row]));
  const changes: Change[] = [];
  for (const subject of subjects) {
    const change = await changeOf(parent, subject, known.get(subject.advisoryId), now);
    if (change) changes.push(change);
  }
  return changes;
}

/** What the statements publish of the vulnerabilities themselves, the newest last. */
function vulnerabilitiesOf(statements: Statement[]): Vulnerability[] {
  const found = new Map<string, Vulnerability>();
  for (const one of statements.toSorted((a, b) => a.time - b.time)) {
    const { name, aliases = [] } = one.vulnerability;
    const id = knownAs([name, ...aliases]);
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

/** Reads the documents and writes what is new in them; the handler of a format's import. */
export async function importDocuments(
  call: Call,
  { parent, documents }: { parent: string; documents: JsonObject[] },
  readDocument: ReadDocument,
  answerDesc: DescMessage,
): Promise<Outcome> {
  const statements = readDocuments(documents, readDocument);
  const subjects = await subjectsOf(statements);
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
    if (JSON.stringify(changes).length > mostWritten) {
      const text = `documents come to more than ${mostWritten} characters of advisories`;
      throw invalidArgument("documents", text);
    }
    const told = new Set(changes.map(({ identity }) => identity));
    const about = subjects.filter(({ identity }) => told.has(identity));
    const published = vulnerabilitiesOf(about.flatMap((one) => one.statements));
    const origins = changes.map(({ artifactName }) => artifactName);
    await commit(call, [
      onlyIf(call.db, areAdvisoriesAsRead(parent, ids, known)),
      ...upsertAdvisories(call, changes),
      insertEvent(call, caller, {
        subject: parent,
        group: parent,
        body: { desc: answerDesc, message: answer },
      }),
      ...insertEvents(call, changes),
      ...upsertSubjects(call, changes),
      ...(await upsertVulnerabilities(call, parent, published)),
      ...(await upsertDocuments(call, parent, origins)),
    ]);
    return answer;
  });
}
