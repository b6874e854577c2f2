/** Shows on standard error that a command waits for a rate limit. */
import type { PlatformError } from "../../client/errors.ts";
import type { RateLimitWait } from "../../client/retry.ts";
import { note } from "../surroundings.ts";

/** How many milliseconds a command waits in all for the rate limits that one call meets. */
export const maxWaitMs = 120_000;

/**
 * Returns a function that shows a wait. Calls that wait at the same time have one line, because they wait for the same
 * limit.
 */
export function newWaitNote(): (wait: RateLimitWait) => void {
  let shownUntil = 0;
  return ({ until, error }) => {
    const now = Date.now();
    if (now < shownUntil) return;
    shownUntil = until;
    const seconds = Math.ceil((until - now) / 1000);
    note(`The platform asks to wait ${seconds} s (${limitName(error)}); waiting…`);
  };
}

/** `rate limit of write`: the class of the limit, which the details name as `write-caller`. */
function limitName(error: PlatformError): string {
  const violations = error.detail("google.rpc.QuotaFailure")?.violations;
  const [violation] = (Array.isArray(violations) ? violations : []) as { subject?: unknown }[];
  const [, named] = /^([a-z]+)-[a-z]+$/.exec(String(violation?.subject)) ?? [];
  return named === undefined ? "too many requests" : `rate limit of ${named}`;
}
