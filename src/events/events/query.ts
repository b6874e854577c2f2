/** Reads events in the order in which they happened, with a bound on the events that a page looks at. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { ListEventsRequest } from "../../../schema/gen/platform/events/v2/events_pb.js";
import { events } from "../../../schema/tables/events/events.ts";
import { rowColumns } from "../../../schema/tables/list_indexes.ts";
import { isAtOrAbove } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { Scope } from "../../paging/listing.ts";
import { readOrder } from "../../paging/order.ts";
import { openCursor } from "../../paging/page.ts";
import { digestOf } from "../../paging/page_token.ts";
import { isOfOneType } from "../subscriptions/filters.ts";
import { clockTolerance, firstSince, isOfGroup, lastBefore, partsBelow } from "./ranges.ts";

/** The columns of an event that its message contains, and its number. */
export const eventColumns = {
  seq: events.seq,
  uid: events.uid,
  id: events.id,
  type: events.type,
  source: events.source,
  subject: events.subject,
  group: events.group,
  bodyType: events.bodyType,
  data: events.data,
  time: events.time,
  requestId: events.requestId,
  address: events.address,
  repo: events.repo,
  tag: events.tag,
  digest: events.digest,
  previousDigest: events.previousDigest,
};

/** The most events that a page looks at, in all scopes together. */
const maxLooked = 20_000;

const defaultPageSize = 50;

/**
 * The origin of events. An event that moved here with its organization has a negative number, so the numbers of
 * others say nothing about its time. `any` is for a platform with one database, which has no such events.
 */
type Origin = "any" | "here" | "moved";

/** A request with its position in the list. */
export interface EventQuery {
  isDescending: boolean;
  pageSize: number;
  /** The number of the last event that the previous page has looked at. */
  cursor: number | undefined;
  /** The numbers by database, if the token has them. */
  cursors: Record<string, number> | undefined;
  /** Binds page tokens to the request. */
  digest: string;
  /** The uid of the event in `after`. Empty for none. */
  after: string;
  /** The ranges of numbers that contain all events of the period, by the origin of the events. */
  ranges: Record<Origin, SQL | undefined>;
  filters: SQL | undefined;
}

/** Throws INVALID_ARGUMENT for `order_by` and `page_token`. */
export async function readEventQuery(call: Call, request: ListEventsRequest): Promise<EventQuery> {
  const sorting = { orders: { create_time: "uid" as const }, defaultOrder: "create_time desc" };
  const order = readOrder<{ uid: string }>(request.orderBy, sorting);
  const digest = await digestOf(call, request, `${order.field} ${order.descending}`);
  const cursorKey = (await openCursor(call, request.pageToken, digest))?.after[0];
  const later = request.after === "" ? undefined : sql`${events.seq} > ${numberOf(request.after)}`;
  return {
    isDescending: order.descending,
    pageSize: request.pageSize || defaultPageSize,
    cursor: typeof cursorKey === "number" ? cursorKey : undefined,
    // A cast, because the platform has signed it.
    cursors:
      typeof cursorKey === "string" ? (JSON.parse(cursorKey) as Record<string, number>) : undefined,
    digest,
    after: request.after,
    ranges: {
      any: and(later, ...timeRange(request)),
      here: and(later, sql`${events.seq} > 0`, ...timeRange(request)),
      moved: and(later, sql`${events.seq} < 0`),
    },
    filters: filtersOf(call, request),
  };
}

/** SQL: the number of an event that customers see. Null if there is none. */
const numberOf = (uid: string) =>
  sql`(select ${events.seq} from ${events} where ${events.uid} = ${uid} and ${events.audience} = 'customer')`;

/** Whether a uid is in one of the scopes. */
const isWithin = (uid: string, scopes: Scope[]) =>
  scopes.some((scope) =>
    ("uids" in scope ? scope.uids : [scope.uid]).some((upper) => isAtOrAbove(upper, uid)),
  );

