/** Counts the pulls of callers without an identity. They write no event, because anyone can send any number of them. */
import { logFailure } from "../rpc/database_failure.ts";
import type { RegistryContext } from "./context.ts";
import { type Pull, recordAnonymousPulls } from "./tag_pulls.ts";

/** How long an isolate gathers the pulls of a tag or a digest before it writes their number, in milliseconds. */
const gatheringTime = 2_000;

/** The runtime ends work of a request after at most 30 seconds, and the pulls that it gathered are then lost. */
const lostAfter = 60_000;

/** The pulls that are not written yet, by repository and tag or digest. */
const gathered = new Map<string, { pulls: number; since: number }>();

/**
 * Counts a pull. The first one of a tag or a digest writes their number later, after the response. However many callers
 * pull an image, an isolate therefore writes one row for it in {@link gatheringTime}, and always the same one.
 */
export function countAnonymousPull(context: RegistryContext, pull: Pull): void {
  const key = `${pull.repo} ${pull.tag ?? pull.digest}`;
  const before = gathered.get(key);
  if (before && before.since > context.now - lostAfter) {
    before.pulls += 1;
    return;
  }
  gathered.set(key, { pulls: 1, since: context.now });
  const write = async () => {
    await new Promise((resolve) => setTimeout(resolve, gatheringTime));
    const pulls = gathered.get(key)?.pulls ?? 1;
    gathered.delete(key);
    try {
      await recordAnonymousPulls(context, pull, pulls);
    } catch (thrown) {
      logFailure("the number of pulls without an identity was not written", thrown, {
        level: "warn",
      });
    }
  };
  context.waitUntil(write());
}
