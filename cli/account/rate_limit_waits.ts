/** Shows on standard error that a command waits for a rate limit. */
import type { PlatformError } from "../../client/errors.ts";
import type { RateLimitWait } from "../../client/retry.ts";
import { here, note, type Surroundings } from "../surroundings.ts";

/** How many milliseconds a command waits in all for the rate limits that one call meets. */
export const maxWaitMs = 120_000;

/** The end of the wait that each command showed last, in milliseconds since 1970 UTC. */
const shownUntil = new WeakMap<Surroundings, number>();

/**
 * Shows a wait. The calls of a command that wait at the same time have one line, because they wait for the same limit.
 */
export function noteWait({ until, error }: RateLimitWait): void {
  const command = here();
  const now = Date.now();
  if (now < (shownUntil.get(command) ?? 0)) return;
  shownUntil.set(command, until);
  const seconds = Math.ceil((until - now) / 1000);
  // A terminal may show a line of progress, which is drawn again below this one.
  if (command.stderr.isTTY) command.stderr.write("\r\x1b[K");
  note(`The platform asks to wait ${seconds} s (${limitName(error)}); waiting…`);
}

/** `rate limit of write`: the class of the limit, which the details name as `write-caller`. */
function limitName(error: PlatformError): string {
  const violations = error.detail("google.rpc.QuotaFailure")?.violations;
  const [violation] = (Array.isArray(violations) ? violations : []) as { subject?: unknown }[];
  const [, named] = /^([a-z]+)-[a-z]+$/.exec(String(violation?.subject)) ?? [];
  return named === undefined ? "too many requests" : `rate limit of ${named}`;
}
