/** A D1 that sends all its statements through one function, which can count, record or delay them. */
import type { D1Database, D1Result } from "@cloudflare/workers-types";

/** A statement, with `?` in place of its parameters. */
export interface Query {
  sql: string;
  params: unknown[];
  /** The tables that the statement writes. Absent for a statement that only reads. */
  writes?: string[];
}

/** Runs statements in one transaction. Returns a result for each. */
export type Send = (queries: Query[]) => Promise<D1Result[]>;

/**
 * A statement that runs as a batch of one. The result of a batch contains the metadata that D1's `raw` leaves
 * out.
 */
class Statement implements Query {
  readonly sql: string;
  readonly params: unknown[];
  readonly #send: Send;

  constructor(sql: string, params: unknown[], send: Send) {
    this.sql = sql;
    this.params = params;
    this.#send = send;
  }

  bind(...params: unknown[]) {
    return new Statement(this.sql, params, this.#send);
  }

  async all() {
    return (await this.#send([this]))[0];
  }

  run() {
    return this.all();
  }

  /** Rows as arrays. Columns with the same name become one, as in every batch. */
  async raw() {
    return (await this.#rows()).map((row) => Object.values(row));
  }

  async first(column?: string) {
    const [row] = await this.#rows();
    return row === undefined ? null : column === undefined ? row : row[column];
  }

  async #rows() {
    return ((await this.all())?.results ?? []) as Record<string, unknown>[];
  }
}

/** The queries with the values of those parameters that are promises. */
const settled = (queries: Query[]): Promise<Query[]> =>
  Promise.all(queries.map(async ({ sql, params }) => ({ sql, params: await Promise.all(params) })));

/**
 * A database, and any session of it, that passes all its statements to `send`. A parameter can be a promise of its
 * value, because compression is asynchronous and drizzle builds statements synchronously.
 */
export function databaseThrough(send: Send): D1Database {
  const sendSettled: Send = async (queries) => send(await settled(queries));
  const database = {
    prepare: (sql: string) => new Statement(sql, [], sendSettled),
    batch: sendSettled,
    withSession: () => database,
  };
  // These statements are not D1's own, so a D1Database could not run them in a batch.
  return database as unknown as D1Database;
}
