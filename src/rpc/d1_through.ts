/** A D1 all of whose statements go one way, for whoever counts, records or holds what is sent. */
import type { D1Database, D1Result } from "@cloudflare/workers-types";

/** A statement, with `?` where its parameters go. */
export interface Query {
  sql: string;
  params: unknown[];
}

/** Runs statements in one transaction. Answers a result for each. */
export type Send = (queries: Query[]) => Promise<D1Result[]>;

/** A statement that runs as a batch of one, whose answer carries the meta that D1's `raw` leaves out. */
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

  /** Rows as arrays. Columns of the same name are one, as in every batch. */
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

/** A database, and any session of it, that leaves all its statements to `send`. */
export function databaseThrough(send: Send): D1Database {
  const database = {
    prepare: (sql: string) => new Statement(sql, [], send),
    batch: send,
    withSession: () => database,
  };
  // Its statements are none of D1's, which a D1Database's batch would take.
  return database as unknown as D1Database;
}
