import { drizzle } from "drizzle-orm/d1";
import type { Database } from "../auth/call.ts";
import type { Env } from "../config.ts";
import type { SeenStates } from "./bookmark.ts";
import { databaseThrough, type Query, type Send } from "./d1_through.ts";
import { logText, toDatabaseFailure } from "./database_failure.ts";
import type { Execution } from "./runtime.ts";
import { type Meter, type ReplicaStart, Session } from "./session.ts";

/** The `server-timing` header for a call with this cost. */
export const serverTiming = ({ roundTrips, rowsRead, rowsWritten }: Meter) =>
  `d1;desc="round_trips=${roundTrips} rows_read=${rowsRead} rows_written=${rowsWritten}"`;

/** The binding of the database. */
const binding = "DB";

/** The database of one call. */
export interface OpenDatabase {
  db: Database;
  meter: Meter;
  /** The states that the call has seen so far. */
  seenStates(): SeenStates;
  /** Makes the next batch start at the primary. Returns whether a replica may have served the call so far. */
  leaveReplica(): boolean;
}

/**
 * Opens the database of one call. The session starts at the primary, so a role binding that was removed a
 * moment ago grants nothing, even if a replica is nearer. With `startOf`, it may start at a replica
 * (docs/decisions/0011). The batches throw DatabaseFailure if D1 itself fails. After a batch with events, the
 * Worker of the events gets a message and sends them.
 */
export function openDatabase(
  env: Env,
  execution: Execution,
  startOf?: (database: string) => ReplicaStart,
): OpenDatabase {
  const meter: Meter = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 };
  const session = new Session(env[binding], startOf?.(binding), meter);
  const send: Send = async (queries) => {
    try {
      const results = await session.run(queries);
      if (queries.some(writesEvents)) execution.waitUntil(announceEvents(env));
      return results;
    } catch (thrown) {
      throw toDatabaseFailure(thrown);
    }
  };
  return {
    ...{ db: drizzle(databaseThrough(send)), meter },
    seenStates: () => (session.state === undefined ? {} : { [binding]: session.state }),
    leaveReplica: () => session.leaveReplica(),
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
