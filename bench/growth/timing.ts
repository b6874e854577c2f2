/** Runs calls in turn, so that anything that disturbs the machine disturbs all of them. */
import { percentile } from "../percentile.ts";

/** The milliseconds of one kind of call. */
export interface Timing {
  median: number;
  p99: number;
}

/**
 * Runs every call `rounds` times, one after another, after some rounds that do not count. Each round starts at a
 * different call, because the first call after a round may find cold caches.
 */
export async function timeByTurns(
  calls: (() => Promise<unknown>)[],
  rounds: number,
): Promise<Timing[]> {
  const times: number[][] = calls.map(() => []);
  const warming = Math.ceil(rounds / 10);
  for (let round = -warming; round < rounds; round += 1) {
    for (const step of calls.keys()) {
      const index = (step + round + warming) % calls.length;
      const begun = performance.now();
      await calls[index]?.();
      if (round >= 0) times[index]?.push(performance.now() - begun);
    }
  }
  return times.map((each) => ({ median: percentile(each, 0.5), p99: percentile(each, 0.99) }));
}
