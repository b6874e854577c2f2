/**
 * A D1 with a hook before one of a call's round trips. It runs statements like the local D1, in a transaction
 * of a Durable Object's SQLite, but in the same object that runs the calls. A round trip costs a twentieth.
 */
import type { D1Database, D1Result, DurableObjectStorage } from "@cloudflare/workers-types";
import { databaseThrough, type Query } from "../../../src/rpc/d1_through.ts";
import { runIn } from "../../world/object.ts";
import { current } from "./call.ts";

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
    const results = storage.transactionSync(() => plain.map((query) => runIn(storage, query)));
    if (results.some(({ meta }) => meta.rows_written > 0)) call?.trips.wrote();
    return results;
  });
}
