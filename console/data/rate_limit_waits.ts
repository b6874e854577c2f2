/** The wait for a rate limit of the platform, for the bar that shows it. */
import type { RateLimitWait } from "../../client/index.ts";

type Listener = (until: number) => void;

const listeners = new Set<Listener>();
let until = 0;

/** Shows a wait. Calls that wait at the same time show the longest. */
export function showWait(wait: RateLimitWait): void {
  until = Math.max(until, wait.until);
  for (const listener of listeners) listener(until);
}

/** Calls the listener with the end of each wait, in milliseconds since 1970 UTC. Returns the function that ends this. */
export function onWait(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
