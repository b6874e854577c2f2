/** Starts the sender of events: for a message of the queue, and every minute. */

import type { Databases } from "../../auth/databases.ts";
import { configOf, type Env } from "../../config.ts";
import { openDatabase } from "../../rpc/database.ts";
import type { Execution } from "../../rpc/runtime.ts";
import { writeHeartbeat } from "../heartbeat.ts";
import { settleMoves } from "../stalled_moves.ts";
import { confirmSinks } from "./confirm_sinks.ts";
import type { SenderContext } from "./context.ts";
import { closeGroups, completeTime } from "./grouping.ts";
import { deleteOld } from "./retention.ts";
import { sendEvents } from "./send.ts";

/** A message of the queue. */
interface Message {
  /** Whether a group of events is complete. */
  closesGroups?: boolean;
}

/** A sender for each database. Each has its own events and deliveries. */
function contextsOf(env: Env, { all, trace }: Databases, measuresAge: boolean): SenderContext[] {
  const wake = async (delaySeconds: number, closesGroups = false) => {
    const message: Message = closesGroups ? { closesGroups } : {};
    await env.EVENTS?.send(message, { delaySeconds });
  };
  const context = { config: configOf(env), wake, trace, metrics: env, measuresAge };
  return all.map((db) => ({ ...context, db }));
}

/**
 * Sends the events of a database, and closes the groups that are complete: at first if the message is about them, and
 * otherwise at the end. The sender looks at them in a round trip that it makes anyway, so a database without groups needs
 * no other one.
 */
async function sendOne(context: SenderContext, closesGroups: boolean): Promise<void> {
  let sent: { collected?: number } = {};
  try {
    if (closesGroups) await closeGroups(context, Date.now());
  } finally {
    sent = await sendEvents(context);
  }
  if (sent.collected !== undefined && completeTime(sent.collected) <= Date.now()) {
    await closeGroups(context, Date.now());
    sent = await sendEvents(context);
  }
  if (sent.collected === undefined) return;
  const delay = Math.max(0, completeTime(sent.collected) - Date.now());
  await context.wake(Math.ceil(delay / 1000), true);
}

/** Sends the events of all databases, and asks new sinks. If one of them fails, the others are sent first. */
async function sendAll(contexts: SenderContext[], closesGroups: boolean): Promise<void> {
  const sending = contexts.map((context) => sendOne(context, closesGroups));
  const ended = await Promise.allSettled([...sending, ...contexts.map(confirmSinks)]);
  const failed = ended.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

/**
 * A message means that there are new events, that a retry is due, or that a group is complete. An error returns it to the
 * queue.
 */
export async function handleQueue(batch: unknown, env: Env, execution: Execution): Promise<void> {
  // A cast, because only the platform writes into its queue.
  const { messages } = batch as { messages: readonly { body: Message }[] };
  const closesGroups = messages.some(({ body }) => body.closesGroups === true);
  await sendAll(contextsOf(env, openDatabase(env, execution).databases, false), closesGroups);
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
    await sendAll(contexts, false);
    for (const context of contexts) await deleteOld(context, now);
  }
}
