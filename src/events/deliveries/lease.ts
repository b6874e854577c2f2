/**
 * Gives due deliveries to one sender at a time. A sender that dies loses its deliveries after a while, and
 * another one sends them again. Turns go by organization: one with fewer open requests comes first.
 */
import { type SQL, sql } from "drizzle-orm";
import { deliveries } from "../../../schema/tables/events/deliveries.ts";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import type { Database } from "../../auth/call.ts";
import { isWritable } from "../../auth/databases.ts";
import { selectReceivers, selectSentEvents } from "./request.ts";
import { organizationOf, type WalkStart, walkFrom } from "./walk.ts";

/** How long a sender has for an attempt and for its record, in milliseconds. */
const leaseTime = 60_000;

/** The most requests that a sender has open to one subscription. A slow one gets them one by one. */
const maxOpenEach = 3;

/** The share of an organization in the open requests of a sender, which are at most five. */
export const maxOpenOfOrganization = 3;

/** The most requests that a sender has open to slow sinks, so that they leave room for all others. */
export const maxOpenSlow = 2;

/** After this many failures in a row, the subscription gets single requests with pauses between them. */
export const failuresBeforePause = 10;

export interface LeaseRequest {
  lease: string;
  now: number;
  /** The most deliveries to lease, and those for slow sinks among them. */
  count: number;
  slowCount: number;
  start: WalkStart;
  /** The number of open requests of this sender, by subscription and by organization. */
  open: Record<string, number>;
  openByOrganization: Record<string, number>;
  /** The organizations after this one come first among those with the same number of open requests. */
  last: string;
}

/** SQL: the number for a key in a record. */
const numberFor = (record: Record<string, number>, key: SQL): SQL =>
  sql`coalesce((select "value" from json_each(${JSON.stringify(record)}) where "key" = ${key}), 0)`;

/** SQL: whether a sink is slow. A sink without a request so far may be, so it is treated like one. */
const isSlow = (now: number): SQL =>
  sql`(${subscriptions.slowEndTime} is null or ${subscriptions.slowEndTime} > ${now})`;

/** The due deliveries of the walk, a few of each subscription. */
const candidates = ({ now, open }: LeaseRequest): SQL => {
  const most = sql.raw(String(maxOpenEach));
  const isSingle = sql`(${isSlow(now)} or ${subscriptions.failures} >= ${sql.raw(String(failuresBeforePause))})`;
  return sql`select "due"."uid" as "uid", ${organizationOf(sql`"walk"."uid"`)} as "organization", ${isSlow(now)} as "is_slow"
    from "walk" join ${subscriptions} on ${subscriptions.uid} = "walk"."uid"
    join ${deliveries} as "due" on "due"."uid" in (
      select "uid" from (
        select "uid", row_number() over () as "position" from (
          select "uid" from ${deliveries} where "parent" = "walk"."uid" and "due_time" <= ${now}
          order by "due_time" limit ${most}))
      where "position" <= iif(${isSingle}, 1, ${most}) - ${numberFor(open, sql`"walk"."uid"`)})
    where ${subscriptions.disableTime} is null and ${subscriptions.confirmDueTime} is null and ${subscriptions.pauseEndTime} <= ${now}
      and ${isWritable(sql`"walk"."uid"`)}`;
};

/**
 * The candidates that get a request. First the sender fills its room for slow sinks, by turns of the organizations.
 * Then each organization gets its share, and those with the fewest open requests come first.
 */
function chosen(request: LeaseRequest): SQL {
  const { count, slowCount, openByOrganization, last } = request;
  const turn = sql`"organization" <= ${last}, "organization"`;
  return sql`select "uid" from (
    select "uid", "organization", "is_slow", ${numberFor(openByOrganization, sql`"organization"`)}
        + row_number() over (partition by "organization" order by "is_slow" desc, "turn_of_slow") as "share"
      from (select *, row_number() over (partition by "is_slow" order by "own_turn", ${turn}) as "turn_of_slow"
        from (select *, row_number() over (partition by "organization", "is_slow") as "own_turn"
          from (${candidates(request)})))
      where not "is_slow" or "turn_of_slow" <= ${slowCount})
    where "share" <= ${sql.raw(String(maxOpenOfOrganization))}
    order by "share", ${turn} limit ${count}`;
}

/**
 * The statements of a lease. The first returns what the walk has looked at. The second returns the leased deliveries,
 * and the others their events and subscriptions.
 */
export function leaseDue(db: Database, request: LeaseRequest) {
  const { lease, now, start } = request;
  const walk = walkFrom(start);
  const leased = (column: SQL) => sql`(${walk}
    select "leased".${column} from "walk" join ${deliveries} as "leased" on "leased"."parent" = "walk"."uid"
    where "leased"."due_time" = ${now + leaseTime} and "leased"."lease" = ${lease})`;
  return [
    db
      .select({
        organization: sql<string>`"organization"`,
        uid: sql<string>`"uid"`,
        count: sql<number>`"number"`,
        due: sql<number>`"due"`,
      })
      .from(sql`(${walk}, "candidates" as (${candidates(request)})
        select ${organizationOf(sql`"walk"."uid"`)} as "organization", max("walk"."uid") as "uid", count(*) as "number",
          (select count(*) from "candidates" where "candidates"."organization" = ${organizationOf(sql`"walk"."uid"`)}) as "due"
        from "walk" where "walk"."uid" is not null group by 1 order by 1)`),
    db
      .update(deliveries)
      .set({ lease, dueTime: now + leaseTime })
      .where(sql`${deliveries.uid} in (${walk} ${chosen(request)})`)
      .returning({
        uid: deliveries.uid,
        parent: deliveries.parent,
        event: deliveries.event,
        pool: deliveries.pool,
        partition: deliveries.partition,
        failures: deliveries.failures,
        attempts: deliveries.attempts,
      }),
    selectSentEvents(db, leased(sql`"event_seq"`)),
    selectReceivers(db, leased(sql`"parent"`)),
  ] as const;
}
