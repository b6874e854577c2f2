import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { deliveries, deliveryCursor } from "../../../schema/tables/events/deliveries.ts";
import { events } from "../../../schema/tables/events/events.ts";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import { isWritable } from "../../auth/databases.ts";
import { endBefore, lastBefore } from "../events/ranges.ts";
import type { SenderContext } from "./context.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long a delivery is kept, in milliseconds. */
const deliveryLifetime = 14 * dayMs;

/** Rows in one statement, and statements in one run. More are left for the next run. */
const maxRows = 1_000;
const maxStatements = 20;

/**
 * Deletes deliveries after 14 days and those of deleted subscriptions, and events after the time in
 * EVENT_RETENTION_DAYS.
 */
export async function deleteOld(
  { db, config }: Pick<SenderContext, "db" | "config">,
  now: number,
): Promise<void> {
  const limit = sql.raw(String(maxRows));
  const deleteIn = async (table: SQLiteTable, key: SQL, chosen: SQL) => {
    for (let run = 0; run < maxStatements; run += 1) {
      const { meta } = await db.delete(table).where(sql`${key} in (${chosen} limit ${limit})`);
      if (meta.changes < maxRows) return;
    }
  };
  // The events of a time are close together, so this range is short. A redelivered event can be in it.
  const old = now - deliveryLifetime;
  await deleteIn(
    deliveries,
    sql`${deliveries.uid}`,
    sql`select ${deliveries.uid} from ${deliveries}
      where ${deliveries.event} <= coalesce(${lastBefore(old)}, 0)
      and ${deliveries.createTime} < ${old} and ${isWritable(sql`${deliveries.uid}`)}`,
  );
  await deleteIn(
    deliveries,
    sql`${deliveries.uid}`,
    sql`with recursive "each"("uid") as (
        select min(${deliveries.parent}) from ${deliveries}
        union all select (select min(${deliveries.parent}) from ${deliveries}
          where ${deliveries.parent} > "each"."uid") from "each" where "each"."uid" is not null)
      select ${deliveries.uid} from "each" join ${deliveries} on ${deliveries.parent} = "each"."uid"
      where not exists (select 1 from ${subscriptions} where ${subscriptions.uid} = "each"."uid")
        and ${isWritable(sql`"each"."uid"`)}`,
  );
  const end = now - config.eventRetentionDays * dayMs;
  await deleteIn(
    events,
    sql`${events.seq}`,
    sql`select ${events.seq} from ${events}
      where ${events.time} < ${end}
      and ${events.seq} > 0 and ${events.seq} <= ${endBefore(end)}
      and ${events.seq} <= (select ${deliveryCursor.event} from ${deliveryCursor})
      and ${isWritable(sql`${events.uid}`)}
      order by ${events.seq}`,
  );
  if (now % hourMs >= minuteMs) return;
  // Events that moved here are not in the order of their times, so all of them are looked at, once an hour.
  await deleteIn(
    events,
    sql`${events.seq}`,
    sql`select ${events.seq} from ${events} where ${events.seq} < 0 and ${events.time} < ${end} order by ${events.seq}`,
  );
}
