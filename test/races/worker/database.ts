/**
 * A D1 with a hook before one of a call's round trips. It runs statements like the local D1, in a transaction
 * of a Durable Object's SQLite, but in the same object that runs the calls. A round trip costs a twentieth.
 */
import type { D1Database, D1Meta, D1Result, DurableObjectStorage } from "@cloudflare/workers-types";
import { databaseThrough, type Query } from "../../../src/rpc/d1_through.ts";
import { current } from "./call.ts";

/** SQLite binds no booleans, and D1 reads them as numbers. */
const bound = (value: unknown) => (typeof value === "boolean" ? Number(value) : value);

function run({ sql }: DurableObjectStorage, { sql: text, params }: Query): D1Result {
  const cursor = sql.exec(text, ...(params.map(bound) as string[]));
  const results = cursor.toArray();
  const { rowsRead: rows_read, rowsWritten: rows_written } = cursor;
  // No one reads its other members, such as the duration.
  const meta = { changes: rows_written, rows_read, rows_written } as D1Meta &
    Record<string, unknown>;
  return { success: true, results, meta };
}

const none = { success: true, results: [], meta: {} } as unknown as D1Result;

/** Whether this begins the matching after a response (src/matching/run.ts). */
const beginsMatching = ([first, ...others]: Query[]) =>
  others.length === 0 && /^select [^(]* from "match_marks" /.test(first?.sql ?? "");

/** The database, with every session of it. The schedule does all matching, so that a call has only its own round trips. */
export function gatedDatabase(storage: DurableObjectStorage): D1Database {
  return databaseThrough(async (queries) => {
    if (beginsMatching(queries)) return [none];
    const call = current.getStore();
    const plain = queries.map(({ sql, params }) => ({ sql, params }));
    await call?.trips.begin(plain, call.stream);
    const results = storage.transactionSync(() => plain.map((query) => run(storage, query)));
    if (results.some(({ meta }) => meta.rows_written > 0)) call?.trips.wrote();
    return results;
  });
}
