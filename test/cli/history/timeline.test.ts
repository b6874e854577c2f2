import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { TagPeriod } from "../../../cli/history/tag_history.ts";
import {
  type Canvas,
  drawTimeline,
  shortDigest,
  showsUnicode,
  summaryLine,
} from "../../../cli/history/timeline.ts";

const now = new Date("2026-03-01T00:00:00.000Z");
const plain = new PassThrough() as unknown as NodeJS.WriteStream;
const canvas = (change: Partial<Canvas> = {}): Canvas => ({
  columns: 100,
  unicode: true,
  stream: plain,
  now,
  ...change,
});
const digest = (n: number) => `sha256:${n.toString(16).padStart(64, "0")}`;

/** Stays that begin at the given times, newest first. */
const stays = (...times: string[]): TagPeriod[] =>
  times.map((updateTimestamp, i) => {
    const replacedTimestamp = times[i - 1];
    const stay = { updateTimestamp, digest: digest(times.length - i) };
    return replacedTimestamp === undefined ? stay : { ...stay, replacedTimestamp };
  });

const week = stays(
  "2026-02-28T00:00:00.000Z",
  "2026-02-27T00:00:00.000Z",
  "2026-02-02T00:00:00.000Z",
);
const rails = (lines: string[]) => lines.map((line) => /[─┄]+/.exec(line)?.[0].length ?? 0);

test("a digest that was current for longer has a longer rail", () => {
  const [newest = 0, middle = 0, longest = 0] = rails(drawTimeline(week, canvas()));
  expect(newest).toBe(middle);
  expect(longest).toBeGreaterThan(middle);
  expect(middle).toBeGreaterThan(0);
});

test("only the digest that the tag points to now is current, in either order", () => {
  for (const order of [week, week.toReversed()]) {
    const current = drawTimeline(order, canvas()).filter((line) => line.endsWith("current"));
    expect(current).toEqual([expect.stringContaining("2026-02-28 00:00:00Z")]);
  }
  const past = week.slice(1);
  expect(drawTimeline(past, canvas()).join()).not.toContain("current");
});

test.each([40, 60, 80, 90, 100, 200])("no line is longer than %i characters", (columns) => {
  const old = stays(
    "2026-02-28T00:00:00.000Z",
    "2025-03-05T00:00:00.000Z",
    "2016-01-01T00:00:00.000Z",
  );
  const lines = drawTimeline(old, canvas({ columns }));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  // The digests are aligned below each other.
  expect(new Set(lines.map((line) => line.indexOf("0".repeat(11)))).size).toBe(1);
  // The date comes first to be left out, because the distance shows the time as well.
  expect(lines.every((line) => line.includes("Z"))).toBe(columns >= 80);
  expect(lines.some((line) => line.includes("current"))).toBe(columns >= 60);
});

test("a terminal with ASCII only gets ASCII only", () => {
  for (const line of drawTimeline(week, canvas({ unicode: false })))
    expect(line).toMatch(/^[ -~]*$/);
});

test.each([
  [{ LANG: "en_US.UTF-8" }, true],
  [{ LC_ALL: "C", LANG: "en_US.UTF-8" }, false],
  [{ LC_CTYPE: "C.utf8" }, true],
  [{ TERM: "dumb", LANG: "C.UTF-8" }, false],
  [{}, true],
])("%j can show more than ASCII: %s", (env, expected) => {
  expect(showsUnicode(env)).toBe(expected);
});

test("a clock behind that of the platform causes no negative times", () => {
  const [line] = drawTimeline(stays("2026-03-01T00:00:05.000Z"), canvas());
  expect(line).toMatch(/in 5 seconds.* 0 s +current$/);
});

test("the summary counts the digests, and how often a new one appears", () => {
  expect(summaryLine(week)).toBe("3 digests, on average a new one every 13 d");
  expect(summaryLine(week.slice(0, 1))).toBe("1 digest");
  const [newest, ...others] = week;
  const back = newest ? [{ ...newest, digest: digest(1) }, ...others] : [];
  expect(summaryLine(back)).toBe("2 digests in 3 moves, on average a new one every 13 d");
});

test("a short digest has the first twelve digits", () => {
  expect(shortDigest(`sha256:0123456789abcdef${"0".repeat(48)}`)).toBe("0123456789ab");
});
