/** Runs in front of the Worker under test and records the statements that it sends to D1. */
import type { D1Database, D1DatabaseSession, ExecutionContext } from "@cloudflare/workers-types";
import { databaseThrough, type Send } from "../../src/rpc/d1_through.ts";
import type { Recording, SentStatement } from "./recorder.ts";

type Env = { DB: D1Database };
type Fetch = (request: Request, env: Env, context: ExecutionContext) => Promise<Response>;

/** The round trips so far, each with the statements of one call to D1. */
type Trips = SentStatement[][];

/** Runs statements on the database, or on a session of it, and records them as a round trip. */
const recordedBy =
  (inner: D1Database | D1DatabaseSession, trips: Trips): Send =>
  async (queries) => {
    const trip: SentStatement[] = queries.map(({ sql, params }) => ({ sql, params }));
    trips.push(trip);
    const results = await inner.batch(
      trip.map(({ sql, params }) => inner.prepare(sql).bind(...params)),
    );
    for (const [at, { meta }] of results.entries()) {
      Object.assign(trip[at] ?? {}, { rowsRead: meta.rows_read, rowsWritten: meta.rows_written });
    }
    return results;
  };

function recordedDatabase(inner: D1Database, trips: Trips): D1Database {
  const withSession = (start?: string) => {
    const session = inner.withSession(start);
    const recorded = databaseThrough(recordedBy(session, trips));
    return Object.assign(recorded, { getBookmark: () => session.getBookmark() });
  };
  return Object.assign(databaseThrough(recordedBy(inner, trips)), { withSession });
}

/** The fetch function of the Worker. It returns a {@link Recording} if the request asks for one. */
export function withRecording<Worker extends { fetch: Fetch }>(worker: Worker): Worker {
  const fetch: Fetch = async (request, env, context) => {
    const asked = request.headers.get("x-record");
    if (asked === null) return worker.fetch(request, env, context);
    // A response to HEAD could not contain a recording, so the request itself is a GET.
    const recorded = asked === "HEAD" ? new Request(request, { method: "HEAD" }) : request;
    const trips: Trips = [];
    const DB = recordedDatabase(env.DB, trips);
    const later: Promise<unknown>[] = [];
    const waitUntil = (promise: Promise<unknown>) => void later.push(promise);
    const response = await worker.fetch(recorded, { ...env, DB }, {
      waitUntil,
    } as ExecutionContext);
    const body = await response.text();
    await Promise.allSettled(later);
    const recording: Recording = { status: response.status, body, statements: trips };
    return Response.json(recording);
  };
  return { ...worker, fetch };
}
