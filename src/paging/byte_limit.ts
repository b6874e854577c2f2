/** Without this file, a list of version 1 would take several round trips, or more memory than a Worker has (128 MB). */
import { sql } from "drizzle-orm";
import type { AnySQLiteSelect, SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Database } from "../auth/call.ts";
import type { RowQuery, RowSelect } from "./listing.ts";

/** The most stored bytes in one response. */
export const maxUnpagedBytes = 16 * 1024 * 1024;

/** A column that {@link limitBytes} adds to a row: the bytes of this row and of all earlier rows. */
export interface Measured {
  bytesSoFar: number;
}

/**
 * Returns the rows of a select in its order until their bytes exceed `maxBytes`. The row that exceeds them is the last
 * one. `weights` says how many bytes a stored byte counts, if that is more than one.
 */
export function limitBytes<Row>(
  db: Database,
  rows: RowSelect<Row>,
  maxBytes: number,
  weights: Partial<Record<string, number>> = {},
): RowQuery<Row & Measured> {
  const subquery = rows.as("found");
  const names = Object.keys(subquery._.selectedFields);
  // A proxy that returns each column under its name in the outer select. The same applies to `shown`.
  const columns: Record<string, SQLiteColumn> = subquery;
  const size = sql.join(
    names.map(
      (name) => sql`coalesce(octet_length(${columns[name]}), 0) * ${inline(weights[name] ?? 1)}`,
    ),
    sql` + `,
  );
  const selected: AnySQLiteSelect = db
    .select({
      ...Object.fromEntries(names.map((name) => [name, columns[name]])),
      bytes: size.as("bytes"),
      bytesSoFar: sql<number>`sum(${size}) over (rows unbounded preceding)`.as("bytes_so_far"),
    })
    .from(subquery)
    .$dynamic();
  const measured = selected.as("measured");
  const shown: Record<string, SQLiteColumn> = measured;
  const limited: AnySQLiteSelect = db
    .select(
      Object.fromEntries(
        [...names, "bytesSoFar"].flatMap((name) => (shown[name] ? [[name, shown[name]]] : [])),
      ),
    )
    .from(measured)
    .where(sql`${shown.bytesSoFar} - ${shown.bytes} <= ${inline(maxBytes)}`)
    .$dynamic();
  return limited;
}

/** D1 allows 100 parameters. */
const inline = (value: number) => sql.raw(String(value));
