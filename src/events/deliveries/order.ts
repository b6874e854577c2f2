/**
 * Keeps the order of events. An event waits while an earlier one of its partition is pending, or one about the
 * whole pool (src/outbox/partition.ts). A waiting delivery has no due time.
 */
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { deliveries } from "../../../schema/tables/events/deliveries.ts";
import type { Database } from "../../auth/call.ts";
import { isWritable } from "../../auth/databases.ts";

/** A delivery, as far as its order is concerned. */
export interface OrderedDelivery {
  /** The uid of the subscription. */
  parent: string;
  pool: string;
  partition: string;
  event: number;
}

/** The condition that an earlier delivery must end before this one begins. */
const mustWait: SQL = sql`(${hasEarlier(sql`"earlier"."partition" = ${deliveries.partition}`)}
  or ${hasEarlier(sql`"earlier"."partition" = ''`)}
  or (${deliveries.partition} = '' and ${hasEarlier(sql`true`)}))`;

/** Each condition finds its row in the index `deliveries_pending`. */
function hasEarlier(condition: SQL): SQL {
  return sql`exists (select 1 from ${deliveries} as "earlier"
    where "earlier"."parent" = ${deliveries.parent} and "earlier"."pool" = ${deliveries.pool}
      and ${condition} and "earlier"."event_seq" < ${deliveries.event} and "earlier"."end_time" is null)`;
}

/** Takes the due time from the deliveries that must wait, unless an attempt is in progress. */
export const holdBack = (db: Database, which: SQL | undefined) =>
  db
    .update(deliveries)
    .set({ dueTime: null })
    .where(
      and(which, sql`${deliveries.dueTime} is not null and ${deliveries.lease} = ''`, mustWait),
    );

/** Makes the deliveries due that waited for this one, which has just ended. */
export function releaseNext(db: Database, ended: OrderedDelivery, now: number) {
  const { parent, pool, partition, event } = ended;
  const waiting = and(
    eq(deliveries.parent, parent),
    eq(deliveries.pool, pool),
    isNull(deliveries.endTime),
  );
  const first = (partitions: SQL) => sql`(select min(${deliveries.event}) from ${deliveries}
    where ${waiting} and ${partitions} and ${deliveries.event} > ${event})`;
  const wholePool = first(sql`${deliveries.partition} = ''`);
  const next =
    partition === ""
      ? sql`${deliveries.event} > ${event} and ${deliveries.event} <= coalesce(${wholePool}, 1e18)`
      : sql`(${deliveries.partition} in (${partition}, '')
          and ${deliveries.event} in (${first(eq(deliveries.partition, partition))}, ${wholePool}))`;
  return db
    .update(deliveries)
    .set({ dueTime: now })
    .where(
      and(
        waiting,
        isNull(deliveries.dueTime),
        next,
        sql`not ${mustWait}`,
        isWritable(sql`${parent}`),
      ),
    );
}
