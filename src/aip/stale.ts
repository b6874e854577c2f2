/** Calls that read, decide and then write: what they do when another call wrote in between. */
import { aborted } from "./errors.ts";

/** Runs of a call that keeps losing to others. */
const tries = 5;

/** What a call has read is not so any more. Nothing of its change is written. */
export class Stale extends Error {}

/** Runs a call again while it throws Stale; ABORTED after five runs. */
export async function retryStale<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
    }
  }
  throw aborted("the resource is being changed by others; try again");
}
