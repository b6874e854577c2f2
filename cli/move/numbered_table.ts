/** A table whose rows have numbers that only one database knows, and SQL for such tables. */
import { decoded, type Statement } from "./sql.ts";

/** How to move the rows of such a table. */
export interface NumberedTable {
  name: string;
  /** The columns of a row on its way, as SQL over `source`. The first ones, `key`, identify it. */
  columns: string[];
  key: number;
  /** The order of an index in which pages are read. By default that of the key. */
  order?: string[];
  /** The FROM clause and the condition for an organization, with the parameters of `params`. */
  source: string;
  params: (root: string) => unknown[];
  /** The FROM clause of the rows of some keys, with the JSON parameter. By default they are looked for in `source`. */
  keySource?: string;
  /** The statements that write the rows of the JSON parameter. */
  write: (rows: string) => Statement[];
  /** The statement that deletes rows by the JSON arrays of their keys. */
  remove: (keys: string) => Statement;
  /** The statement that deletes rows of an organization that was moved, at most `limit`. */
  purge: (root: string, limit: number) => Statement;
  /** SQL over NEW or OLD: the uid that says whose row it is, and the key as a JSON array. */
  path: (row: string) => string;
  keyOf: (row: string) => string;
  /** The events of its triggers. By default all three. */
  events?: string[];
  /** Tables whose rows travel with the rows of this table, and change without them. */
  parts?: TablePart[];
  pageSize?: number;
}

/** A table whose changes are noted as those of rows that it is a part of. */
export interface TablePart {
  name: string;
  /** SQL over NEW or OLD: a uid in the organization, and a SELECT of the `key` of each of those rows. */
  path: (row: string, root: string) => string;
  keysOf: (row: string, root: string) => string;
  events?: string[];
  /** True if an UPDATE can take the row away, so that only OLD says whose it is. */
  isLeaving?: boolean;
}

export const each = (rows: string): unknown[] => [rows];
export const value = (column: number) => decoded(column);
export const uidOfRepo = (id: string) => `(SELECT uid FROM repo_storage WHERE id = ${id})`;
export const repoId = (column: number) =>
  `(SELECT id FROM repo_storage WHERE uid = ${value(column)})`;
export const digestOf = (id: string) => `(SELECT hex(digest) FROM blobs WHERE id = ${id})`;
export const blobId = (column: number) =>
  `(SELECT id FROM blobs WHERE digest = unhex(${value(column)}))`;
export const ofRoot = (column: string) => `${column} >= ? AND ${column} < ?`;

/** The repositories of an organization, for rows that have their numbers. */
export const repos = "repo_storage AS repo";
