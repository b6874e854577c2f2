import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "../auth/call.ts";

/** The number of expired rows that are deleted with each new one, so that a table does not grow without end. */
const maxSwept = 50;

/** The statement that deletes expired rows of a table with `expire_time`. `also` is a further condition. */
export const deleteExpired = (
  db: Database,
  table: SQLiteTable,
  key: SQLiteColumn,
  now: number,
  also?: SQL,
) =>
  db.delete(table).where(
    sql`${key} in (select ${sql.identifier(key.name)} from ${table}
      where expire_time <= ${now}${also && sql` and ${also}`} order by expire_time limit ${maxSwept})`,
  );
