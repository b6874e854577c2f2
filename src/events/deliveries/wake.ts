/** Starts the sender of events: for a message of the queue, and every minute. */
import { configOf, type Env } from "../../config.ts";
import { openDatabase } from "../../rpc/database.ts";
import type { Execution } from "../../rpc/runtime.ts";
import { writeHeartbeat } from "../heartbeat.ts";
import { deleteOld } from "./retention.ts";
import { type SenderContext, sendEvents } from "./send.ts";

function contextOf(env: Env, execution: Execution): SenderContext {
  const { db } = openDatabase(env, execution);
  const wake = async (delaySeconds: number) => {
    await env.EVENTS?.send({}, { delaySeconds });
  };
  return { config: configOf(env), db, wake };
}

/** A message means that there are new events, or that a retry is due. An error returns it to the queue. */
export async function handleQueue(_: unknown, env: Env, execution: Execution): Promise<void> {
  await sendEvents(contextOf(env, execution));
}

/**
 * Writes the heartbeat if replicas are in use. Sends what no message has announced: retries after a longer pause, and the events of a Worker that died
 * before it sent a message. Then deletes what is too old.
 */
export async function handleSchedule(_: unknown, env: Env, execution: Execution): Promise<void> {
  const context = contextOf(env, execution);
  const { config, db } = context;
  if (config.replicaMaxAge !== undefined) await writeHeartbeat(db, Date.now());
  await sendEvents(context);
  await deleteOld(context, Date.now());
}
