/** Writes the time into the database, so that a read can see how old a replica is (src/rpc/session.ts). */
import { heartbeats } from "../../schema/tables/events/heartbeats.ts";
import type { Database } from "../auth/call.ts";

/** Writes a time in milliseconds since 1970. It must not be in the future. */
export async function writeHeartbeat(db: Database, time: number): Promise<void> {
  await db
    .insert(heartbeats)
    .values({ id: 1, time })
    .onConflictDoUpdate({ target: heartbeats.id, set: { time } });
}
