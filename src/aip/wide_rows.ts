/** Rows of unbounded text that are answered all at once: as many as fit into a Worker's memory. */
import { sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import type { SQLiteColumn, SQLiteSelect } from "drizzle-orm/sqlite-core";
import { resourceExhausted } from "./errors.ts";

/** Most bytes of wide values that one answer takes. */
export const greatestWidth = 16 * 1024 * 1024;

/** A column of long values, and how many bytes are told of one stored, where that is more. */
export type Wide = SQLiteColumn | { column: SQLiteColumn; times: number } | { read: Reader };

/** Makes a value of what is stored. */
type Reader = (stored: string) => unknown;

const decoderOf = (one: Wide) => {
  if ("read" in one) return { mapFromDriverValue: (stored: string) => one.read(stored) };
  return "times" in one ? one.column : one;
};

/** What {@link within} adds to a row: the bytes of the wide values of it and of those before it. */
interface Measured {
  widthSoFar: number;
}

/**
 * The rows of a select, in its order, with their wide values as long as those are together at most
 * `most` bytes, and with nulls from there on. Every row costs what it does in the select: they are
 * summed up as they come.
 */
export function within(
  db: DrizzleD1Database,
  rows: SQLiteSelect,
  wide: Record<string, Wide>,
  most: number,
): SQLiteSelect {
  const found = rows.as("found");
  // A proxy, which answers each column as the outer select names it.
  const columns = found as unknown as Record<string, SQLiteColumn>;
  const sizes = Object.entries(wide).map(([name, one]) => {
    const size = sql`coalesce(octet_length(${columns[name]}), 0)`;
    return "times" in one ? sql`${size} * ${sql.raw(String(one.times))}` : size;
  });
  const soFar = sql`sum(${sql.join(sizes, sql` + `)}) over (rows unbounded preceding)`;
  const kept = Object.entries(wide).map(([name, one]) => {
    const value = sql`iif(${soFar} <= ${sql.raw(String(most))}, ${columns[name]}, null)`;
    return [name, value.mapWith(decoderOf(one)).as(name)];
  });
  const { selectedFields } = found._ as unknown as { selectedFields: Record<string, unknown> };
  const all = Object.keys(selectedFields).map((name) => [name, columns[name]]);
  return db
    .select({
      ...Object.fromEntries([...all, ...kept]),
      widthSoFar: sql<number>`${soFar}`.as("width_so_far"),
    })
    .from(found)
    .$dynamic() as unknown as SQLiteSelect;
}

/**
 * Whether the rows of several selects, each of which kept at most `most` bytes, are all as they are
 * stored. Throws RESOURCE_EXHAUSTED where together they are wider than an answer may be.
 */
export function areWhole(selects: unknown[][], most: number): boolean {
  const widths = (selects as Measured[][]).map((rows) => rows.at(-1)?.widthSoFar ?? 0);
  if (widths.reduce((sum, width) => sum + width, 0) > greatestWidth) {
    throw resourceExhausted(
      "the rows that match have more than 16 MiB; name a narrower scope, or use version 2, which pages",
    );
  }
  return widths.every((width) => width <= most);
}
