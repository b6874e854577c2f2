/** Decides when a call is sent again, and after how long. */
import { Aborted, PlatformError } from "./errors.ts";

/** In milliseconds: the pause before the second attempt. It doubles for each further attempt. */
const initialDelayMs = 200;
const maxDelayMs = 5_000;
/** In milliseconds. If the platform asks for a longer pause for another reason than a rate limit, the call fails. */
const maxRetryAfterMs = 30_000;
/** The most pauses of one call for rate limits. A limit can ask for a second, and be reached again after it. */
const maxWaits = 10;

/** A pause that a rate limit of the platform asks for. */
export interface RateLimitWait {
  /** When the call is sent again, in milliseconds since 1970 UTC. */
  until: number;
  /** The refusal. Its details name the limit. */
  error: PlatformError;
}

/** The options that decide about attempts. */
export interface RetryOptions {
  /** The number of attempts after the first one. */
  retries: number;
  /** Whether it is safe to carry out the call twice. */
  isSafe: boolean;
  /** Whether the call names the state that it applies to, so that it would abort each time. */
  isConditional: boolean;
  signal: AbortSignal | undefined;
  /** How many milliseconds the call may wait in all for rate limits. */
  maxWait: number;
  /** Called before each pause for a rate limit. */
  onWait: ((wait: RateLimitWait) => void) | undefined;
}

/**
 * Repeats a call until it succeeds, fails for good, or has used up its attempts or its time. The pauses grow and are
 * randomized, so that many clients do not retry at the same time. Pauses for rate limits do not use up attempts.
 */
export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, onWait } = options;
  let attemptsMade = 0;
  let waits = 0;
  let waited = 0;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (isLimited(error, options)) {
        const pause = pauseFor(error.retryAfter);
        waited += pause;
        if (waits++ >= maxWaits || waited > options.maxWait || signal?.aborted) throw error;
        onWait?.({ until: Date.now() + pause, error });
        await delay(pause, signal);
      } else {
        if (attemptsMade >= options.retries || !isRetryable(error, options)) throw error;
        await delay(retryDelay(error, attemptsMade++), signal);
      }
    }
  }
}

type Limited = PlatformError & { retryAfter: number };

/**
 * Whether a rate limit refused the call, and the call can be sent again. The platform has not carried out what it refuses
 * with RATE_LIMITED. Others who respond with 429 say nothing about that, so a write is then not repeated.
 */
const isLimited = (error: unknown, { retries, isSafe }: RetryOptions): error is Limited =>
  error instanceof PlatformError &&
  error.status === 429 &&
  error.retryAfter !== undefined &&
  retries > 0 &&
  (isSafe || error.reason === "RATE_LIMITED");

/**
 * The pause for a Retry-After in milliseconds: up to a quarter longer, or up to a second, so that not all who
 * wait come back at once.
 */
export const pauseFor = (retryAfter: number): number =>
  retryAfter + Math.random() * Math.max(retryAfter / 4, 1_000);

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
  if (error instanceof PlatformError && error.retryAfter !== undefined)
    return pauseFor(error.retryAfter);
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
