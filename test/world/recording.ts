/** Runs in a Worker, before the one under test: records what that one sends to D1. */
import type {
  D1Database,
  D1DatabaseSession,
  D1PreparedStatement,
  D1Result,
  ExecutionContext,
} from "@cloudflare/workers-types";
import type { Recording, Statement } from "./recorder.ts";

type Env = { DB: D1Database };
type Fetch = (request: Request, env: Env, context: ExecutionContext) => Promise<Response>;

/** Round trips so far, each the statements of one call to D1. */
type Trips = Statement[][];

/** A prepared statement that remembers its text and its parameters. */
class RecordedStatement {
  readonly inner: D1PreparedStatement;
  readonly text: string;
  readonly params: unknown[];
  readonly #trips: Trips;

  constructor(inner: D1PreparedStatement, text: string, params: unknown[], trips: Trips) {
    this.inner = inner;
    this.text = text;
    this.params = params;
    this.#trips = trips;
  }

  bind(...params: unknown[]) {
    return new RecordedStatement(this.inner.bind(...params), this.text, params, this.#trips);
  }

  all = () => this.#send(() => this.inner.all());
  run = () => this.#send(() => this.inner.run());

  raw(options?: { columnNames?: false }) {
    this.#trips.push([{ sql: this.text, params: this.params }]);
    return this.inner.raw(options);
  }

  first(column?: string) {
    this.#trips.push([{ sql: this.text, params: this.params }]);
    return column === undefined ? this.inner.first() : this.inner.first(column);
  }

  async #send(ask: () => Promise<D1Result>) {
    const trip: Statement[] = [{ sql: this.text, params: this.params }];
    this.#trips.push(trip);
    const result = await ask();
    count(trip, [result]);
    return result;
  }
}

function count(trip: Statement[], results: D1Result[]): void {
  for (const [at, { meta }] of results.entries()) {
    Object.assign(trip[at] ?? {}, { rowsRead: meta.rows_read, rowsWritten: meta.rows_written });
  }
}

/** The database or a session of it, which share what a Worker asks of them. */
function recordedDatabase<Inner extends D1Database | D1DatabaseSession>(
  inner: Inner,
  trips: Trips,
) {
  const prepare = (text: string) => new RecordedStatement(inner.prepare(text), text, [], trips);
  const batch = async (statements: RecordedStatement[]) => {
    const trip: Statement[] = statements.map(({ text, params }) => ({ sql: text, params }));
    trips.push(trip);
    const results = await inner.batch(statements.map((statement) => statement.inner));
    count(trip, results);
    return results;
  };
  const withSession = (start?: string) => {
    if (!("withSession" in inner)) throw new TypeError("a session opens no session");
    return recordedDatabase(inner.withSession(start), trips);
  };
  const getBookmark = () => ("getBookmark" in inner ? inner.getBookmark() : null);
  return { prepare, batch, withSession, getBookmark };
}

/** The worker's fetch, which answers a {@link Recording} where the request asks for one. */
export function recorded<Worker extends { fetch: Fetch }>(worker: Worker): Worker {
  const fetch: Fetch = async (request, env, context) => {
    if (request.headers.get("x-record") !== "1") return worker.fetch(request, env, context);
    const trips: Trips = [];
    const DB = recordedDatabase(env.DB, trips) as unknown as D1Database;
    const response = await worker.fetch(request, { ...env, DB }, context);
    const body = await response.text();
    const recording: Recording = { status: response.status, body, statements: trips };
    return Response.json(recording);
  };
  return { ...worker, fetch };
}
