/** One page: from the fields of the request to a query, and from the rows to the response. */
import type { Message } from "@bufbuild/protobuf";
import type { SQL } from "drizzle-orm";
import { resourceExhausted } from "../aip/errors.ts";
import type { Call } from "../auth/call.ts";
import { maxUnpagedBytes } from "./byte_limit.ts";
import type { Sorting } from "./listing.ts";
import { mergeRows, sortKey } from "./merge.ts";
import { readOrder } from "./order.ts";
import { digestOf, expiredTokenHeader, openPageToken, signPageToken } from "./page_token.ts";
import type { IndexStrategy, ListQuery } from "./query.ts";

/** The fields by which every List request pages. */
export type PagedRequest = Message & {
  pageSize: number;
  pageToken: string;
  orderBy: string;
  skip: number;
};

/** What one List adds to its listing. */
export interface ListOptions {
  filters?: (SQL | undefined)[];
  /** The index by which the filters are best answered; by default that of the order. */
  index?: IndexStrategy;
  /** Values of the listing's `classColumn` that are shown. */
  classes?: number[];
  /** Whoever holds the capability anywhere sees the rows at root level. */
  isRootShared?: boolean;
  /** Most rows of an answer without pages; by default {@link maxUnpagedRows}. */
  maxRows?: number;
  /** What to do where there are more; by default to name a narrower scope. */
  advice?: string;
  /** Whether to count how many rows match, which is the default. Otherwise the total is 0. */
  isCounted?: boolean;
}

/** One page: the rows and the rest of the response's envelope. */
export interface Page<Row> {
  rows: Row[];
  envelope: { nextPageToken: string; totalCount: bigint; skipped: number };
}

/** The rows of each scope, and how many match in all of them together. */
export interface FoundRows<Row> {
  rows: Row[][];
  total: number;
}

const defaultPageSize = 50;

/** Most rows of an answer without pages: they have to fit into a Worker's memory. */
export const maxUnpagedRows = 20_000;

/**
 * The call as one whose answer has all rows, unless the request names a page: of a List whose requests have no
 * pages in the contract. Clients that know no pages would take the first one for everything.
 */
export const unpagedByDefault = (call: Call, { pageSize, pageToken, skip }: PagedRequest): Call =>
  pageSize === 0 && pageToken === "" && skip === 0 ? { ...call, unpaged: true } : call;

/** What else to do about more rows than one answer has; requests of version 1 have no pages. */
export const pagingAdvice = ({ origin }: Call): string =>
  origin ? "use version 2, which pages" : "set page_size, to read page by page";

/**
 * Pages, order and total of rows that `readRows` reads by the query: of each scope, those from the
 * cursor and the skip on, one more than the page; and how many match, which counts without a cursor.
 * Throws INVALID_ARGUMENT for order_by and page_token; RESOURCE_EXHAUSTED for an answer without pages
 * that would have too many rows.
 */
export async function paginate<Row extends { uid: string }>(
  call: Call,
  request: PagedRequest,
  sorting: Sorting<Row>,
  options: ListOptions,
  readRows: (query: ListQuery) => Promise<FoundRows<Row>>,
): Promise<Page<Row>> {
  const order = readOrder(request.orderBy, sorting);
  const digest = await digestOf(call, request, `${order.field} ${order.descending}`);
  const cursor = await openCursor(call, request.pageToken, digest);
  const { maxRows = maxUnpagedRows } = options;
  const query: ListQuery = {
    order,
    filters: (options.filters ?? []).filter((filter) => filter !== undefined),
    index: options.index ?? "order_index",
    classes: options.classes ?? [],
    pageSize: call.unpaged ? maxRows : request.pageSize || defaultPageSize,
    skip: request.skip,
    cursor,
    isCounted: !cursor && !call.unpaged && options.isCounted !== false,
    maxBytes: call.unpaged ? maxUnpagedBytes : undefined,
  };
  const found = await readRows(query);
  const { rows, more } = mergeRows(sorting, query, found.rows);
  if (call.unpaged && more) {
    throw resourceExhausted(
      `more than ${maxRows} rows match; ${options.advice ?? "name a narrower scope"}, or ${pagingAdvice(call)}`,
    );
  }
  const skipped = (cursor?.skipped ?? 0) + query.skip;
  const total = call.unpaged ? rows.length : (cursor?.total ?? found.total);
  const last = more ? rows.at(-1) : undefined;
  const { pageTokenKeys } = call.config;
  const next = (row: Row) =>
    signPageToken(
      { after: [sortKey(sorting, query, row), row.uid], skipped, total },
      digest,
      pageTokenKeys,
      call.now,
    );
  const nextPageToken = last ? await next(last) : "";
  return { rows, envelope: { nextPageToken, totalCount: BigInt(total), skipped } };
}

/** The cursor of a page token. Of one that has expired none, and the answer has a header that says so. */
async function openCursor(call: Call, token: string, digest: string) {
  if (token === "") return undefined;
  const cursor = await openPageToken(token, digest, call.config.pageTokenKeys, call.now);
  if (cursor !== "expired") return cursor;
  call.responseHeaders.set(expiredTokenHeader, "true");
  return undefined;
}
