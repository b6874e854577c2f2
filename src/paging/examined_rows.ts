/**
 * Without this file, a page with a filter that no index has would scan its scope. It looks at a limited number of rows
 * in their order. It can have fewer rows than asked for, or none, and still have a next page (AIP-158).
 */
import { and, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteSelect, SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Database } from "../auth/call.ts";
import type { Listing, ListQuery, ResourceTable, RowQuery, RowSelect } from "./listing.ts";
import { selectFrom } from "./merge.ts";

/** The most rows that a page looks at. Scopes with at most so many rows are counted too. */
export const maxExamined = 20_000;

/**
 * The column that {@link selectExamined} adds to a row. It can differ from 0 only for the last row. More rows may then
 * follow after its place. 1 is a row that is not a result, and 2 is one that is.
 */
export interface Examined {
  isEnd: number;
}

/**
 * The rows that match among those that a page looks at, in their order. A page can end before it is full and before it
 * has looked at all rows. One more row then has only the place of the last row that it has looked at.
 */
export function selectExamined<Row>(
  db: Database,
  listing: Listing<Row>,
  { order, filters }: ListQuery,
  examined: ResourceTable,
  { limit, offset }: { limit: number; offset: number },
): RowQuery<Row & Examined> {
  const subquery = selectFrom(db, listing, examined)
    .where(and(...filters))
    .limit(limit)
    .offset(offset)
    .as("found");
  // A proxy that returns each column under its name in the outer select.
  const columns: Record<string, SQLiteColumn> = subquery;
  const names = Object.keys(subquery._.selectedFields);
  const key: string = listing.orders[order.field] ?? "uid";
  const ends: Record<string, SQL> = { [key]: sql`"list_key"`, uid: sql`"uid"` };
  const fieldsOf = (values: (name: string) => SQL | SQLiteColumn | undefined, isEnd: SQL) => ({
    ...Object.fromEntries(names.map((name) => [name, values(name) ?? sql`null`])),
    isEnd: isEnd.as("is_end"),
  });
  const last = sql`(select "list_key", "uid" from ${examined} limit 1 offset ${maxExamined - 1})`;
  const rows: AnySQLiteSelect = db
    .select(fieldsOf((name) => columns[name], sql`0`))
    .from(subquery)
    .$dynamic();
  const end: AnySQLiteSelect = db.select(fieldsOf((name) => ends[name], sql`1`)).from(last);
  // SQLite runs the second part only if the first one has not reached the limit. It looks at each row once.
  // A cast, because the columns of a select of any columns have no types.
  return rows.unionAll(end).limit(limit) as unknown as RowSelect<Row & Examined>;
}

/** Splits the rows of a statement into its results and the place where it ended, if more may follow. */
export function splitEnd<Row>(rows: (Row & Partial<Examined>)[]): { rows: Row[]; end?: Row } {
  const last = rows.at(-1);
  if (!last?.isEnd) return { rows };
  return { rows: last.isEnd === 1 ? rows.slice(0, -1) : rows, end: last };
}
