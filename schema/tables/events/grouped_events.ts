import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { requireRow, trigger } from "../triggers.ts";
import { subscriptions } from "./subscriptions.ts";

/**
 * Events that a subscription gets together with others about the same vulnerability. One batch deletes the rows of a group
 * and writes the event about all of them (src/events/deliveries/grouping.ts). The migration creates the table WITHOUT ROWID.
 */
export const groupedEvents = sqliteTable(
  "grouped_events",
  {
    subscriptionUid: text("subscription_uid").notNull(),
    /** The type of the events. */
    type: text("type").notNull(),
    /** The attribute `vulnerability` of the events. */
    vulnerability: text("vulnerability").notNull(),
    /** The uid of the event, which stays the same if the organization moves to another database. */
    eventUid: text("event_uid").notNull(),
    /** When the event came here, in milliseconds since 1970 in UTC. */
    time: integer("time").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.subscriptionUid, t.type, t.vulnerability, t.eventUid] }),
    index("grouped_events_by_time").on(t.time),
  ],
);

export const triggers = () => [
  ...requireRow(groupedEvents.subscriptionUid, subscriptions, "subscription"),
  trigger(
    subscriptions,
    "delete_grouped",
    { on: "AFTER DELETE" },
    "DELETE FROM grouped_events WHERE subscription_uid = OLD.uid;",
  ),
];
