/** Decides when a call is sent again, and after how long. */
import { Aborted, PlatformError } from "./errors.ts";

/** In milliseconds: the pause before the second attempt. It doubles for each further attempt. */
const initialDelayMs = 200;
const maxDelayMs = 5_000;
/** In milliseconds. If the platform asks for a longer pause, the call is not sent again. */
const maxRetryAfterMs = 30_000;

/** The options that decide about attempts. */
export interface RetryOptions {
  /** The number of attempts after the first one. */
  retries: number;
  /** Whether it is safe to carry out the call twice. */
  isSafe: boolean;
  /** Whether the call names the state that it applies to, so that it would abort each time. */
  isConditional: boolean;
  signal: AbortSignal | undefined;
}

/**
 * Repeats a call until it succeeds, fails for good, or has used up its attempts. The pauses grow and are randomized, so
 * that many clients do not retry at the same time.
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
  // Nothing was written, and the same call may succeed now.
  if (error instanceof Aborted) return !isConditional;
  return isSafe && isTemporary(error);
}

/** Reports whether the same read can succeed a moment later. */
export function isTemporary({ code, status, retryAfter }: PlatformError): boolean {
  if (code === "RESOURCE_EXHAUSTED") return retryAfter !== undefined;
  return code === "UNAVAILABLE" || (code === "UNREACHABLE" && status === 0);
}

function retryDelay(error: unknown, attemptsMade: number): number {
  if (error instanceof PlatformError && error.retryAfter !== undefined) return error.retryAfter;
  const longest = Math.min(maxDelayMs, initialDelayMs * 2 ** attemptsMade);
  return longest * (0.5 + Math.random() / 2);
}

/** Waits for a number of milliseconds. Rejects with the signal's reason when the signal is aborted. */
export function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
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
