/** The databases of organizations, and the state of a move between them (docs/decisions/0010). */
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * The directory: the database of each organization. Only the first database uses the table. An organization without
 * a row is in the first database.
 */
export const organizationDatabases = sqliteTable(
  "organization_databases",
  {
    /** The uid of the organization. */
    uid: text("uid").primaryKey(),
    /** The name of the binding: `DB_2`. */
    database: text("database").notNull(),
    /** The name that a verified organization has reserved. Null if it is not verified. */
    verifiedName: text("verified_name"),
  },
  (t) => [
    uniqueIndex("organization_databases_verified")
      .on(t.verifiedName)
      .where(sql`"verified_name" is not null`),
  ],
);

/**
 * The organizations that move from this database or to it. A row of `departed` stays, because a Worker can remember
 * the old location.
 *
 * | state | rows in this database | reads | writes |
 * | --- | --- | --- | --- |
 * | `copying` | valid | yes | yes, and the move notes each change |
 * | `leaving` | valid | yes | refused |
 * | `departed` | old ones, which the move deletes | refused | refused |
 * | `arriving` | a copy that is not complete | refused | only by the move |
 */
export const organizationMoves = sqliteTable("organization_moves", {
  uid: text("uid").primaryKey(),
  state: text("state", { enum: ["copying", "leaving", "departed", "arriving"] }).notNull(),
  /** The name of the other database's binding. */
  database: text("database").notNull(),
  /** When the state began, in milliseconds since 1970 in UTC. */
  time: integer("time").notNull(),
  /** How far the move has come: JSON that only the move reads. */
  progress: text("progress").notNull().default("{}"),
});

/** The rows that changed while a move copied them. The triggers that write it exist only during a move. */
export const organizationChanges = sqliteTable(
  "organization_changes",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    /** The uid of the organization. */
    uid: text("uid").notNull(),
    /** The name of the table, and the key of the row as a JSON array. */
    table: text("table_name").notNull(),
    key: text("row_key").notNull(),
  },
  (t) => [index("organization_changes_of").on(t.uid, t.table, t.key)],
);
