import { getTableName } from "drizzle-orm";
import { events } from "../../schema/tables/events/events.ts";
import type { Database } from "../auth/call.ts";
import type { Databases } from "../auth/databases.ts";
import type { Env } from "../config.ts";
import type { SeenStates } from "./bookmark.ts";
import type { Query, Send } from "./d1_through.ts";
import { logFailure, toDatabaseFailure } from "./database_failure.ts";
import { databasesOf, openDatabases } from "./databases.ts";
import type { Execution } from "./runtime.ts";
import { Costs, type Meter, type ReplicaStart, Session } from "./session.ts";

/** The `server-timing` header for a call with this cost. */
export const serverTiming = ({ roundTrips, rowsRead, rowsWritten }: Meter) =>
  `d1;desc="round_trips=${roundTrips} rows_read=${rowsRead} rows_written=${rowsWritten}"`;

/** The databases of one call. */
export interface OpenDatabase {
  /** The first database. */
  db: Database;
  databases: Databases;
  meter: Meter;
  /** The states that the call has seen so far. */
  seenStates(): SeenStates;
  /** Makes the next batches start at the primaries. Returns whether a replica may have served the call so far. */
  leaveReplica(): boolean;
}

/**
 * Opens the databases of one call. Each session starts at the primary, so a role binding that was removed a
 * moment ago grants nothing, even if a replica is nearer. With `startOf`, it may start at a replica
 * (docs/decisions/0011). The batches throw DatabaseFailure if D1 itself fails. After a batch with events, the
 * Worker of the events gets a message and sends them.
 */
export function openDatabase(
  env: Env,
  execution: Execution,
  startOf?: (database: string) => ReplicaStart,
): OpenDatabase {
  const { trace } = execution;
  const costs = new Costs(trace);
  const sessions = [...databasesOf(env)].map(([name, database]) => ({
    name,
    session: new Session({ name, database }, startOf?.(name), costs),
  }));
  const sends = sessions.map(({ session }) => sendThrough(session, env, execution));
  // An organization that has moved must be looked for where it is now.
  const directory =
    startOf &&
    sendThrough(new Session({ name: "DB", database: env.DB }, undefined, costs), env, execution);
  const databases = { ...openDatabases(env, sends, directory), ...(trace && { trace }) };
  return {
    db: databases.first,
    databases,
    meter: costs.meter,
    seenStates: () =>
      Object.fromEntries(
        sessions.flatMap(({ name, session: { state } }) =>
          state === undefined ? [] : [[name, state]],
        ),
      ),
    leaveReplica: () =>
      sessions.map(({ session }) => session.leaveReplica()).some((hasLeft) => hasLeft),
  };
}

const sendThrough =
  (session: Session, env: Env, execution: Execution): Send =>
  async (queries) => {
    try {
      const results = await session.run(queries);
      if (queries.some(writesEvents)) execution.waitUntil(announceEvents(env));
      return results;
    } catch (thrown) {
      throw toDatabaseFailure(thrown);
    }
  };

const writesEvents = ({ writes }: Query) => writes?.includes(getTableName(events));

/**
 * Wakes the consumer of the queue. If that fails, the events are sent by the next message or by the schedule
 * of the events Worker, which look for all events that were not sent.
 */
async function announceEvents({ EVENTS }: Env): Promise<void> {
  try {
    await EVENTS?.send({});
  } catch (thrown) {
    logFailure("the queue of the events took no message", thrown, { level: "warn" });
  }
}
