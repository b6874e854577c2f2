/** Limits the bytes of long texts in responses without pages to what the memory of a Worker can hold. */
import { sql } from "drizzle-orm";
import type { AnySQLiteSelect, SQLiteColumn } from "drizzle-orm/sqlite-core";
import { resourceExhausted } from "../aip/errors.ts";
import type { Database } from "../auth/call.ts";
import type { LongColumn, LongColumns, RowQuery, RowSelect } from "./listing.ts";

/** The most bytes of long values in one response. */
export const maxUnpagedBytes = 16 * 1024 * 1024;

const decoderOf = (one: LongColumn) => {
  if ("read" in one) return { mapFromDriverValue: (stored: string) => one.read(stored) };
  return "times" in one ? one.column : one;
};

/**
 * The column that {@link limitBytes} adds to a row: the bytes of the long values in this row and in all
 * earlier rows.
 */
export interface Measured {
  bytesSoFar: number;
}

/**
 * Returns the rows of a select in its order. Long values are returned until their sum exceeds `maxBytes`.
 * Later rows have nulls instead. The sum is taken while the rows are read, so a row costs as much as in the
 * select alone.
 */
export function limitBytes<Row>(
  db: Database,
  rows: RowSelect<Row>,
  longColumns: LongColumns<NoInfer<Row>>,
  maxBytes: number,
): RowQuery<Row & Measured> {
  // A proxy that returns each column under its name in the outer select.
  const found = rows.as("found");
  const columns: Record<string, SQLiteColumn> = found;
  const long: [string, LongColumn][] = Object.entries(longColumns);
  const sizes = long.map(([name, one]) => {
    const size = sql`coalesce(octet_length(${columns[name]}), 0)`;
    return "times" in one ? sql`${size} * ${sql.raw(String(one.times))}` : size;
  });
  const soFar = sql`sum(${sql.join(sizes, sql` + `)}) over (rows unbounded preceding)`;
  const kept = long.map(([name, one]) => {
    const value = sql`iif(${soFar} <= ${sql.raw(String(maxBytes))}, ${columns[name]}, null)`;
    return [name, value.mapWith(decoderOf(one)).as(name)];
  });
  const all = Object.keys(found._.selectedFields).map((name) => [name, columns[name]]);
  const limited: AnySQLiteSelect = db
    .select({
      ...Object.fromEntries([...all, ...kept]),
      bytesSoFar: sql<number>`${soFar}`.as("bytes_so_far"),
    })
    .from(found)
    .$dynamic();
  return limited;
}

/**
 * Whether the rows of several selects still have all their long values. Each select kept at most `maxBytes`.
 * Throws RESOURCE_EXHAUSTED if all of them together exceed the limit of a response.
 */
export function fitsLimit(selects: Partial<Measured>[][], maxBytes: number): boolean {
  const sizes = selects.map((rows) => rows.at(-1)?.bytesSoFar ?? 0);
  if (sizes.reduce((sum, size) => sum + size, 0) > maxUnpagedBytes) {
    throw resourceExhausted(
      "the rows that match have more than 16 MiB; narrow the scope, or use version 2, which returns pages",
    );
  }
  return sizes.every((size) => size <= maxBytes);
}