/** The range of numbers that contains all events of the period. */
function timeRange({ since, before }: ListEventsRequest): (SQL | undefined)[] {
  const first = since && timestampMs(since) - clockTolerance;
  const last = before && timestampMs(before) + clockTolerance;
  return [
    first === undefined ? undefined : sql`${events.seq} >= ${firstSince(first)}`,
    last === undefined ? undefined : sql`${events.seq} <= ${lastBefore(last)}`,
  ];
}

function filtersOf({ config }: Call, request: ListEventsRequest): SQL | undefined {
  const { types, since, before, subject, actorUid, requestId, repoUid, tag } = request;
  return and(
    eq(events.audience, "customer"),
    types.length > 0 ? isOfOneType(config, types) : undefined,
    since && sql`${events.time} >= ${timestampMs(since)}`,
    before && sql`${events.time} < ${timestampMs(before)}`,
    subject === "" ? undefined : eq(events.subject, subject),
    actorUid === "" ? undefined : sql`${events.data} ->> '$.actor.subject' = ${actorUid}`,
    requestId === "" ? undefined : eq(events.requestId, requestId),
    repoUid === "" ? undefined : eq(events.repo, repoUid),
    tag === "" ? undefined : eq(events.tag, tag),
  );
}

/**
 * The statements for some scopes. The first selects the event in `after`, and finds none outside the scopes, so that a
 * caller learns nothing about the events of others. The others return the matching events of a
 * scope and an origin: those of a page and one more. If there are fewer, a row follows that has only a number. It is
 * that of the last event that the page has looked at, or null after all of them.
 */
export function selectEvents(
  db: Database,
  query: EventQuery,
  scopes: Scope[],
  origins: Origin[] = ["any"],
) {
  const { cursor, isDescending, after, filters, pageSize } = query;
  const direction = sql.raw(isDescending ? "desc" : "asc");
  const fromCursor =
    cursor === undefined
      ? undefined
      : isDescending
        ? sql`${events.seq} < ${cursor}`
        : sql`${events.seq} > ${cursor}`;
  const afterRow = db
    .select({ seq: events.seq })
    .from(events)
    .where(sql`${events.seq} = ${isWithin(after, scopes) ? numberOf(after) : sql`null`}`);
  const most = lookLimit(scopes.length * origins.length);
  const statements: RunnableQuery<unknown[], "sqlite">[] = [afterRow];
  const parts = scopes.flatMap((scope) => origins.map((origin) => ({ scope, origin })));
  for (const { scope, origin } of parts) {
    const select = (part: SQL) =>
      db
        .select(rowColumns(events))
        .from(events)
        .where(and(part, query.ranges[origin], fromCursor))
        .$dynamic();
    const [first = sql`false`, ...more] = partsOf(scope);
    const all = more.reduce((parts, part) => parts.unionAll(select(part)), select(first));
    const looked = all.orderBy(sql`"seq" ${direction}`).limit(most);
    const last = db
      .select({ seq: events.seq })
      .from(looked.as("events"))
      .limit(1)
      .offset(most - 1);
    // SQLite runs the second part only if the first one has not reached the limit. It looks at each event once.
    statements.push(
      db
        .select(eventColumns)
        .from(looked.as("events"))
        .where(filters)
        .unionAll(db.select(onlySeq(sql`(${last})`)).from(sql`(select 1)`))
        .limit(pageSize + 1),
    );
  }
  return statements;
}

/** The columns of an event with nothing but a number. */
const onlySeq = (seq: SQL) =>
  // A cast, because the select of an event has the types of its columns.
  Object.fromEntries(
    Object.keys(eventColumns).map((name) => [name, name === "seq" ? seq : sql`null`]),
  ) as unknown as typeof eventColumns;

/** The number of events that a page looks at in each part. */
const lookLimit = (parts: number) => Math.ceil(maxLooked / Math.max(parts, 1));

/** The conditions of the parts of a scope. A page merges them. */
function partsOf(scope: Scope): SQL[] {
  if (scope.at === "uids") {
    return [sql`${events.uid} in (select "value" from json_each(${JSON.stringify(scope.uids)}))`];
  }
  if (scope.at === "childrenOfAny") return [];
  return scope.at === "childrenOf" ? [isOfGroup(scope.uid)] : partsBelow(scope.uid);
}
