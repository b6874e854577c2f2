/**
 * Lets expiry plans know when all pulls before them are written. A message with their uids goes through the queue of pulls,
 * behind the pulls. `write_pulls.ts` marks the plans when it has written those.
 */
import { and, lte, sql } from "drizzle-orm";
import { expiryPlans, isAwaitingPulls } from "../../../schema/tables/registry/expiry_plans.ts";
import { rootOf } from "../../aip/uid_path.ts";
import { isSpread, isWritable } from "../../auth/databases.ts";
import type { RegistryContext } from "../context.ts";
import { lifetimes } from "../public_cache.ts";
import { gatheringTime, lostAfter } from "./count_pull.ts";
import { writePulls } from "./write_pulls.ts";

/** How long a request lasts that has not seen the plan, in milliseconds: from its read of D1 to its entry in a cache. */
const blindTime = 5_000;

/**
 * So long after a plan was made, in milliseconds, isolates have sent the pulls that are not written at once. These are the
 * pulls before the plan, and those that a cache has answered since.
 */
const sentAfter = blindTime + lifetimes.digest * 1_000 + lostAfter + gatheringTime;

/** The plans of one run. A message with them has less than the 128 KB that the queue allows. */
const mostPlans = 400;

/**
 * Sends the uids of the plans that still wait for pulls: one message, or one for each organization with several databases.
 * The next run sends those again whose message has not arrived. Without a queue, it marks them. Throws if the queue takes no
 * message: the pulls before it may still be in the queue.
 */
export async function announcePlans(context: RegistryContext): Promise<void> {
  const { db, databases, pullQueue, now } = context;
  const awaiting = await db
    .select({ uid: expiryPlans.uid })
    .from(expiryPlans)
    .where(
      and(
        isAwaitingPulls,
        lte(expiryPlans.createTime, now - sentAfter),
        isWritable(sql`${expiryPlans.uid}`),
      ),
    )
    // Those whose organization refuses the mark must not keep the others out.
    .orderBy(sql`random()`)
    .limit(mostPlans);
  const uids = awaiting.map(({ uid }) => uid);
  const parts = Map.groupBy(uids, (uid) => (isSpread(databases) ? rootOf(uid) : ""));
  for (const plans of parts.values()) {
    const message = { sums: [], events: [], plans };
    if (pullQueue) await pullQueue.send(message);
    else await writePulls(databases, [message]);
  }
}
