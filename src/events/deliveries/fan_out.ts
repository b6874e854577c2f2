/** Creates the deliveries of new events. */
import { and, eq, gt, lte, type SQL, sql } from "drizzle-orm";
import { deliveries, deliveryCursor } from "../../../schema/tables/events/deliveries.ts";
import { events } from "../../../schema/tables/events/events.ts";
import { groupedEvents } from "../../../schema/tables/events/grouped_events.ts";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import type { Database } from "../../auth/call.ts";
import { isGrouped, isWanted } from "../subscriptions/filters.ts";
import { holdBack } from "./order.ts";

/** The most events in one batch. Each can have a delivery for many subscriptions. */
const windowSize = 100;

/** The clocks of two Workers differ by less. In milliseconds. */
const clockTolerance = 60_000;

const cursor = sql`(select ${deliveryCursor.event} from ${deliveryCursor})`;

/** The organizations whose new events wait until it is decided which database sends them. */
const held = sql`(select "uid" from "organization_moves"
  where "state" = 'leaving' or ("state" = 'departed' and "progress" ->> 'ended' is null))`;

/** The last event of the next window. Null if there is no new event. The window ends before an event that is held. */
const windowEnd = sql`(select max("seq") from (
  select "seq", sum("is_held") over (order by "seq") as "held" from (
    select ${events.seq} as "seq", substr(${events.uid}, 1, 40) in ${held} as "is_held" from ${events}
      where ${events.seq} > ${cursor} order by ${events.seq} limit ${sql.raw(String(windowSize))})) where "held" = 0)`;

/** The database that an organization has moved to sends its events. A copy that arrives has events only when it is complete. */
const isHere = sql`substr(${subscriptions.uid}, 1, 40) not in (
  select "uid" from "organization_moves" where "state" = 'departed')`;

/**
 * The columns of a delivery of the event to the subscription, for a statement that reads both tables. The
 * delivery is due at once.
 */
export const deliveryColumns = (now: number) => ({
  uid: sql`${subscriptions.uid} || substr(${events.uid}, -17)`,
  createTime: now,
  event: sql`${events.seq}`,
  pool: sql`${events.pool}`,
  partition: sql`${events.partition}`,
  dueTime: now,
});

const groupedColumns = (now: number) => ({
  subscriptionUid: sql`${subscriptions.uid}`,
  type: sql`${events.type}`,
  vulnerability: sql`${events.extensions} ->> 'vulnerability'`,
  eventUid: sql`${events.uid}`,
  time: now,
});

/**
 * The statements that create the deliveries of the next new events, or note those that are sent together. A batch runs all
 * of them or none, and D1 runs one batch after the other, so each event passes once. The last statement returns whether
 * there are further events.
 */
export const fanOut = (db: Database, vendor: string, now: number) => {
  const isInWindow = (seq: SQL) => sql`${seq} > ${cursor} and ${seq} <= ${windowEnd}`;
  // A cross join keeps the order: the subscriptions are looked up for each event.
  const source = (condition: SQL) => sql`from ${events} cross join ${subscriptions}
    where ${and(
      isInWindow(sql`${events.seq}`),
      condition,
      isWanted(vendor),
      isHere,
      sql`${subscriptions.disableTime} is null`,
      lte(subscriptions.createTime, sql`${events.time} + ${sql.raw(String(clockTolerance))}`),
    )} on conflict do nothing`;
  return [
    insertFrom(
      db,
      deliveries,
      { ...deliveryColumns(now), createTime: sql`${events.time}` },
      source(sql`not ${isGrouped(vendor)}`),
    ),
    insertFrom(db, groupedEvents, groupedColumns(now), source(isGrouped(vendor))),
    holdBack(db, isInWindow(sql`${deliveries.event}`)),
    db
      .update(deliveryCursor)
      .set({ event: sql`coalesce(${windowEnd}, ${deliveryCursor.event})` })
      .where(eq(deliveryCursor.id, 1)),
    db
      .select({ seq: events.seq })
      .from(events)
      .where(and(gt(events.seq, cursor), lte(events.seq, windowEnd)))
      .limit(1),
  ] as const;
};
