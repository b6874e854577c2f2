/** Lists that come in pages. */

import type { ClientResponse } from "./answer.ts";
import { PageTokenExpired } from "./errors.ts";
import type { JsonObject } from "./operation.ts";

/** One page of rows. */
export interface Page<Row> {
  rows: Row[];
  /** Undefined on the last page. */
  nextPageToken?: string;
  /** All that match, on all pages together; undefined where the list does not count. */
  totalCount?: number;
  /** Rows that were skipped, on this page and those before. */
  skipped: number;
}

/**
 * The rows of a list. Nothing is asked until it is read, and every reading asks anew. While it is
 * read, a page token that has become too old ends it with PageTokenExpired.
 */
export interface Listing<Row> extends AsyncIterable<Row> {
  /** The pages, each asked for when it is wanted. */
  pages(): AsyncIterable<Page<Row>>;
  /** The first page, or that of the request's `pageToken`. */
  page(): Promise<Page<Row>>;
  /** All rows, or the first so many. */
  all(limit?: number): Promise<Row[]>;
}

/** Said with every request: some lists answer one that names no page with all rows, or not at all. */
const defaultPageSize = 50;

/** A list whose pages are asked for like that; `rows` is the member that holds them. */
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
      const found = await page(asked);
      yield found;
      if (!found.nextPageToken) return;
      // What was skipped is behind the token.
      const { skip: _, ...others } = asked;
      asked = { ...others, pageToken: found.nextPageToken };
    }
  }
  async function* every() {
    for await (const found of pages()) yield* found.rows;
  }
  return {
    [Symbol.asyncIterator]: every,
    pages,
    page: () => page(request),
    async all(limit = Number.POSITIVE_INFINITY) {
      const found: Row[] = [];
      if (limit <= 0) return found;
      for await (const row of every()) if (found.push(row) >= limit) break;
      return found;
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
