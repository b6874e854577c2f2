import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";

/** One attempt to send an event to a sink. */
export interface StoredAttempt {
  /** When it began, in milliseconds since 1970 in UTC. */
  time: number;
  /** How long it took, in milliseconds. */
  latency: number;
  /** The HTTP status of the response. 0 if there was none. */
  status: number;
  /** Why there was no response, or why nothing was sent. Empty if there was a response. */
  error: string;
  /** The first 1 KiB of the response. */
  response: string;
}

const { updateTime: _, ...resource } = resourceColumns();

/**
 * The events that subscriptions receive: one row for each event and subscription. The uid of a row is the uid
 * of the subscription, and the last step of the event's uid.
 */
export const deliveries = sqliteTable(
  "deliveries",
  {
    ...resource,
    /** The number of the event in the table `events`. */
    event: integer("event_seq").notNull(),
    /** The partition of the event (src/outbox/partition.ts). */
    pool: text("pool").notNull(),
    partition: text("partition").notNull(),
    state: text("state", { enum: ["pending", "delivered", "failed"] })
      .notNull()
      .default("pending"),
    /**
     * When the next attempt is due, or when the current one counts as lost. Null while an earlier event of the
     * partition is pending, and after the end. In milliseconds since 1970 in UTC.
     */
    dueTime: integer("due_time"),
    /** The sender that makes the current attempt. Empty between attempts. */
    lease: text("lease").notNull().default(""),
    /** The number of failed attempts since the delivery was requested. */
    failures: integer("failures").notNull().default(0),
    /** The latest attempts, oldest first. */
    attempts: text("attempts", { mode: "json" }).$type<StoredAttempt[]>().notNull().default([]),
    /** When the event was delivered, or given up. Null while it is pending. */
    endTime: integer("end_time"),
  },
  (t) => [
    index("deliveries_by_event").on(t.event),
    index("deliveries_children_by_created").on(t.parent, t.createTime, t.uid),
    index("deliveries_due").on(t.parent, t.dueTime).where(sql`due_time is not null`),
    index("deliveries_pending")
      .on(t.parent, t.pool, t.partition, t.event)
      .where(sql`end_time is null`),
  ],
);

/** The number of the last event whose deliveries exist. The table has one row. */
export const deliveryCursor = sqliteTable("delivery_cursor", {
  id: integer("id").primaryKey(),
  event: integer("event_seq").notNull(),
});
