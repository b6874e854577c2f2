/** One session of D1: the batches of a call, in which no batch sees an older state than the batch before it. */
import type { D1Database, D1Result } from "@cloudflare/workers-types";
import { batchSummary } from "../telemetry/spans.ts";
import { inSpan, type Trace } from "../telemetry/trace.ts";
import type { Query } from "./d1_through.ts";

/** The cost of the calls to D1 so far. */
export interface Meter {
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** A database, and the name of its binding. */
interface Bound {
  name: string;
  database: D1Database;
}

/**
 * Adds up the costs of the sessions of a call. Batches to several databases at the same time are one round trip. Two
 * batches to one database are two.
 */
export class Costs {
  readonly meter: Meter = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 };
  #pending = 0;
  #asked = new Set<D1Database>();
  readonly #trace: Trace | undefined;

  /** The trace gets the costs too, and a span for each batch. */
  constructor(trace?: Trace) {
    this.#trace = trace;
  }

  /** Runs a batch of a database as a span of the trace, and adds its cost. */
  async add(bound: Bound, queries: Query[], batch: () => Promise<D1Result[]>): Promise<D1Result[]> {
    if (!this.#trace?.records) return this.#count(bound.database, batch);
    let results: D1Result[] = [];
    const describe = () => ({
      "db.system.name": "sqlite",
      "db.namespace": bound.name,
      "db.operation.batch.size": queries.length,
      "db.query.summary": batchSummary(queries),
      "platform.d1.rows_read": sum(results, "rows_read"),
      "platform.d1.rows_written": sum(results, "rows_written"),
    });
    return inSpan(this.#trace, { name: "D1 batch", kind: "client", describe }, async () => {
      results = await this.#count(bound.database, batch);
      return results;
    });
  }

  async #count(database: D1Database, batch: () => Promise<D1Result[]>): Promise<D1Result[]> {
    const isNewTrip = this.#pending === 0 || this.#asked.has(database);
    if (isNewTrip) this.#asked = new Set();
    this.#asked.add(database);
    this.#pending += 1;
    try {
      const results = await batch();
      if (isNewTrip) this.meter.roundTrips += 1;
      const rowsRead = sum(results, "rows_read");
      const rowsWritten = sum(results, "rows_written");
      this.meter.rowsRead += rowsRead;
      this.meter.rowsWritten += rowsWritten;
      const size = results.at(-1)?.meta.size_after ?? 0;
      this.#trace?.addBatch({ isNewTrip, rowsRead, rowsWritten, size });
      return results;
    } finally {
      this.#pending -= 1;
    }
  }
}

const sum = (results: D1Result[], count: "rows_read" | "rows_written"): number =>
  results.reduce((total, { meta }) => total + meta[count], 0);

/** Where a session starts that may read from a replica. */
export interface ReplicaStart {
  /** D1's bookmark of the state to see at least, or `first-unconstrained`. */
  from: string;
  /** The greatest age of the replica, in milliseconds. */
  maxAge: number;
}

/** The time of the newest heartbeat in the state that was read (src/events/heartbeat.ts). */
const heartbeat: Query = { sql: 'select "time" from "heartbeats"', params: [] };

/**
 * A session that starts at the primary, or at a replica that is not too old. It adds its costs to those of its call.
 */
export class Session {
  readonly #costs: Costs;
  readonly #bound: Bound;
  readonly #maxAge: number;
  #session: ReturnType<D1Database["withSession"]>;
  /** Where the batches so far came from. It is not known before the first one. */
  #source: "primary" | "unknown" | "replica";
  #hasRun = false;

  constructor(bound: Bound, replica: ReplicaStart | undefined, costs: Costs) {
    this.#costs = costs;
    this.#bound = bound;
    this.#maxAge = replica?.maxAge ?? 0;
    this.#source = replica ? "unknown" : "primary";
    this.#session = bound.database.withSession(replica?.from ?? "first-primary");
  }

  /** D1's bookmark of the state that the session has seen. Undefined before the first batch. */
  get state(): string | undefined {
    return this.#session.getBookmark() ?? undefined;
  }

  /** Runs a batch. If the first batch finds a replica that is too old, it runs again at the primary. */
  async run(queries: Query[]): Promise<D1Result[]> {
    if (this.#source !== "unknown") return this.#send(queries);
    const results = await this.#send([...queries, heartbeat]);
    const last = results.pop();
    const [beat] = (last?.results ?? []) as { time: number }[];
    this.#source = last?.meta.served_by_primary === true ? "primary" : "replica";
    const isTooOld = Date.now() - (beat?.time ?? 0) > this.#maxAge;
    if (this.#source === "primary" || !isTooOld) return results;
    this.#startAtPrimary();
    return this.#send(queries);
  }

  /**
   * Makes the next batch start at the primary. Returns whether that can change anything: whether a batch has run,
   * and a replica may have served it.
   */
  leaveReplica(): boolean {
    if (this.#source === "primary" || !this.#hasRun) return false;
    this.#startAtPrimary();
    return true;
  }

  #startAtPrimary(): void {
    this.#session = this.#bound.database.withSession("first-primary");
    this.#source = "primary";
  }

  #send(queries: Query[]): Promise<D1Result[]> {
    this.#hasRun = true;
    const session = this.#session;
    const statements = queries.map(({ sql, params }) => session.prepare(sql).bind(...params));
    return this.#costs.add(this.#bound, queries, () => session.batch(statements));
  }
}
