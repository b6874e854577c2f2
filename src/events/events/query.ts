/** Reads events in the order in which they happened, with a bound on the events that a page looks at. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { ListEventsRequest } from "../../../schema/gen/platform/events/v2/events_pb.js";
import { events } from "../../../schema/tables/events/events.ts";
import { uidDepth } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import { readOrder } from "../../paging/order.ts";
import { openCursor } from "../../paging/page.ts";
import { digestOf } from "../../paging/page_token.ts";
import type { Scope } from "../../paging/scope.ts";
import { isOfType } from "../subscriptions/filters.ts";

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

/** Events of two Workers are in the order of their numbers. Their times differ by less from that order. */
const clockTolerance = 60_000;

/**
 * The origin of events. An event that moved here with its organization has a negative number, so the numbers of
 * others say nothing about its time. `any` is for a platform with one database, which has no such events.
 */
type Origin = "any" | "here" | "moved";

/** A request with its place in the list. */
export interface EventQuery {
  isDescending: boolean;
  pageSize: number;
  /** The number of the last event that the previous page has looked at. */
  cursor: number | undefined;
  /** The numbers by database, if the token has them. */
  places: Record<string, number> | undefined;
  /** Binds page tokens to the request. */
  digest: string;
  /** Selects the number of the event in `after`. */
  after: SQL | undefined;
  /** The ranges of numbers that contain all events of the period, by the origin of the events. */
  ranges: Record<Origin, SQL | undefined>;
  filters: SQL | undefined;
}

/** Throws INVALID_ARGUMENT for `order_by` and `page_token`. */
export async function readEventQuery(call: Call, request: ListEventsRequest): Promise<EventQuery> {
  const sorting = { orders: { create_time: "uid" as const }, defaultOrder: "create_time desc" };
  const order = readOrder<{ uid: string }>(request.orderBy, sorting);
  const digest = await digestOf(call, request, `${order.field} ${order.descending}`);
  const place = (await openCursor(call, request.pageToken, digest))?.after[0];
  const after =
    request.after === ""
      ? undefined
      : sql`(select ${events.seq} from ${events} where ${events.uid} = ${request.after})`;
  const later = after && sql`${events.seq} > ${after}`;
  return {
    isDescending: order.descending,
    pageSize: request.pageSize || defaultPageSize,
    cursor: typeof place === "number" ? place : undefined,
    // A cast, because the platform has signed it.
    places: typeof place === "string" ? (JSON.parse(place) as Record<string, number>) : undefined,
    digest,
    after,
    ranges: {
      any: and(later, ...timeRange(request)),
      here: and(later, sql`${events.seq} > 0`, ...timeRange(request, sql` and ${events.seq} > 0`)),
      moved: and(later, sql`${events.seq} < 0`),
    },
    filters: filtersOf(call, request),
  };
}

/** The range of numbers that contains all events of the period. */
function timeRange({ since, before }: ListEventsRequest, also = sql``): (SQL | undefined)[] {
  const first = since && timestampMs(since) - clockTolerance;
  const last = before && timestampMs(before) + clockTolerance;
  return [
    first === undefined
      ? undefined
      : sql`${events.seq} >= (select ${events.seq} from ${events}
          where ${events.time} >= ${first}${also} order by ${events.time} limit 1)`,
    last === undefined
      ? undefined
      : sql`${events.seq} <= (select ${events.seq} from ${events}
          where ${events.time} < ${last}${also} order by ${events.time} desc limit 1)`,
  ];
}

function filtersOf({ config }: Call, request: ListEventsRequest): SQL | undefined {
  const { types, since, before, subject, actorUid, requestId, repoUid, tag } = request;
  return and(
    eq(events.audience, "customer"),
    types.length > 0 ? isOfType(config.vendor, sql`${JSON.stringify(types)}`) : undefined,
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
 * The statements for some scopes. The first selects the event in `after`. Two follow for each scope and origin: the
 * matching events of a page and one more, and, if there are fewer, how many events were looked at. SQLite stops
 * looking as soon as the page is full, because the limited selection is in the FROM clause.
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
  const limit = sql.raw(String(lookLimit(scopes.length * origins.length)));
  const found = db
    .select({ seq: events.seq })
    .from(events)
    .where(after ? sql`${events.seq} = ${after}` : sql`false`);
  const statements: RunnableQuery<unknown[], "sqlite">[] = [found];
  const parts = scopes.flatMap((scope) => origins.map((origin) => ({ scope, origin })));
  for (const { scope, origin } of parts) {
    const inRange = and(isInScope(scope), query.ranges[origin], fromCursor);
    const ordered = sql`order by ${events.seq} ${direction}`;
    const matching = sql`${events.seq} in (select ${events.seq}
      from (select * from ${events} where ${inRange} ${ordered} limit ${limit}) as ${events}
      where ${filters} limit ${sql.raw(String(pageSize + 1))})`;
    const isFull = sql`(select count(*) from ${events} where ${matching}) > ${sql.raw(String(pageSize))}`;
    statements.push(
      db.select(eventColumns).from(events).where(matching).orderBy(sql`${events.seq} ${direction}`),
      db
        .select({
          count: sql<number>`count(*)`,
          last: isDescending ? sql<number | null>`min("seq")` : sql<number | null>`max("seq")`,
        })
        .from(
          sql`(select ${events.seq} as "seq" from ${events} where ${inRange} ${ordered}
            limit iif(${isFull}, 0, ${limit}))`,
        ),
    );
  }
  return statements;
}

/** The number of events that a page looks at in each scope. */
export const lookLimit = (scopes: number) => Math.ceil(maxLooked / Math.max(scopes, 1));

/** A uid that is not that of a group has no events below it. */
function isInScope(scope: Scope): SQL | undefined {
  if (scope.at === "uids") {
    return sql`${events.uid} in (select "value" from json_each(${JSON.stringify(scope.uids)}))`;
  }
  if (scope.at === "childrenOfAny") return sql`false`;
  if (scope.at === "childrenOf") return eq(events.parent, scope.uid);
  const { ancestor0, ancestor1, ancestor2, ancestor3, ancestor4 } = events;
  const ancestor = [ancestor0, ancestor1, ancestor2, ancestor3, ancestor4][uidDepth(scope.uid)];
  return ancestor ? eq(ancestor, scope.uid) : sql`false`;
}
