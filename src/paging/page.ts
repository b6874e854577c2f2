/** Builds one page: a query from the fields of the request, and a response from the rows. */
import type { Message } from "@bufbuild/protobuf";
import type { SQL } from "drizzle-orm";
import { resourceExhausted } from "../aip/errors.ts";
import type { CallAnywhere } from "../auth/call.ts";
import type { Caller } from "../auth/grants.ts";
import { maxUnpagedBytes } from "./byte_limit.ts";
import type { IndexStrategy, ListQuery, Sorting } from "./listing.ts";
import { mergeRows } from "./merge.ts";
import { onlyByName, readOrder, sortKey } from "./order.ts";
import {
  digestOf,
  expiredTokenHeader,
  openPageToken,
  type PageCursor,
  signPageToken,
} from "./page_token.ts";

/** The paging fields of every List request. */
export type PagedRequest = Message & {
  pageSize: number;
  pageToken: string;
  orderBy: string;
  skip: number;
};

/** Options of one List in addition to its listing. */
export interface ListOptions {
  filters?: (SQL | undefined)[];
  /**
   * Only rows with this parent. Empty for any. The scopes are narrowed to it, so that its own index and total serve.
   */
  parent?: string;
  /** The best index for the filters. By default that of the order. */
  index?: IndexStrategy;
  /** See {@link ListQuery}. `none` counts nothing, and the page has no total. */
  total?: ListQuery["total"] | "none";
  /** The text that names begin with. Empty for any. Such a page is ordered by name, and has no total. */
  namePrefix?: string;
  /** The values of the listing's `classColumn` to show. */
  classes?: (number | string)[];
  /** The most scopes that a page merges. By default any number, because one statement reads many of them. */
  maxScopes?: number;
  /** If true, a caller who has the capability anywhere sees the rows at root level. */
  isRootShared?: boolean;
  /** The most rows in a response without pages. The default is {@link maxUnpagedRows}. */
  maxRows?: number;
  /** The advice in the error if there are more rows. By default, to name a narrower scope. */
  advice?: string;
}

/** One page: the rows and the other fields of the response. */
export interface Page<Row> {
  rows: Row[];
  /** The caller, unless {@link listScopes} or `listAt` read the rows. */
  caller: Caller | undefined;
  envelope: { nextPageToken: string; totalCount?: bigint; skipped: number };
}

/** The rows of each scope, and the number of matching rows in all scopes. */
export interface FoundRows<Row> {
  rows: Row[][];
  /** Null if they were not counted. */
  total: number | null;
  /** The last row that each statement has looked at, if that is not the last row of its scopes. */
  ends?: (Row | undefined)[];
  caller?: Caller;
}

/** The rows of a page if the request does not say. */
export const defaultPageSize = 50;

/** The most rows in a response without pages. They must fit into the memory of a Worker. */
export const maxUnpagedRows = 20_000;

/**
 * Returns the call with `unpaged` set, unless the request names a page. Use it for a List whose requests have
 * no pages in the contract. A client that does not know about pages would take the first page for the whole
 * list.
 */
export const unpagedByDefault = <Context extends CallAnywhere>(
  call: Context,
  { pageSize, pageToken, skip }: PagedRequest,
): Context =>
  pageSize === 0 && pageToken === "" && skip === 0 ? { ...call, unpaged: true } : call;

/** The advice for too many rows in one response. Requests of version 1 have no pages. */
export const pagingAdvice = ({ origin }: CallAnywhere): string =>
  origin ? "use version 2, which returns pages" : "set page_size to read page by page";

/**
 * Returns the page, order and total of the rows that `readRows` reads. `readRows` returns the rows of each
 * scope from the cursor and the skip on, one more than the page has. It also returns the number of matching
 * rows, without regard to the cursor. Throws INVALID_ARGUMENT for `order_by` and `page_token`. Throws
 * RESOURCE_EXHAUSTED if a response without pages would have too many rows.
 */
export async function paginate<Row extends { uid: string }>(
  call: CallAnywhere,
  request: PagedRequest,
  requested: Sorting<Row>,
  options: ListOptions,
  readRows: (query: ListQuery) => Promise<FoundRows<Row>>,
): Promise<Page<Row>> {
  const { maxRows = maxUnpagedRows, namePrefix = "" } = options;
  const sorting = namePrefix === "" ? requested : onlyByName(requested);
  const order = readOrder(request.orderBy, sorting);
  let known: Promise<string> | undefined;
  // A single page needs no digest.
  const digest = () => {
    known ??= digestOf(call, request, `${order.field} ${order.descending}`);
    return known;
  };
  const { pageToken } = request;
  const cursor = pageToken === "" ? undefined : await openCursor(call, pageToken, await digest());
  // Counting the names that begin with a text would read all of them.
  const isCounted = options.total !== "none" && namePrefix === "";
  const query: ListQuery = {
    ...matchingOf(call, options),
    order,
    namePrefix,
    pageSize: call.unpaged ? maxRows : request.pageSize || defaultPageSize,
    skip: request.skip,
    cursor,
    isCounted: isCounted && !cursor && !call.unpaged,
  };
  const answer = await readRows(query);
  const { rows, more, end } = mergeRows(sorting, query, answer);
  if (call.unpaged && more) {
    throw resourceExhausted(
      `more than ${maxRows} rows match; ${options.advice ?? "narrow the scope"}, or ${pagingAdvice(call)}`,
    );
  }
  const skipped = (cursor?.skipped ?? 0) + query.skip;
  const total = call.unpaged ? rows.length : cursor ? cursor.total : answer.total;
  const last = more ? rows.at(-1) : end;
  const after: PageCursor["after"] | undefined = last && [sortKey(sorting, query, last), last.uid];
  const nextPageToken = after
    ? await tokenAfter(call, await digest(), after, { skipped, total })
    : "";
  return {
    rows,
    caller: answer.caller,
    envelope: {
      nextPageToken,
      skipped,
      ...(isCounted && total !== null ? { totalCount: BigInt(total) } : {}),
    },
  };
}

/** The conditions of the rows, and the way to find them. A response without pages has all rows. */
const matchingOf = ({ unpaged = false }: CallAnywhere, options: ListOptions) => ({
  filters: (options.filters ?? []).filter((filter) => filter !== undefined),
  index: unpaged && options.index === "no_index" ? "order_index" : (options.index ?? "order_index"),
  total: options.total === "none" ? undefined : options.total,
  classes: options.classes ?? [],
  maxBytes: unpaged ? maxUnpagedBytes : undefined,
});

/**
 * Returns the token of the page that begins after a place in the list. Empty if there is no such place. A List that
 * counts nothing needs no counts.
 */
export async function tokenAfter(
  { config, now }: CallAnywhere,
  digest: string,
  after: PageCursor["after"] | undefined,
  counts: Omit<PageCursor, "after"> = { skipped: 0, total: 0 },
): Promise<string> {
  return after ? signPageToken({ after, ...counts }, digest, config.pageTokenKeys, now) : "";
}

/**
 * Returns the cursor of a page token. For an expired token it returns none, and the response has a header
 * that says so.
 */
export async function openCursor(call: CallAnywhere, token: string, digest: string) {
  if (token === "") return undefined;
  const cursor = await openPageToken(token, digest, call.config.pageTokenKeys, call.now);
  if (cursor !== "expired") return cursor;
  call.responseHeaders.set(expiredTokenHeader, "true");
  return undefined;
}
