import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/**
 * When the schedule of the events Worker last wrote here. A replica with this time has everything that was
 * written before it. The table has at most one row.
 */
export const heartbeats = sqliteTable("heartbeats", {
  id: integer("id").primaryKey(),
  /** In milliseconds since 1970 in UTC. */
  time: integer("time").notNull(),
});
