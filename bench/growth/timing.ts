/** Calls by turns, so that whatever disturbs the machine disturbs all of them alike. */
import { percentile } from "../percentile.ts";

/** Milliseconds of one way to call. */
export interface Timing {
  median: number;
  p99: number;
}

/**
 * Runs every call `rounds` times, one after the other, after some rounds that do not count. Each
 * round starts at another of them, as the first after the last round may find caches cold.
 */
export async function timeByTurns(
  calls: (() => Promise<unknown>)[],
  rounds: number,
): Promise<Timing[]> {
  const times: number[][] = calls.map(() => []);
  const warming = Math.ceil(rounds / 10);
  for (let round = -warming; round < rounds; round += 1) {
    for (const step of calls.keys()) {
      const at = (step + round + warming) % calls.length;
      const begun = performance.now();
      await calls[at]?.();
      if (round >= 0) times[at]?.push(performance.now() - begun);
    }
  }
  return times.map((each) => ({ median: percentile(each, 0.5), p99: percentile(each, 0.99) }));
}
