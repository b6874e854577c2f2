/**
 * Gives due deliveries to one sender at a time. A sender that dies loses its deliveries after a while, and
 * another one sends them again.
 */
import { sql } from "drizzle-orm";
import { deliveries } from "../../../schema/tables/events/deliveries.ts";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import type { Database } from "../../auth/call.ts";
import { isWritable } from "../../auth/databases.ts";
import { selectReceivers, selectSentEvents } from "./request.ts";

/** How long a sender has for an attempt and for its record, in milliseconds. */
const leaseTime = 60_000;

/** The most requests that a sender has open to one subscription. */
const maxOpenEach = 3;

/** After this many failures in a row, the subscription gets single requests with pauses between them. */
export const failuresBeforePause = 10;

/** The most subscriptions that one statement looks at. */
const maxSubscriptions = 50;

export interface LeaseRequest {
  lease: string;
  now: number;
  /** The most deliveries to lease. */
  count: number;
  /** The sender looks at subscriptions after this uid. */
  after: string;
  /** The number of open requests of this sender, by subscription. */
  open: Record<string, number>;
}

/** The next subscriptions that have a delivery with a due time, in or before the future. */
const next = (after: string) => {
  const above = (
    uid: ReturnType<typeof sql>,
  ) => sql`select min(${deliveries.parent}) from ${deliveries}
    where ${deliveries.parent} > ${uid} and ${deliveries.dueTime} is not null`;
  return sql`with recursive "next"("uid") as (
    ${above(sql`${after}`)}
    union all select (${above(sql`"next"."uid"`)}) from "next" where "next"."uid" is not null
    limit ${sql.raw(String(maxSubscriptions))})`;
};

/**
 * The statements of a lease. The first returns the last subscription that was looked at, and whether there
 * may be more. The second returns the leased deliveries, and the others their events and subscriptions.
 */
export function leaseDue(db: Database, { lease, now, count, after, open }: LeaseRequest) {
  const leased = (column: ReturnType<typeof sql>) => sql`(${next(after)}
    select "leased".${column} from "next" join ${deliveries} as "leased" on "leased"."parent" = "next"."uid"
    where "leased"."due_time" = ${now + leaseTime} and "leased"."lease" = ${lease})`;
  return [
    db
      .select({ uid: sql<string | null>`"uid"`, looked: sql<number>`"looked"` })
      .from(sql`(${next(after)} select max("uid") as "uid", count("uid") as "looked" from "next")`),
    db
      .update(deliveries)
      .set({ lease, dueTime: now + leaseTime })
      .where(
        sql`${deliveries.uid} in (${next(after)}
          select "due"."uid" from "next" join ${subscriptions} on ${subscriptions.uid} = "next"."uid"
          join ${deliveries} as "due" on "due"."uid" in (
            select "uid" from (
              select "uid", row_number() over () as "position" from (
                select "uid" from ${deliveries} where "parent" = "next"."uid" and "due_time" <= ${now}
                order by "due_time" limit ${sql.raw(String(maxOpenEach))}))
            where "position" <= iif(${subscriptions.failures} < ${sql.raw(String(failuresBeforePause))}, ${sql.raw(String(maxOpenEach))}, 1)
              - coalesce((select "value" from json_each(${JSON.stringify(open)}) where "key" = "next"."uid"), 0))
          where ${subscriptions.disableTime} is null and ${subscriptions.pauseEndTime} <= ${now}
            and ${isWritable(sql`"next"."uid"`)}
          limit ${count})`,
      )
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

/** True if a lease has looked at as many subscriptions as it may. There can be more. */
export const hasMoreSubscriptions = ({ looked }: { looked: number }) => looked === maxSubscriptions;
