/**
 * The Worker of the quick tests: the platform in a Durable Object, whose own SQLite is its D1. The local D1 is the same
 * SQLite in an object of another Worker, and each round trip to it goes through that Worker.
 */
import type {
  D1Database,
  D1Meta,
  D1Result,
  DurableObjectState,
  DurableObjectStorage,
  ExecutionContext,
} from "@cloudflare/workers-types";
import { databaseThrough, type Query } from "../../src/rpc/d1_through.ts";
import { runWork, type Work } from "./sql.ts";

interface Env {
  DB: D1Database;
  OBJECT: { getByName(name: string): { fetch: typeof fetch } };
}
interface Platform {
  fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response>;
}

/** SQLite binds no booleans, and D1 reads them as numbers. */
const bound = (value: unknown) => (typeof value === "boolean" ? Number(value) : value);

/** D1 returns bytes as an array of numbers. */
const read = (row: Record<string, unknown>) => {
  for (const [column, value] of Object.entries(row))
    if (value instanceof ArrayBuffer) row[column] = [...new Uint8Array(value)];
  return row;
};

/** Runs a statement on the database of a Durable Object, with the result that D1 has. */
export function runIn({ sql }: DurableObjectStorage, { sql: text, params }: Query): D1Result {
  const cursor = sql.exec(text, ...(params.map(bound) as string[]));
  const results = cursor.toArray().map(read);
  const { rowsRead: rows_read, rowsWritten: rows_written } = cursor;
  const changes = rows_written > 0 ? sql.exec("select changes() as n").one().n : 0;
  // The platform reads no other member.
  const meta = { changes, rows_read, rows_written, size_after: sql.databaseSize };
  return { success: true, results, meta: meta as D1Meta & Record<string, unknown> };
}

/** The object around a platform. A request to the host `sql` runs statements of a test. */
export const objectOf = (platform: Platform) =>
  class {
    readonly #context: ExecutionContext;
    /** The same for every call, because the platform caches its configuration by it. */
    readonly #env: Env;

    constructor(state: DurableObjectState, env: Env) {
      const { storage } = state;
      this.#context = state as unknown as ExecutionContext;
      const DB = databaseThrough(async (queries) => {
        try {
          return storage.transactionSync(() => queries.map((query) => runIn(storage, query)));
        } catch (error) {
          throw new Error(`D1_ERROR: ${(error as Error).message}`);
        }
      });
      this.#env = { ...env, DB };
    }

    async fetch(request: Request): Promise<Response> {
      if (new URL(request.url).hostname !== "sql")
        return platform.fetch(request, this.#env, this.#context);
      return runWork((await request.json()) as Work, this.#env.DB);
    }
  };

/** Passes every request to the only object. */
export const door = {
  fetch: (request: Request, { OBJECT }: Env) => OBJECT.getByName("one").fetch(request),
};
