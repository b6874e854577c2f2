import { drizzle } from "drizzle-orm/d1";
import type { Database } from "../auth/call.ts";
import type { Env } from "../config.ts";
import { databaseThrough, type Query, type Send } from "./d1_through.ts";
import { logText, toDatabaseFailure } from "./database_failure.ts";
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
 * The database of one call, and a meter of the rows that it reads. The session starts at the primary, so a
 * role binding that was removed a moment ago grants nothing, even if a replica is nearer. Throws
 * DatabaseFailure if D1 itself fails. After a batch with events, the Worker of the events gets a message
 * and sends them.
 */
export function openDatabase(env: Env, execution: Execution): { db: Database; meter: Meter } {
  const meter: Meter = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 };
  const session = env.DB.withSession("first-primary");
  const send: Send = async (queries) => {
    try {
      const statements = queries.map(({ sql, params }) => session.prepare(sql).bind(...params));
      const results = await session.batch(statements);
      meter.roundTrips += 1;
      for (const { meta } of results) {
        meter.rowsRead += meta.rows_read;
        meter.rowsWritten += meta.rows_written;
      }
      if (queries.some(writesEvents)) execution.waitUntil(announceEvents(env));
      return results;
    } catch (thrown) {
      throw toDatabaseFailure(thrown);
    }
  };
  return { db: drizzle(databaseThrough(send)), meter };
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
