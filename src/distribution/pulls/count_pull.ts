/**
 * Counts pulls. A pull itself writes nothing. An isolate gathers the pulls of a moment, and sends their sums to the queue
 * of pulls. Without a queue, it writes them.
 */

import type { EventRow } from "../../outbox/outbox.ts";
import { logFailure } from "../../rpc/database_failure.ts";
import type { Reach } from "../access.ts";
import type { RegistryContext } from "../context.ts";
import type { PullMessage, PullSum } from "./pull_message.ts";
import { messagesOf, writePulls } from "./write_pulls.ts";

/** How long an isolate gathers pulls after it has sent some, in milliseconds. If it is lost, so are these sums. */
export const gatheringTime = 2_000;

/**
 * After this time, in milliseconds, the request that waits is taken to be gone: the runtime can end it. The next pull then
 * sends the sums.
 */
export const lostAfter = 10_000;

/** So many sums are sent at once. Their message has at most 128 KB. */
const maxSums = 200;

const hourMs = 3_600_000;

/** A pull that succeeded. */
export interface Pull {
  /** The uid of the repository. */
  repo: string;
  /** The name of the tag. Undefined for a pull by digest. */
  tag?: string;
  digest: string;
}

type PulledBy = Pick<Reach, "caller" | "isStranger">;

/** A caller without an identity. */
export const anyone: PulledBy = { caller: undefined, isStranger: true };

function sumOf({ now }: RegistryContext, { caller, isStranger }: PulledBy, pull: Pull): PullSum {
  const { repo, tag = "", digest } = pull;
  const { identity, name } = caller && !isStranger ? caller : { identity: "", name: "" };
  return { repo, tag, digest, identity, identityName: name, time: now, pulls: 1 };
}

/** Writes a pull at once. If that fails, it waits in the queue, if there is one. */
export function recordPullNow(
  context: RegistryContext,
  reach: PulledBy,
  pull: Pull,
  events: EventRow[],
): void {
  const message = { sums: [sumOf(context, reach, pull)], events };
  const write = writePulls(context.databases, [message]).catch(async (thrown) => {
    logFailure("a pull was not written at once", thrown, { level: "warn" });
    await context.pullQueue?.send(message);
  });
  context.waitUntil(
    write.catch((thrown) => logFailure("a pull was not written", thrown, { level: "warn" })),
  );
}

/** The sums that are not sent yet, by what they count. */
let gathered = new Map<string, PullSum>();

/** When this isolate last sent sums, or last began to wait. In milliseconds since 1970. */
let lastSent = 0;
let waitingSince: number | undefined;

/**
 * Counts a pull for its tag or digest, its caller and its hour. Callers who may pull only because anyone may are one
 * identity, with an empty uid. The first pull is sent at once, and those of the next two seconds together.
 */
export function countPull(context: RegistryContext, reach: PulledBy, pull: Pull): void {
  const { now } = context;
  const one = sumOf(context, reach, pull);
  const { repo, tag, digest, identity } = one;
  const key = JSON.stringify([repo, tag, digest, identity, Math.floor(now / hourMs)]);
  gathered.set(key, { ...one, pulls: (gathered.get(key)?.pulls ?? 0) + 1 });
  const isWaiting = waitingSince !== undefined && waitingSince > now - lostAfter;
  const isFirst = !isWaiting && now - lastSent >= gatheringTime;
  if (isFirst || gathered.size >= maxSums) sendGathered(context);
  else if (!isWaiting) context.waitUntil(sendLater(context));
}

async function sendLater(context: RegistryContext): Promise<void> {
  waitingSince = context.now;
  await new Promise((resolve) => setTimeout(resolve, gatheringTime));
  waitingSince = undefined;
  if (gathered.size > 0) sendGathered(context);
}

function sendGathered(context: RegistryContext): void {
  const messages = messagesOf(context.databases, [...gathered.values()]);
  gathered = new Map();
  lastSent = Date.now();
  for (const message of messages) context.waitUntil(sendPulls(context, message));
}

/**
 * Sends a message to the queue of pulls. Without a queue, or if it takes no message, the message is written at once. An
 * error is only logged: a pull has been answered before.
 */
export async function sendPulls(context: RegistryContext, message: PullMessage): Promise<void> {
  try {
    await context.pullQueue?.send(message);
    if (context.pullQueue) return;
  } catch (thrown) {
    logFailure("the queue of pulls took no message", thrown, { level: "warn" });
  }
  try {
    await writePulls(context.databases, [message]);
  } catch (thrown) {
    logFailure("pulls were not written", thrown, { level: "warn" });
  }
}
