/** A D1 with one replica that only moves when the test says so, or when a bookmark needs it. */
import type { D1Database, D1Result } from "@cloudflare/workers-types";
import { databaseThrough, type Query } from "../../../src/rpc/d1_through.ts";

/** A batch: where it ran, and the argument of `withSession` that began its session. */
export interface ServedBatch {
  at: "primary" | "replica";
  start: string;
  statements: number;
}

const isRead = ({ sql }: Query) => /^\s*(select|with)\b/i.test(sql);

/** D1's bookmarks are texts in the order of the states. */
const bookmarkOf = (state: number) => `${String(state).padStart(8, "0")}-lagging`;

/** The primary writes; the replica gets each write of the primary later, in the same order. */
export class LaggingDatabase {
  /** The batches so far. */
  readonly served: ServedBatch[] = [];
  /** The next batch at the replica throws this. */
  failure: Error | undefined;
  readonly #primary: D1Database;
  readonly #replica: D1Database;
  readonly #writes: Query[][] = [];
  #replicated = 0;

  constructor(primary: D1Database, replica: D1Database) {
    this.#primary = primary;
    this.#replica = replica;
  }

  /** The binding of the Worker. */
  get binding(): D1Database {
    const withSession = (start: string) => this.#newSession(start);
    const noSession = () => Promise.reject(new Error("a batch ran without a session"));
    return Object.assign(databaseThrough(noSession), { withSession }) as unknown as D1Database;
  }

  /** Brings the replica to the state of the primary. */
  async replicate(): Promise<void> {
    await this.#replicateTo(this.#writes.length);
  }

  async #replicateTo(state: number): Promise<void> {
    while (this.#replicated < state) {
      const queries = this.#writes[this.#replicated] ?? [];
      this.#replicated += 1;
      await send(this.#replica, queries);
    }
  }

  #newSession(start: string) {
    let seen: number | undefined;
    if (!start.startsWith("first-")) {
      seen = Number(/^(\d{8})-lagging$/.exec(start)?.[1] ?? Number.NaN);
      if (!(seen <= this.#writes.length)) throw new Error(`D1 has no bookmark ${start}`);
    }
    const batch = async (queries: Query[]): Promise<D1Result[]> => {
      const isNear = queries.every(isRead) && (seen !== undefined || start !== "first-primary");
      const at = isNear && start !== "first-primary" ? "replica" : "primary";
      this.served.push({ at, start, statements: queries.length });
      if (at === "primary") {
        const results = await send(this.#primary, queries);
        if (!queries.every(isRead)) this.#writes.push(queries);
        seen = this.#writes.length;
        return withPlace(results, true);
      }
      const { failure } = this;
      this.failure = undefined;
      if (failure) throw failure;
      await this.#replicateTo(seen ?? 0);
      seen = this.#replicated;
      return withPlace(await send(this.#replica, queries), false);
    };
    const getBookmark = () => (seen === undefined ? null : bookmarkOf(seen));
    return Object.assign(databaseThrough(batch), { getBookmark });
  }
}

const send = (database: D1Database, queries: Query[]): Promise<D1Result[]> =>
  database.batch(queries.map(({ sql, params }) => database.prepare(sql).bind(...params)));

const withPlace = (results: D1Result[], isPrimary: boolean): D1Result[] =>
  results.map((one) => ({ ...one, meta: { ...one.meta, served_by_primary: isPrimary } }));
