/**
 * Reads the rows of a list of uids that a statement makes itself. SQLite counts each step through a list as a row, but
 * not those through constants, so the list is read by the numbers of its places.
 */
import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";

/** The digits of a number below {@link maxFewKeys} in base 16. */
const digits = sql.raw(`(values ${Array.from({ length: 16 }, (_, at) => `(${at})`).join(", ")})`);

/** The most keys of {@link rowsOfFewKeys}. */
export const maxFewKeys = 256;

/** SQL, for `from`: the rows with one of the first 256 uids in the JSON list `keys`. Each costs one row. */
export const rowsOfFewKeys = (table: SQLiteTable, uid: SQLiteColumn, keys: SQL): SQL =>
  sql`${digits} as "high" cross join ${digits} as "low" cross join ${table}
    on ${uid} = ${keys} ->> (16 * "high"."column1" + "low"."column1")`;

/** SQL, for `from`: the rows with one of the uids in the JSON list `keys`. Each costs two rows. */
export const rowsOfKeys = (table: SQLiteTable, uid: SQLiteColumn, keys: SQL): SQL =>
  sql`json_each(${keys}) as "key" cross join ${table} on ${uid} = "key"."value"`;
