/** Lists that are returned in pages. */

import type { ClientResponse } from "./answer.ts";
import { PageTokenExpired } from "./errors.ts";
import type { JsonObject } from "./operation.ts";

/** One page of rows. */
export interface Page<Row> {
  rows: Row[];
  /** Undefined on the last page. */
  nextPageToken?: string;
  /** The number of matching rows on all pages. Undefined if the list does not count. */
  totalCount?: number;
  /** The number of rows that were skipped, on this page and the previous pages. */
  skipped: number;
}

/**
 * The rows of a list. It sends no request until you read it, and each time that you read it, it requests the rows
 * again. If a page token expires while you read, it throws PageTokenExpired.
 */
export interface Listing<Row> extends AsyncIterable<Row> {
  /** Returns the pages. Each page is requested when you reach it. */
  pages(): AsyncIterable<Page<Row>>;
  /** Returns the first page, or the page of the request's `pageToken`. */
  page(): Promise<Page<Row>>;
  /** Returns all rows, or the first `limit` rows. */
  all(limit?: number): Promise<Row[]>;
}

/** Sent with every request. Without a page size, some lists return all rows or an error. */
const defaultPageSize = 50;

/** Creates a list whose pages `sendRequest` gets. `rows` is the member that contains the rows. */
export function newListing<Row>(
  sendRequest: (request: JsonObject) => Promise<ClientResponse>,
  request: JsonObject,
  rows: string,
): Listing<Row> {
  const page = async (asked: JsonObject): Promise<Page<Row>> => {
    const { json, headers } = await sendRequest({
      ...asked,
      pageSize: asked.pageSize || defaultPageSize,
    });
    if (asked.pageToken && headers.get("page-token-expired") === "true") {
      throw new PageTokenExpired();
    }
    return toPage(json, rows);
  };
  async function* pages() {
    let asked = request;
    for (;;) {
      const currentPage = await page(asked);
      yield currentPage;
      if (!currentPage.nextPageToken) return;
      // The page token already accounts for the skipped rows.
      const { skip: _, ...others } = asked;
      asked = { ...others, pageToken: currentPage.nextPageToken };
    }
  }
  async function* every() {
    for await (const currentPage of pages()) yield* currentPage.rows;
  }
  return {
    [Symbol.asyncIterator]: every,
    pages,
    page: () => page(request),
    async all(limit = Number.POSITIVE_INFINITY) {
      const rows: Row[] = [];
      if (limit <= 0) return rows;
      for await (const row of every()) if (rows.push(row) >= limit) break;
      return rows;
    },
  };
}

function toPage<Row>(json: JsonObject, rows: string): Page<Row> {
  const { nextPageToken, totalCount, skipped } = json;
  return {
    rows: (json[rows] ?? []) as Row[],
    ...(nextPageToken ? { nextPageToken: String(nextPageToken) } : {}),
    ...(totalCount === undefined ? {} : { totalCount: Number(totalCount) }),
    skipped: Number(skipped ?? 0),
  };
}
