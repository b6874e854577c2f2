import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Events to be sent, written in the batch of the change they tell of (contract: events). */
export const outbox = sqliteTable(
  "outbox",
  {
    /** CloudEvents id, a UUID. */
    id: text("id").primaryKey(),
    type: text("type").notNull(),
    source: text("source").notNull(),
    subject: text("subject").notNull(),
    /** Group uid the event belongs to; '/' for the removal of an organization. */
    group: text("group_uid").notNull(),
    /** `customer` leaves the platform, `internal` does not. */
    audience: text("audience").notNull(),
    /** Further extension attributes. */
    extensions: text("extensions", { mode: "json" }).$type<Record<string, string>>().notNull(),
    /** Full proto name of `body`; empty without one. */
    bodyType: text("body_type").notNull(),
    /** `{actor, body}`, the data of the event. */
    data: text("data", { mode: "json" }).$type<{ actor: unknown; body?: unknown }>().notNull(),
    /** Milliseconds since 1970 UTC. */
    time: integer("time").notNull(),
  },
  (t) => [index("outbox_by_group").on(t.group, t.time)],
);
