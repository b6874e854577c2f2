/** Repeats requests that failed for a reason that may pass. */
import { PlatformError } from "../../client/errors.ts";
import { delay, pauseFor } from "../../client/retry.ts";
import { maxWaitMs, noteWait } from "../account/rate_limit_waits.ts";
import { toFailure } from "../failure.ts";

const maxAttempts = 6;
/** In milliseconds: the pause after the first failure. It doubles after each further one. */
const firstPauseMs = 250;
/** In milliseconds. A registry that asks for a longer pause is not asked again, except after a rate limit. */
const maxPauseMs = 30_000;

const retryableStatuses = [408, 429, 500, 502, 503, 504];

/** Whether the same request may succeed later: there was no response, or the registry is busy or has failed. */
function mayPass(thrown: unknown): boolean {
  if (thrown instanceof PlatformError) {
    const { status, reason = "" } = thrown;
    // The upload has ended, or is further than we knew. The next attempt asks for its state.
    return retryableStatuses.includes(status) || reason.startsWith("BLOB_UPLOAD_");
  }
  return isUnreachable(thrown);
}

/** Whether the error is that of a host that does not respond as it should. */
export function isUnreachable(thrown: unknown): boolean {
  try {
    return toFailure(thrown).code === "UNREACHABLE";
  } catch {
    return false;
  }
}

/**
 * Calls `work` until it succeeds, or has failed six times in a row, or has waited too long for rate limits. `work` gets a
 * function that it calls after each progress: the next failure is then the first one again. Throws the last error, or the
 * reason of the signal if it is aborted in a pause.
 */
export async function withAttempts<T>(
  work: (advance: () => void) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  let failures = 0;
  let waited = 0;
  const advance = () => {
    failures = 0;
    waited = 0;
  };
  for (;;) {
    try {
      return await work(advance);
    } catch (thrown) {
      const pause = pauseAfter(thrown, failures++);
      if (failures >= maxAttempts || signal?.aborted || !mayPass(thrown)) throw thrown;
      if (isLimited(thrown)) {
        waited += pause;
        if (waited > maxWaitMs) throw thrown;
        noteWait({ until: Date.now() + pause, error: thrown });
      } else if (pause > maxPauseMs) throw thrown;
      await delay(pause, signal);
    }
  }
}

const isLimited = (thrown: unknown): thrown is PlatformError =>
  thrown instanceof PlatformError && thrown.status === 429 && thrown.retryAfter !== undefined;

function pauseAfter(thrown: unknown, failures: number): number {
  if (thrown instanceof PlatformError && thrown.retryAfter !== undefined)
    return pauseFor(thrown.retryAfter);
  return firstPauseMs * 2 ** failures * (0.5 + Math.random() / 2);
}
