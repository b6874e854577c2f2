import type { D1Database } from "@cloudflare/workers-types";
import type { Database } from "../auth/call.ts";
import type { Databases } from "../auth/databases.ts";
import type { Env } from "../config.ts";
import type { Query, Send } from "./d1_through.ts";
import { logText, toDatabaseFailure } from "./database_failure.ts";
import { openDatabases } from "./databases.ts";
import type { Execution } from "./runtime.ts";

/** The cost of the calls to D1 so far. */
export interface Meter {
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** The `server-timing` header for a call with this cost. */
export const serverTiming = ({ roundTrips, rowsRead, rowsWritten }: Meter) =>
  `d1;desc="round_trips=${roundTrips} rows_read=${rowsRead} rows_written=${rowsWritten}"`;

/**
 * The databases of one call, and a meter of the rows that it reads. `db` is the first database. Each session starts at the primary, so a
 * role binding that was removed a moment ago grants nothing, even if a replica is nearer. Throws
 * DatabaseFailure if D1 itself fails. After a batch with events, the Worker of the events gets a message
 * and sends them.
 */
export function openDatabase(
  env: Env,
  execution: Execution,
): { db: Database; databases: Databases; meter: Meter } {
  const meter: Meter = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 };
  const trips = newTrips();
  const sendTo = (database: D1Database): Send => {
    const session = database.withSession("first-primary");
    return async (queries) => {
      const isNewTrip = trips.begin(database);
      try {
        const statements = queries.map(({ sql, params }) => session.prepare(sql).bind(...params));
        const results = await session.batch(statements);
        if (isNewTrip) meter.roundTrips += 1;
        for (const { meta } of results) {
          meter.rowsRead += meta.rows_read;
          meter.rowsWritten += meta.rows_written;
        }
        if (queries.some(writesEvents)) execution.waitUntil(announceEvents(env));
        return results;
      } catch (thrown) {
        throw toDatabaseFailure(thrown);
      } finally {
        trips.end();
      }
    };
  };
  const databases = openDatabases(env, sendTo);
  return { db: databases.first, databases, meter };
}

/**
 * Decides which batches begin a round trip: batches to several databases at the same time are one round trip. Two
 * batches to one database are two.
 */
function newTrips() {
  let pending = 0;
  let asked = new Set<D1Database>();
  return {
    /** Whether a new round trip begins with this batch. */
    begin(database: D1Database): boolean {
      const isNew = pending === 0 || asked.has(database);
      if (isNew) asked = new Set();
      asked.add(database);
      pending += 1;
      return isNew;
    },
    end(): void {
      pending -= 1;
    },
  };
}

const writesEvents = ({ sql }: Query) => sql.startsWith('insert into "events" ');

/**
 * Wakes the consumer of the queue. If that fails, the events are sent by the next message or by the schedule
 * of the events Worker, which look for all events that were not sent.
 */
async function announceEvents({ EVENTS }: Env): Promise<void> {
  try {
    await EVENTS?.send({});
  } catch (thrown) {
    console.warn(`The queue of the events took no message: ${logText(thrown)}`);
  }
}
