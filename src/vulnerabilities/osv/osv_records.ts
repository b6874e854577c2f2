import { and, eq, inArray, sql } from "drizzle-orm";
import { ReviewState } from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import {
  ImportOsvRecordsResponseSchema,
  OsvRecordsService,
} from "../../../schema/gen/platform/vulnerabilities/v2/osv_records_pb.js";
import { advisories, advisoryEvents } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { osvRecords } from "../../../schema/tables/vulnerabilities/osv_records.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { type InsertRow, insertFrom } from "../../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../../aip/json_parameters.ts";
import { sha256 } from "../../aip/sha256.ts";
import { retryStale } from "../../aip/stale.ts";
import { newUid, rootOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import { matchOrganization } from "../../matching/run.ts";
import { commit, onlyIf } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { find, parentGroup } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";
import { insertImportEvents } from "../advisories/import_events.ts";
import { areAdvisoriesUnchanged } from "../advisories/versions.ts";
import { replaceRanges } from "../affected_packages.ts";
import {
  locateLibraries,
  requireRoom,
  selectVersionCounts,
  upsertArtifacts,
} from "../artifacts/artifacts.ts";
import { canonicalJson } from "../canonical_json.ts";
import { upsertDocuments, upsertVulnerabilities } from "../catalog.ts";
import { toSkippedMembers } from "../skipped.ts";
import { gatherLibraries } from "./libraries.ts";
import { type OsvRead, readOsvRecords } from "./reading.ts";
import { givenMember, type OsvChange, upsertOsvAdvisories } from "./rows.ts";

const selectStored = (call: Call, parent: string, ids: string[]) =>
  call.db
    .select({
      advisoryId: advisories.advisoryId,
      uid: advisories.uid,
      updateTime: advisories.updateTime,
      sourceDigest: advisories.sourceDigest,
      sourceTime: advisories.sourceTime,
      editTime: advisories.editTime,
      origin: advisories.origin,
    })
    .from(advisories)
    .where(
      and(eq(advisories.parent, parent), inArray(advisories.advisoryId, valuesSubselect(ids))),
    );

type Stored = Awaited<ReturnType<typeof selectStored>>[number];

/**
 * The modification time of the imported record. Later changes by people do not make the record newer. An
 * advisory that a person wrote has no record.
 */
const sourceTimeOf = ({ sourceTime, editTime, updateTime }: Stored) =>
  sourceTime ?? (editTime === null ? updateTime : 0);

/** The records with new data: unknown in this group, or changed and not older than the stored one. */
function changesOf(parent: string, records: OsvRead[], stored: Stored[]): OsvChange[] {
  const known = new Map(stored.map((row) => [row.advisoryId, row]));
  return records.flatMap((record): OsvChange[] => {
    const row = known.get(record.id);
    if (!row) return [{ ...record, uid: newUid(parent), originBefore: null }];
    if (row.sourceDigest === record.digest || sourceTimeOf(row) > record.updateTime) return [];
    const { uid, origin: originBefore } = row;
    return [{ ...record, uid, originBefore }];
  });
}

/**
 * Replaces the events from earlier imports with the events of the changes. It takes two statements for each
 * parameter.
 */
async function replaceEvents(call: Call, changes: OsvChange[]) {
  const parts = await Promise.all(changes.map(withEventUids));
  return toJsonParameters(parts).flatMap((json) => {
    const event = {
      uid: sql`"event"."value" ->> 'uid'`,
      advisoryUid: givenMember("uid"),
      createTime: sql`"event"."value" ->> 'time'`,
      updateTime: sql`"event"."value" ->> 'time'`,
      author: sql`"given"."value" ->> 'author'`,
      reviewState: ReviewState.APPROVED as number,
      type: sql`"event"."value" ->> 'type'`,
      detail: sql`"event"."value" ->> 'detail'`,
    } satisfies InsertRow<typeof advisoryEvents>;
    return [
      call.db.delete(advisoryEvents).where(
        sql`${advisoryEvents.advisoryUid} in (
            select ${givenMember("uid")} from json_each(${json}) as "given")
            and not ${advisoryEvents.byHand}`,
      ),
      insertFrom(
        call.db,
        advisoryEvents,
        event,
        sql`from json_each(${json}) as "given"
          cross join json_each("given"."value", '$.steps') as "event"`,
      ),
    ];
  });
}

/**
 * The last step of an event's uid follows from its contents, so that the same record creates the same events.
 */
async function withEventUids({ uid, digest, author, steps }: OsvChange): Promise<string> {
  const events = await Promise.all(
    steps.map(async (step) => {
      const hash = await sha256(canonicalJson({ uid, type: step.type, detail: step.detail }));
      return { ...step, uid: `${uid}/${hash.slice(0, 16)}` };
    }),
  );
  return JSON.stringify({ uid, digest, author, steps: events });
}

const librariesOf = (records: OsvRead[]) =>
  gatherLibraries(records.flatMap(({ libraries }) => libraries));

/** The other data in the changed records, besides their advisories. */
async function upsertCatalog(call: Call, parent: string, changes: OsvChange[]) {
  const vulnerabilities = changes.map(({ vulnerability }) => vulnerability);
  const origins = changes.flatMap(({ name, originBefore }) => [name, originBefore ?? name]);
  const parts = await Promise.all([
    upsertVulnerabilities(call, parent, vulnerabilities),
    upsertDocuments(call, parent, origins),
    locateLibraries(parent, librariesOf(changes)).then((libraries) =>
      upsertArtifacts(call, libraries),
    ),
  ]);
  return [...parts.flat(), ...upsertRecords(call, changes)];
}

/**
 * Stores the records unchanged, so that they can be returned. The record is embedded in the JSON as it is.
 */
const upsertRecords = (call: Call, changes: OsvChange[]) =>
  toJsonParameters(changes.map(({ uid, record }) => `{"uid":"${uid}","record":${record}}`)).map(
    (json) =>
      insertFrom(
        call.db,
        osvRecords,
        { uid: givenMember("uid"), record: sql`"given"."value" -> 'record'` },
        fromParameter(json),
      ).onConflictDoUpdate({ target: osvRecords.uid, set: { record: sql`excluded.record` } }),
  );

const toWritten = ({ uid, id: advisoryId, originBefore }: OsvChange) => ({
  uid,
  advisoryId,
  created: originBefore === null,
});

export const osvRecordsService = service(OsvRecordsService, {
  async importOsvRecords({ parent, records, strict }, call) {
    const reading = await readOsvRecords(records, strict);
    const { read: validRecords } = reading;
    const left = toSkippedMembers(reading);
    const ids = validRecords.map(({ id }) => id);
    const libraries = await locateLibraries(parent, librariesOf(validRecords));
    return retryStale(async () => {
      const stored = selectStored(call, parent, ids);
      const versionCounts = selectVersionCounts(call, libraries);
      const { caller, extraReads } = await find(call, parentGroup, parent, {
        extraReads: [stored, versionCounts],
      });
      const [known, storedCounts] = extraReads;
      requireRoom(libraries, storedCounts);
      const changes = changesOf(parent, validRecords, known);
      const created = changes.filter(({ originBefore }) => originBefore === null).length;
      const updated = changes.length - created;
      const counts = { created, updated, unchanged: validRecords.length - changes.length };
      const answer = { ...counts, ...left };
      if (changes.length === 0) return answer;
      const { skippedCount } = left;
      const body = { desc: ImportOsvRecordsResponseSchema, message: { ...counts, skippedCount } };
      await commit(call, [
        onlyIf(call.db, areAdvisoriesUnchanged(parent, ids, known)),
        upsertOsvAdvisories(call, changes),
        insertEvent(call, caller, { subject: parent, group: parent, body }),
        ...insertImportEvents(call, caller, parent, changes.map(toWritten)),
        ...(await replaceEvents(call, changes)),
        ...(await upsertCatalog(call, parent, changes)),
        ...replaceRanges(call.db, changes),
      ]);
      call.after(() => matchOrganization(call, rootOf(parent)), "succeeded");
      return answer;
    });
  },
});
