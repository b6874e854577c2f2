import type {
  D1Database,
  D1DatabaseSession,
  D1PreparedStatement,
  D1Result,
} from "@cloudflare/workers-types";
import { drizzle } from "drizzle-orm/d1";
import type { Database } from "../auth/call.ts";

/** What the calls to D1 have cost so far. */
export interface Meter {
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/**
 * The database of one call and the meter of what it reads. The session starts at the primary, so
 * that a role binding removed a moment ago grants nothing, whichever replica is near.
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
  const metered = {
    prepare: (query: string) => new MeteredStatement(session.prepare(query), session, count),
    batch: async <T>(statements: D1PreparedStatement[]) =>
      count(
        await session.batch<T>(
          statements.map((one) => ("inner" in one ? (one.inner as D1PreparedStatement) : one)),
        ),
      ),
  };
  return { db: drizzle(metered as unknown as D1Database), meter };
}

/** A statement that runs as a batch of one, whose answer carries the meta that `raw` leaves out. */
class MeteredStatement {
  readonly inner: D1PreparedStatement;
  readonly #session: D1DatabaseSession;
  readonly #count: <T>(results: D1Result<T>[]) => D1Result<T>[];

  constructor(
    inner: D1PreparedStatement,
    session: D1DatabaseSession,
    count: <T>(results: D1Result<T>[]) => D1Result<T>[],
  ) {
    this.inner = inner;
    this.#session = session;
    this.#count = count;
  }

  bind(...values: unknown[]) {
    return new MeteredStatement(this.inner.bind(...values), this.#session, this.#count);
  }

  async all<T>() {
    return this.#count(await this.#session.batch<T>([this.inner]))[0];
  }

  async run<T>() {
    return this.all<T>();
  }

  /** Rows as arrays, without their meta. Columns of the same name are one, as in every batch. */
  async raw() {
    return (await this.all<Record<string, unknown>>())?.results.map((row) => Object.values(row));
  }
}
