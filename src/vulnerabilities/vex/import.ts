/** Writes VEX statements of either format as advisories of a group. */
import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { and, eq, inArray, not, sql } from "drizzle-orm";
import { advisories, advisoryEvents } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { vexSubjects } from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { retryStale } from "../../aip/stale.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import { matchOrganization } from "../../matching/run.ts";
import { commit, onlyIf } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { affectedRangesOfProduct } from "../../packages/affected_ranges.ts";
import { find, parentGroup } from "../../resource/find.ts";
import { insertImportEvents } from "../advisories/import_events.ts";
import { areAdvisoriesUnchanged } from "../advisories/versions.ts";
import { type RecordRanges, replaceRanges } from "../affected_packages.ts";
import { type PublishedFacts, upsertDocuments, upsertVulnerabilities } from "../catalog.ts";
import type { JsonReader } from "../json_reader.ts";
import { preferredId } from "../osv/vulnerability.ts";
import { severityOf } from "../severity.ts";
import { type Reading, readEach, toSkippedMembers } from "../skipped.ts";
import {
  documentAt,
  groupBySubject,
  outdatedDrafts,
  type StoredSubjectAdvisory,
  type VexChange,
  type VexSubject,
  vexChange,
} from "./advisories.ts";
import { insertVexEvents, upsertVexAdvisories, upsertVexSubjects } from "./rows.ts";
import { maxStatements, type VexStatement } from "./statement.ts";

/** A format: the id of a document, and how its statements are read. Mistakes go to the reader. */
export interface VexFormat {
  idOf(document: JsonObject): unknown;
  read(reader: JsonReader, document: JsonObject, path: string): VexStatement[];
  /** The message of the response. */
  answer: DescMessage;
}

/** The outcome of an import, in numbers of advisories, and the documents that were left out. */
export type ImportOutcome = ReturnType<typeof toSkippedMembers> & {
  created: number;
  updated: number;
  unchanged: number;
};

/** The most characters of JSON that an import can write. A text is written once for each product. */
const maxWrittenLength = 8_000_000;

function readDocuments(
  documents: JsonObject[],
  strict: boolean,
  { idOf, read }: VexFormat,
): Reading<VexStatement[]> {
  const reading = readEach(documents, { list: "documents", strict, idOf, read });
  const [firstExcess] = reading.read.flat().slice(maxStatements);
  if (!firstExcess) return reading;
  const field = documentAt(firstExcess.path);
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
      csaf: vexSubjects.csaf,
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
  const outdated = outdatedDrafts(subjects, stored);
  const changes: VexChange[] = [];
  for (const subject of subjects) {
    const [first, ...others] = subject.statements.filter(
      ({ path }) => !outdated.has(documentAt(path)),
    );
    if (!first) continue;
    const current = { ...subject, statements: [first, ...others] as VexSubject["statements"] };
    const change = await vexChange(parent, current, known.get(subject.advisoryId), now);
    if (change) changes.push(change);
  }
  return changes;
}

/** The data of the statements about the vulnerabilities themselves, the newest last. */
function vulnerabilitiesOf(statements: VexStatement[]): PublishedFacts[] {
  const facts = new Map<string, PublishedFacts>();
  for (const statement of statements.toSorted((a, b) => a.time - b.time)) {
    const { name, aliases = [] } = statement.vulnerability;
    const id = preferredId([name, ...aliases]);
    const before = facts.get(id);
    const { references, severities, summary } = statement;
    facts.set(id, {
      id,
      summary: summary || (before?.summary ?? ""),
      details: statement.details || (before?.details ?? ""),
      references: references.length > 0 ? references : (before?.references ?? []),
      severities: severities.length > 0 ? severities : (before?.severities ?? []),
    });
  }
  return [...facts.values()];
}

const toWritten = ({ uid, advisoryId, before }: VexChange) => ({
  uid,
  advisoryId,
  created: before === null,
});

/**
 * The versions that an advisory from a CSAF document is about. A statement about a part of an image says nothing about
 * other images. OpenVEX documents name products, and no packages in general.
 */
function rangesOf(change: VexChange): RecordRanges {
  const { uid, csaf, product, subcomponent, severities, artifactType } = change;
  const severity = severityOf(severities);
  if (!csaf || (subcomponent && artifactType === "image")) return { uid, ranges: [], severity };
  const { identifiers, "@id": id = "", version = "", range = "" } = subcomponent ?? product;
  const of = subcomponent ? product.identifiers : undefined;
  const platform = of?.["@cpe23"] ?? of?.["@cpe22"] ?? "";
  const named = { purl: identifiers?.purl ?? id, version, range, platform, list: csaf.list };
  return { uid, ranges: affectedRangesOfProduct(named), severity };
}

/** Reads the documents and writes their new data. This is the handler for the import of each format. */
export async function importVexDocuments(
  call: Call,
  { parent, documents, strict }: { parent: string; documents: JsonObject[]; strict: boolean },
  format: VexFormat,
): Promise<ImportOutcome> {
  const reading = readDocuments(documents, strict, format);
  const left = toSkippedMembers(reading);
  const subjects = await groupBySubject(reading.read.flat());
  const ids = subjects.map(({ advisoryId }) => advisoryId);
  return retryStale(async () => {
    const stored = selectStored(call, parent, ids);
    const { caller, extraReads } = await find(call, parentGroup, parent, { extraReads: [stored] });
    const [known] = extraReads;
    const all = await changesOf(parent, subjects, known, call.now);
    const changes = all.filter(({ isRelease }) => !isRelease);
    const created = changes.filter(({ before }) => before === null).length;
    const updated = changes.length - created;
    const counts = { created, updated, unchanged: subjects.length - changes.length };
    const guard = onlyIf(call.db, areAdvisoriesUnchanged(parent, ids, known));
    if (changes.length === 0) {
      if (all.length > 0) await commit(call, [guard, ...upsertVexSubjects(call, all)]);
      return { ...counts, ...left };
    }
    if (JSON.stringify(changes).length > maxWrittenLength) {
      const text = `documents produce more than ${maxWrittenLength} characters of advisories; send fewer in one call`;
      throw invalidArgument("documents", text);
    }
    const changedIdentities = new Set(changes.map(({ identity }) => identity));
    const about = subjects.filter(({ identity }) => changedIdentities.has(identity));
    const published = vulnerabilitiesOf(about.flatMap((subject) => subject.statements));
    const origins = changes.map(({ artifactName }) => artifactName);
    await commit(call, [
      guard,
      ...upsertVexAdvisories(call, changes),
      insertEvent(call, caller, {
        subject: parent,
        group: parent,
        body: { desc: format.answer, message: { ...counts, skippedCount: left.skippedCount } },
      }),
      ...insertImportEvents(call, caller, parent, changes.map(toWritten)),
      ...insertVexEvents(call, changes),
      ...upsertVexSubjects(call, all),
      ...(await upsertVulnerabilities(call, parent, published)),
      ...(await upsertDocuments(call, parent, origins)),
      ...replaceRanges(call.db, changes.map(rangesOf)),
    ]);
    call.after(() => matchOrganization(call, rootOf(parent)), "succeeded");
    return { ...counts, ...left };
  });
}
