/** Compares the bucket of a deployment or of this machine with all of its databases. */
import { bindingsOf, bucketOf, openBindings } from "../../cloudflare/bindings.ts";
import { showWaiting } from "../../import/progress.ts";
import { compareBucket, type Outcome } from "./compare.ts";
import { reportOf } from "./report.ts";

/** Returns what was found, for programs and for people. Throws a Failure if there is no bucket. */
export async function compareObjects(
  location: { env?: string; folder?: string },
  options: { sample: number; isRepairing: boolean },
): Promise<{ outcome: Outcome; text: string }> {
  const config = bucketOf(location.env);
  const { databases, bucket, close } = await openBindings(
    bindingsOf(location.env),
    location,
    config,
  );
  try {
    const work = compareBucket({ databases, bucket, ...options });
    const outcome = await showWaiting("comparing the bucket", work);
    return { outcome, text: reportOf(outcome, options.isRepairing) };
  } finally {
    await close();
  }
}
