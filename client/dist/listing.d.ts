/** Lists that come in pages. */
import type { Answer } from "./answer.ts";
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
/** A list whose pages are asked for like that; `rows` is the member that holds them. */
export declare function listing<Row>(ask: (request: JsonObject) => Promise<Answer>, request: JsonObject, rows: string): Listing<Row>;
