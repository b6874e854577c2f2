import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Events that wait to be sent. Each is written in the batch of its change (contract: events). */
export const outbox = sqliteTable(
  "outbox",
  {
    /** The CloudEvents id, a UUID. */
    id: text("id").primaryKey(),
    type: text("type").notNull(),
    source: text("source").notNull(),
    subject: text("subject").notNull(),
    /** The uid of the group that the event belongs to. `/` for the deletion of an organization. */
    group: text("group_uid").notNull(),
    /** Events for the `customer` are sent. Events with `internal` are not. */
    audience: text("audience").notNull(),
    /** Further extension attributes. */
    extensions: text("extensions", { mode: "json" }).$type<Record<string, string>>().notNull(),
    /** The full proto name of `body`. Empty without a body. */
    bodyType: text("body_type").notNull(),
    /** `{actor, body}`, the data of the event. */
    data: text("data", { mode: "json" }).$type<{ actor: unknown; body?: unknown }>().notNull(),
    /** Milliseconds since 1970 in UTC. */
    time: integer("time").notNull(),
  },
  (t) => [index("outbox_by_group").on(t.group, t.time)],
);
