/** The reads at the start of the writes of version 1, and the statements that they share. */
import { and, eq, inArray, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { advisories, advisoryEvents } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { vulnerabilityMetadata } from "../../../schema/tables/vulnerabilities/vulnerability_metadata.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { failedPrecondition, notFound } from "../../aip/errors.ts";
import { type InsertRow, insertFrom } from "../../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../../aip/json_parameters.ts";
import { updateAsRead } from "../../aip/stale.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call, EventDraft } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { commitIfChanged, nextTime } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { find } from "../../resource/find.ts";
import type { Readable } from "../../resource/resource.ts";
import { upsertDocuments } from "../catalog.ts";
import { type AdvisoryRow, advisory, type StoredAdvisoryEvent } from "./advisories.ts";

/** An advisory as it was read for a change, and the caller who changes it. */
export interface FoundAdvisory {
  caller: Caller;
  row: AdvisoryRow;
  /** SHA-256 of the imported record. Empty if a person wrote the advisory. */
  sourceDigest: string;
  origin: string;
}

/**
 * Reads the advisory `uid` for a call about `scope`, and the rows of `more`, in one round trip. Throws
 * NOT_FOUND for the scope, whose type is `type`.
 */
export async function findAdvisory<const S extends readonly BatchItem<"sqlite">[]>(
  call: Call,
  uid: string,
  more: S,
  { scope = uid, type = advisory.type } = {},
) {
  const { sourceDigest, origin } = advisories;
  const source = call.db
    .select({ sourceDigest, origin })
    .from(advisories)
    .where(eq(advisories.uid, uid));
  const readable: Readable<AdvisoryRow> = { type, select: () => advisory.select(call.db, uid) };
  const { caller, row, extraReads } = await find(call, readable, scope, {
    extraReads: [source, ...more],
  });
  const [[imported], ...rest] = extraReads;
  if (!imported) throw notFound(type, scope);
  return { foundAdvisory: { caller, row, ...imported } satisfies FoundAdvisory, rest };
}

/** Throws FAILED_PRECONDITION if the advisory is deleted. */
export function checkNotDeletedRow({ row }: FoundAdvisory): void {
  if (row.deleteTime === null) return;
  const text = "the advisory was deleted and cannot change any more";
  throw failedPrecondition("ADVISORY_DELETED", text, row.uid);
}

/** The severity of the vulnerability, if the group publishes one under one of its ids. */
export const selectSeverities = (call: Call, group: string, ids: string[]) =>
  call.db
    .select({ severities: vulnerabilityMetadata.severities })
    .from(vulnerabilityMetadata)
    .where(
      and(
        eq(vulnerabilityMetadata.parent, group),
        inArray(vulnerabilityMetadata.vulnerabilityId, valuesSubselect(ids)),
        sql`${vulnerabilityMetadata.severities} <> '[]'`,
      ),
    )
    .orderBy(sql`${vulnerabilityMetadata.vulnerabilityId} not like 'CVE-%'`)
    .limit(1);

/** The columns that a change of an advisory sets in addition to its update time. */
type Values = Partial<typeof advisories.$inferInsert>;

/** The parts of a changed advisory to write. */
interface Change {
  values: Values;
  event: EventDraft;
  /** Events of the advisory. Each is new, or replaces the event with its uid. */
  events?: StoredAdvisoryEvent[];
  /** The origin packages whose documents change. */
  origins: string[];
}

/** Writes a change of an advisory that is as it was read, its event, and the related rows. */
export async function writeChange(
  call: Call,
  { caller, row }: FoundAdvisory,
  { values, event, events = [], origins }: Change,
): Promise<void> {
  const change = updateAsRead(call.db, advisories, row, {
    ...values,
    updateTime: nextTime(call, row.updateTime),
    // The time of the import, for comparison with the next one.
    sourceTime: sql`coalesce(${advisories.sourceTime},
      iif(${advisories.sourceDigest} = '', null, ${advisories.updateTime}))`,
  });
  await commitIfChanged(call, [
    change,
    insertEvent(call, caller, event),
    ...upsertEvents(call, row.uid, events),
    ...(await documentStatements(call, row.uid, origins)),
  ]);
}

const member = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;

/** The columns of an event from the JSON of a PublishedEvent. */
const columns = {
  uid: member("uid"),
  advisoryUid: member("advisoryUid"),
  createTime: member("createTime"),
  updateTime: member("updateTime"),
  author: member("author"),
  reviewer: member("reviewer"),
  reviewState: member("reviewState"),
  issue: member("issue"),
  type: member("type"),
  detail: sql`"given"."value" -> 'detail'`,
  findings: member("findings"),
  byHand: member("byHand"),
} satisfies InsertRow<typeof advisoryEvents>;

/** The statements that write events of an advisory. They replace events with the same uids. */
export const upsertEvents = (call: Call, advisoryUid: string, events: StoredAdvisoryEvent[]) =>
  toJsonParameters(events.map((event) => JSON.stringify({ ...event, advisoryUid }))).map(
    (parameter) =>
      insertFrom(call.db, advisoryEvents, columns, fromParameter(parameter)).onConflictDoUpdate({
        target: advisoryEvents.uid,
        set: replaced,
      }),
  );

const excluded = (name: string) => sql`excluded.${sql.identifier(name)}`;

const replaced = {
  createTime: excluded("create_time"),
  updateTime: excluded("update_time"),
  author: excluded("author"),
  reviewer: excluded("reviewer"),
  reviewState: excluded("review_state"),
  issue: excluded("issue"),
  type: excluded("type"),
  detail: excluded("detail"),
  findings: excluded("findings"),
  byHand: excluded("by_hand"),
};

/** The statements that record the change in the documents of the origin packages. */
export const documentStatements = (call: Call, uid: string, origins: string[]) =>
  upsertDocuments(call, parentOf(uid), origins);
