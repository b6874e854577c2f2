import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { trigger } from "../triggers.ts";

/**
 * The events of Workers from before the table `events`. During a deployment, such Workers still write here,
 * and a trigger moves every row. Otherwise the table is empty.
 */
export const outbox = sqliteTable("outbox", {
  id: text("id").primaryKey(),
  type: text("type").notNull(),
  source: text("source").notNull(),
  subject: text("subject").notNull(),
  group: text("group_uid").notNull(),
  audience: text("audience").notNull(),
  extensions: text("extensions").notNull(),
  bodyType: text("body_type").notNull(),
  data: text("data").notNull(),
  time: integer("time").notNull(),
});

const sameColumns =
  "id, type, source, subject, group_uid, audience, extensions, body_type, data, time";

/** The uid of an event from the columns of `outbox`, with a prefix for their row. */
const uidOf = (row: string) =>
  `iif(${row}group_uid = '/', '', ${row}group_uid) || '/' || substr(replace(${row}id, '-', ''), -16)`;

export const triggers = () =>
  trigger(
    outbox,
    "move",
    { on: "AFTER INSERT" },
    `INSERT INTO events (uid, ${sameColumns}, pool, lane)
		SELECT ${uidOf("")}, ${sameColumns}, subject, subject FROM outbox WHERE id = NEW.id;`,
    "DELETE FROM outbox WHERE id = NEW.id;",
  );
