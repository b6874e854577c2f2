import type { D1Database, D1PreparedStatement, D1Result } from "@cloudflare/workers-types";
import { drizzle } from "drizzle-orm/d1";
import type { Database } from "../auth/call.ts";
import { readFailure } from "./database_failure.ts";

/** What the calls to D1 have cost so far. */
export interface Meter {
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/**
 * The database of one call and the meter of what it reads. The session starts at the primary, so
 * that a role binding removed a moment ago grants nothing, whichever replica is near. Throws
 * DatabaseFailure where D1 could not work.
 */
export function openDatabase(binding: D1Database): { db: Database; meter: Meter } {
  const meter: Meter = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 };
  const session = binding.withSession("first-primary");
  const count = <T>(results: D1Result<T>[]) => {
    meter.roundTrips += 1;
    for (const { meta } of results) {
      meter.rowsRead += meta.rows_read;
      meter.rowsWritten += meta.rows_written;
    }
    return results;
  };
  const send: Send = async <T>(statements: D1PreparedStatement[]) => {
    try {
      return count(await session.batch<T>(statements));
    } catch (thrown) {
      throw readFailure(thrown);
    }
  };
  const metered = {
    prepare: (query: string) => new MeteredStatement(session.prepare(query), send),
    batch: <T>(statements: D1PreparedStatement[]) =>
      send<T>(statements.map((one) => ("inner" in one ? (one.inner as D1PreparedStatement) : one))),
  };
  return { db: drizzle(metered as unknown as D1Database), meter };
}

type Send = <T>(statements: D1PreparedStatement[]) => Promise<D1Result<T>[]>;

/** A statement that runs as a batch of one, whose answer carries the meta that `raw` leaves out. */
class MeteredStatement {
  readonly inner: D1PreparedStatement;
  readonly #send: Send;

  constructor(inner: D1PreparedStatement, send: Send) {
    this.inner = inner;
    this.#send = send;
  }

  bind(...values: unknown[]) {
    return new MeteredStatement(this.inner.bind(...values), this.#send);
  }

  async all<T>() {
    return (await this.#send<T>([this.inner]))[0];
  }

  async run<T>() {
    return this.all<T>();
  }

  /** Rows as arrays, without their meta. Columns of the same name are one, as in every batch. */
  async raw() {
    return (await this.all<Record<string, unknown>>())?.results.map((row) => Object.values(row));
  }
}
