/** Starts the sender of events: for a message of the queue, and every minute. */

import type { Databases } from "../../auth/databases.ts";
import { configOf, type Env } from "../../config.ts";
import { openDatabase } from "../../rpc/database.ts";
import type { Execution } from "../../rpc/runtime.ts";
import { writeHeartbeat } from "../heartbeat.ts";
import { settleMoves } from "../stalled_moves.ts";
import { confirmSinks } from "./confirm_sinks.ts";
import type { SenderContext } from "./context.ts";
import { awaitGroups, closeGroups } from "./grouping.ts";
import { deleteOld } from "./retention.ts";
import { sendEvents } from "./send.ts";

/** A sender for each database. Each has its own events and deliveries. */
function contextsOf(env: Env, { all, trace }: Databases, measuresAge: boolean): SenderContext[] {
  const wake = async (delaySeconds: number) => {
    await env.EVENTS?.send({}, { delaySeconds });
  };
  const context = { config: configOf(env), wake, trace, metrics: env, measuresAge };
  return all.map((db) => ({ ...context, db }));
}

/** Sends the events of all databases, and asks new sinks. If one of them fails, the others are sent first. */
async function sendAll(contexts: SenderContext[]): Promise<void> {
  const sendOne = async (context: SenderContext) => {
    try {
      await closeGroups(context, Date.now());
    } finally {
      await sendEvents(context);
    }
    await awaitGroups(context, Date.now());
  };
  const ended = await Promise.allSettled([...contexts.map(sendOne), ...contexts.map(confirmSinks)]);
  const failed = ended.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

/** A message means that there are new events, or that a retry is due. An error returns it to the queue. */
export async function handleQueue(_: unknown, env: Env, execution: Execution): Promise<void> {
  await sendAll(contextsOf(env, openDatabase(env, execution).databases, false));
}

/**
 * Writes the heartbeat if replicas are in use, and ends moves that were killed. Sends what no message has announced:
 * retries after a longer pause, and the events of a Worker that died before it sent a message. Then deletes what is too
 * old. A move that cannot be ended does not stop the events of other organizations.
 */
export async function handleSchedule(_: unknown, env: Env, execution: Execution): Promise<void> {
  const { databases } = openDatabase(env, execution);
  const contexts = contextsOf(env, databases, true);
  const now = Date.now();
  for (const { config, db } of contexts)
    if (config.replicaMaxAge !== undefined) await writeHeartbeat(db, now);
  try {
    await settleMoves(databases, now);
  } finally {
    await sendAll(contexts);
    for (const context of contexts) await deleteOld(context, now);
  }
}
