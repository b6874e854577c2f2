/** Rows of unbounded text in answers without pages: as many as fit into a Worker's memory. */
import { sql } from "drizzle-orm";
import type { AnySQLiteSelect, SQLiteColumn } from "drizzle-orm/sqlite-core";
import { resourceExhausted } from "../aip/errors.ts";
import type { Database } from "../auth/call.ts";
import type { LongColumn, LongColumns, RowQuery, RowSelect } from "./listing.ts";

/** Most bytes of long values in one answer. */
export const maxUnpagedBytes = 16 * 1024 * 1024;

const decoderOf = (one: LongColumn) => {
  if ("read" in one) return { mapFromDriverValue: (stored: string) => one.read(stored) };
  return "times" in one ? one.column : one;
};

/** What {@link limitBytes} adds to a row: the bytes of the long values of it and of those before it. */
export interface Measured {
  bytesSoFar: number;
}

/**
 * The rows of a select, in its order, with their long values as long as those are together at most
 * `maxBytes`, and with nulls from there on. Every row costs what it does in the select: they are
 * summed up as they come.
 */
export function limitBytes<Row>(
  db: Database,
  rows: RowSelect<Row>,
  longColumns: LongColumns<NoInfer<Row>>,
  maxBytes: number,
): RowQuery<Row & Measured> {
  // A proxy, which answers each column as the outer select names it.
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
 * Whether the rows of several selects, each of which kept at most `maxBytes`, are all as they are
 * stored. Throws RESOURCE_EXHAUSTED where together they have more bytes than an answer may.
 */
export function fitsLimit(selects: Partial<Measured>[][], maxBytes: number): boolean {
  const sizes = selects.map((rows) => rows.at(-1)?.bytesSoFar ?? 0);
  if (sizes.reduce((sum, size) => sum + size, 0) > maxUnpagedBytes) {
    throw resourceExhausted(
      "the rows that match have more than 16 MiB; name a narrower scope, or use version 2, which pages",
    );
  }
  return sizes.every((size) => size <= maxBytes);
}
