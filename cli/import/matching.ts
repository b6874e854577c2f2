/** Waits until the records of an import are matched with the SBOMs of images, and shows how many are left. */
import { setTimeout } from "node:timers/promises";
import type { Client } from "../account/client.ts";
import { here, note, type Output } from "../surroundings.ts";
import { lineOn, progressBar } from "./progress.ts";

/** In milliseconds: the pause between two calls. It is longer if much is left, because the platform counts it each time. */
const pauseOf = (left: number) => Math.min(5_000, 500 + left / 10);

/**
 * Repeats a call until no record of the group is left to match. `records` is the number of records that the import wrote.
 * More can be left, for example of an earlier import. Returns the number of records that the command has seen.
 */
export async function watchMatching(request: {
  client: Client;
  group: string;
  records: number;
}): Promise<number> {
  const { client, group, records } = request;
  const show = showMatching(here().stderr);
  let total = records;
  try {
    for (;;) {
      const { advisoriesLeft: left } = await client.matchings.getMatching({ uid: group });
      total = Math.max(total, left);
      show.draw(total - left, left);
      if (left === 0) return total;
      await setTimeout(pauseOf(left));
    }
  } finally {
    show.end();
  }
}

/** Draws one line on a terminal. Elsewhere, it writes a line for each change. */
function showMatching(out: Output) {
  const line = lineOn(out);
  let last = "";
  return {
    draw(matched: number, left: number) {
      const text = matchingText(matched, left);
      if (out.isTTY) line.write(`${progressBar({ read: matched, size: matched + left })}  ${text}`);
      else if (text !== last) note(text);
      last = text;
    },
    end: line.clear,
  };
}

/** Returns `1,200 records matched, 1,800 left`. */
export const matchingText = (matched: number, left: number): string =>
  `${matched.toLocaleString("en")} ${matched === 1 ? "record" : "records"} matched, ${left.toLocaleString("en")} left`;
