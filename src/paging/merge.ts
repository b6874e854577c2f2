/** Merges the rows of several scopes into one page. */
import { invalidArgument } from "../aip/errors.ts";
import type { Sorting } from "./listing.ts";
import { foldCase } from "./name_prefix.ts";
import type { ListQuery } from "./query.ts";

/**
 * The most rows that a page of several scopes can skip. The Worker merges the rows, so skipped rows are read.
 */
export const maxMergedSkip = 10_000;

/**
 * Merges the rows of the scopes into one page. `more` says whether more rows follow. The page ends with the first row
 * that is the end of its scope (`isEnd`), because the next row of that scope is not known. Throws INVALID_ARGUMENT
 * for `skip` if it reaches further into the merged rows than were read from each scope.
 */
export function mergeRows<Row extends { uid: string }>(
  sorting: Sorting<Row>,
  query: ListQuery,
  scopes: Row[][],
  isEnd: (row: Row) => boolean = () => false,
): { rows: Row[]; more: boolean } {
  const [only] = scopes;
  if (only && scopes.length === 1) return pageOf(only, 0, query.pageSize, isEnd);
  const most = maxMergedSkip + query.pageSize;
  if (query.skip > maxMergedSkip && scopes.some((rows) => rows.length > most)) {
    const text =
      `skip must be at most ${maxMergedSkip} in a list over several groups; you sent ${query.skip}; ` +
      "limit the list to one group with uidp, or use page_token";
    throw invalidArgument("skip", text);
  }
  const sign = query.order.descending ? -1 : 1;
  const key = (row: Row) => sortKey(sorting, query, row);
  const tie = ({ uid }: Row) => (sorting.hasSteps ? stepOf(uid) : uid);
  // The end of a scope can be a row of another scope. It comes after that row, which the page then has.
  const ends = (a: Row, b: Row) => Number(isEnd(a)) - Number(isEnd(b));
  const all = scopes
    .flat()
    .sort((a, b) => sign * (compare(key(a), key(b)) || compare(tie(a), tie(b))) || ends(a, b));
  return pageOf(all, query.skip, query.pageSize, isEnd);
}

function pageOf<Row>(all: Row[], skip: number, size: number, isEnd: (row: Row) => boolean) {
  const last = all.findIndex(isEnd);
  const end = last < 0 ? skip + size : Math.min(skip + size, last + 1);
  if (last >= 0 && last < skip) {
    const text = `skip reaches further than this list reads at once; you sent ${skip}; use page_token instead`;
    throw invalidArgument("skip", text);
  }
  return { rows: all.slice(skip, end), more: all.length > end || last >= 0 };
}

/** The step of a uid as indexes have it: its last 16 digits, or the whole uid of a row at root level. */
export const stepOf = (uid: string): string => (uid.includes("/") ? uid.slice(-16) : uid);

/** The value that a query sorts a row by. */
export function sortKey<Row extends { uid: string }>(
  sorting: Sorting<Row>,
  { order }: ListQuery,
  row: Row,
): string | number {
  const property = sorting.orders[order.field];
  const value: unknown = property === undefined ? row.uid : row[property];
  if (typeof value === "number") return value;
  return order.ignoresCase ? foldCase(String(value)) : String(value);
}

const compare = (a: string | number, b: string | number) => (a === b ? 0 : a < b ? -1 : 1);
