/** When a call is sent again, and after how long. */
import { Aborted, PlatformError } from "./errors.ts";

/** Milliseconds before the second attempt; doubled for each further one. */
const initialDelayMs = 200;
const maxDelayMs = 5_000;
/** Who asks for a longer wait than this many milliseconds is not waited for. */
const maxRetryAfterMs = 30_000;

/** What decides about attempts. */
export interface RetryOptions {
  /** After the first. */
  retries: number;
  /** Whether the call may be carried out twice. */
  isSafe: boolean;
  /** Whether the call names the state that it is meant for, so that it aborts each time. */
  isConditional: boolean;
  signal: AbortSignal | undefined;
}

/**
 * Calls until it succeeds, fails for good, or the attempts are used up. Pauses grow and are
 * scattered, so that many clients do not come back at once.
 */
export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attemptsMade = 0; ; attemptsMade++) {
    try {
      return await call();
    } catch (error) {
      if (attemptsMade >= options.retries || !isRetryable(error, options)) throw error;
      await delay(retryDelay(error, attemptsMade), options.signal);
    }
  }
}

function isRetryable(error: unknown, { isSafe, isConditional, signal }: RetryOptions): boolean {
  if (!(error instanceof PlatformError) || signal?.aborted) return false;
  if ((error.retryAfter ?? 0) > maxRetryAfterMs) return false;
  // Nothing was written, and the same call may well succeed now.
  if (error instanceof Aborted) return !isConditional;
  if (!isSafe) return false;
  if (error.code === "RESOURCE_EXHAUSTED") return error.retryAfter !== undefined;
  return error.code === "UNAVAILABLE" || (error.code === "UNREACHABLE" && error.status === 0);
}

function retryDelay(error: unknown, attemptsMade: number): number {
  if (error instanceof PlatformError && error.retryAfter !== undefined) return error.retryAfter;
  const longest = Math.min(maxDelayMs, initialDelayMs * 2 ** attemptsMade);
  return longest * (0.5 + Math.random() / 2);
}

/** Waits for milliseconds. Rejects with the signal's reason as soon as it is aborted. */
function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
