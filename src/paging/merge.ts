/** Merges the rows of several scopes into one page. */
import { invalidArgument } from "../aip/errors.ts";
import type { Sorting } from "./listing.ts";
import { refuseUnreachedSkip } from "./looked_rows.ts";
import { foldCase } from "./name_prefix.ts";
import type { ListQuery } from "./query.ts";

/**
 * The most rows that a page of several scopes can skip. The Worker merges the rows, so skipped rows are read.
 */
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
  const sign = query.order.descending ? -1 : 1;
  const key = (row: Row) => sortKey(sorting, query, row);
  const tie = ({ uid }: Row) => (sorting.hasSteps ? stepOf(uid) : uid);
  const order = (a: Row, b: Row) => sign * (compare(key(a), key(b)) || compare(tie(a), tie(b)));
  const [end] = ends.filter((one) => one !== undefined).sort(order);
  const all = scopes
    .flat()
    .filter((row) => end === undefined || order(row, end) <= 0)
    .sort(order);
  const stop = query.skip + query.pageSize;
  const rows = all.slice(query.skip, stop);
  refuseUnreachedSkip(query, rows, end);
  return { rows, more: all.length > stop, end };
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
