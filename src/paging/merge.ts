/**
 * Without this file, a page over many groups would cost as many rows as a page of each. SQLite merges the parts of one
 * statement, and the Worker those of several statements.
 */
import { getTableColumns, getTableName, type SQL, Subquery, sql } from "drizzle-orm";
import { invalidArgument } from "../aip/errors.ts";
import type { Database } from "../auth/call.ts";
import type { Listing, ListQuery, ResourceTable, Sorting } from "./listing.ts";
import { sortKey, stepOf } from "./order.ts";

/** D1 allows five terms in a compound select. */
const maxTerms = 5;

/**
 * The rows of a table that meet one of the conditions, for a FROM clause. No row meets two. SQLite makes one compound
 * select of the nested ones, if the select around them has no aggregate and sorts by columns of its result. It then
 * merges the walks row by row, so a page costs its rows and one row of each part.
 */
export function unionOf(table: ResourceTable, conditions: SQL[]): SQL {
  // D1 allows 100 parameters. The conditions consist of uids and classes, which are written into the text.
  const selects = conditions.map(
    (condition) => sql`select * from ${table} where ${condition.inlineParams()}`,
  );
  return sql`(${compound(selects)}) as ${table}`;
}

function compound(selects: SQL[]): SQL {
  const size = Math.ceil(selects.length / maxTerms);
  const terms = Array.from({ length: Math.ceil(selects.length / size) }, (_, index) =>
    selects.slice(index * size, (index + 1) * size),
  ).map(([first = sql``, ...rest]) =>
    rest.length === 0 ? first : sql`select * from (${compound([first, ...rest])})`,
  );
  return sql.join(terms, sql` union all `);
}

/** How the rows of a page are sorted: by a value with its collation, and rows with the same value by `tie`. */
export interface MergeOrder {
  value: SQL;
  tie: SQL | undefined;
  direction: SQL;
}

/** The rows of a page as a table, which a select can read in place of the table itself, in the same order. */
export function pageFrom(
  table: ResourceTable,
  conditions: SQL[],
  where: SQL | undefined,
  { value, tie, direction }: MergeOrder,
  { limit, offset }: { limit: number; offset: number },
): { from: ResourceTable; sorted: SQL } {
  // SQLite computes only those that the select around this one reads.
  const columns = Object.values(getTableColumns(table));
  const sorted = sql`"list_key" ${direction}${tie && sql`, "list_tie" ${direction}`}`;
  const page = sql`(select ${sql.join(columns, sql`, `)}, ${value} as "list_key", ${tie ?? sql`null`} as "list_tie"
    from ${unionOf(table, conditions)}${where ? sql` where ${where}` : sql``}
    order by ${sorted} limit ${limit} offset ${offset})`;
  // A cast, because drizzle selects from a subquery as from a table.
  const from = new Subquery(
    page,
    getTableColumns(table),
    getTableName(table),
  ) as unknown as ResourceTable;
  return { from, sorted };
}

/** Selects from merged rows. Throws for a listing that would select from the whole table instead. */
export function selectFrom<Row>(db: Database, listing: Listing<Row>, from: ResourceTable) {
  const select = listing.select(db, from);
  // A cast, because the types of drizzle do not show the table of a select.
  const { config } = select._ as unknown as { config: { table: unknown } };
  if (config.table !== from) {
    throw new Error(`the List of ${getTableName(listing.table)} reads other rows`);
  }
  return select.$dynamic();
}

/** The most rows that a page of several statements can skip. The Worker merges them, so skipped rows are read. */
export const maxMergedSkip = 10_000;

/**
 * Merges the rows of the statements into one page. `more` says whether more rows follow. If a statement has not looked
 * at all rows, the page ends where the first of them ended, and `end` is that place. Throws INVALID_ARGUMENT for `skip`
 * if it reaches further into the merged rows than were read.
 */
export function mergeRows<Row extends { uid: string }>(
  sorting: Sorting<Row>,
  query: ListQuery,
  { rows: scopes, ends = [] }: { rows: Row[][]; ends?: (Row | undefined)[] },
): { rows: Row[]; more: boolean; end: Row | undefined } {
  const [only] = scopes;
  if (only && scopes.length === 1) {
    refuseUnreachedSkip(query, only, ends[0]);
    const more = only.length > query.pageSize;
    return { rows: only.slice(0, query.pageSize), more, end: ends[0] };
  }
  const most = maxMergedSkip + query.pageSize;
  if (query.skip > maxMergedSkip && scopes.some((rows) => rows.length > most)) {
    const text =
      `skip must be at most ${maxMergedSkip} in a list over several groups; you sent ${query.skip}; ` +
      "limit the list to one group with uidp, or use page_token";
    throw invalidArgument("skip", text);
  }
  const order = compareRows(sorting, query);
  const [end] = ends.filter((row) => row !== undefined).sort(order);
  const all = scopes
    .flat()
    .filter((row) => end === undefined || order(row, end) <= 0)
    .sort(order);
  const stop = query.skip + query.pageSize;
  const rows = all.slice(query.skip, stop);
  refuseUnreachedSkip(query, rows, end);
  return { rows, more: all.length > stop, end };
}

/** Compares rows as the query sorts them. */
export function compareRows<Row extends { uid: string }>(sorting: Sorting<Row>, query: ListQuery) {
  const sign = query.order.descending ? -1 : 1;
  const key = (row: Row) => sortKey(sorting, query, row);
  const tie = ({ uid }: Row) => (sorting.keys ? stepOf(uid) : uid);
  return (a: Row, b: Row): number => sign * (compare(key(a), key(b)) || compare(tie(a), tie(b)));
}

/** Throws INVALID_ARGUMENT if a page has not looked at enough rows to skip those that match. */
function refuseUnreachedSkip({ skip }: ListQuery, rows: unknown[], end: unknown): void {
  if (skip === 0 || rows.length > 0 || end === undefined) return;
  const text = `skip cannot reach so far with these filters; you sent ${skip}; use page_token instead`;
  throw invalidArgument("skip", text);
}

const compare = (a: string | number, b: string | number) => (a === b ? 0 : a < b ? -1 : 1);
