/**
 * Reads the rows of a list of uids that a statement makes itself. SQLite counts each step through a list as a row, but
 * not those through constants, so the list is read by the numbers of its places.
 */
import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";

/** The digits of a number below {@link maxFewKeys} in base 16. */
const digits = sql.raw(`(values ${Array.from({ length: 16 }, (_, at) => `(${at})`).join(", ")})`);

/** The most keys that two digits count. */
const maxFewKeys = 256;

/**
 * SQL: an aggregate of the rows of a table whose `key` is in the JSON list `keys`. Each row costs one row, and two if the
 * list has more than 256 keys.
 */
export function aggregateOfKeys(
  aggregate: SQL,
  table: SQLiteTable,
  key: SQLiteColumn,
  keys: SQL,
): SQL {
  const few = sql`${digits} as "high" cross join ${digits} as "low" cross join ${table}
    on ${key} = ${keys} ->> (16 * "high"."column1" + "low"."column1")`;
  const many = sql`json_each(${keys}) as "listed" cross join ${table} on ${key} = "listed"."value"`;
  return sql`iif(json_array_length(${keys}) <= ${sql.raw(String(maxFewKeys))},
    (select ${aggregate} from ${few}), (select ${aggregate} from ${many}))`;
}
