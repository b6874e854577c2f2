/** The numbers above the picture are those of plain loops. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Kind } from "../../../console/timeline/records.ts";
import { statisticsOf } from "../../../console/timeline/statistics.ts";
import { spanText } from "../../../console/timeline/words.ts";
import { laterThanAll, randomMoves, recordsOf, timeOf } from "./made_records.ts";

const month = 30 * 86_400_000;

test("moves, recent moves, the median pause and the longest life are right for any records", () => {
  fc.assert(
    fc.property(randomMoves, fc.integer({ min: 0, max: 2 ** 38 }), (moves, later) => {
      const records = recordsOf(moves);
      const times = moves.map(timeOf);
      const now = (times[0] ?? 0) + later;
      const isMove = (at: number) =>
        [Kind.moved, Kind.rolledBack].some((kind) => kind === records.kindOf(at));
      const places = moves.map((_, at) => at);
      const pauses = times.slice(1).map((time, at) => (times[at] ?? 0) - time);
      const sorted = pauses.toSorted((a, b) => a - b);
      const half = sorted.length / 2;
      const [low, high] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
      const lives = places
        .filter((at) => records.kindOf(at) !== Kind.deleted)
        .map((at) => (at === 0 ? now : (times[at - 1] ?? 0)) - (times[at] ?? 0));
      expect(statisticsOf(records, now)).toEqual({
        moves: places.filter(isMove).length,
        recentMoves: places.filter((at) => isMove(at) && (times[at] ?? 0) > now - month).length,
        medianPause: low === undefined || high === undefined ? undefined : (low + high) / 2,
        longestLife: Math.max(0, ...lives),
      });
    }),
  );
  expect(statisticsOf(recordsOf([]), laterThanAll)).toMatchObject({ moves: 0, longestLife: 0 });
});

test.each([
  [500, "less than a second"],
  [90_000, "1 minute 30 seconds"],
  [35 * 60_000 + 32_000, "35 minutes"],
  [3_600_000, "1 hour"],
  [12 * 86_400_000 + 18 * 3_600_000 + 59_000, "12 days 18 hours"],
  [400 * 86_400_000, "1 year 1 month"],
])("a span of %i milliseconds is %s", (span, text) => {
  expect(spanText(span)).toBe(text);
});
