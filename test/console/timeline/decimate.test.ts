/** The shapes of the picture: few, whatever the number of records, and none leaves a record out. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decimate,
  markWidth,
  narrowestBar,
  Sign,
  signOf,
} from "../../../console/timeline/decimate.ts";
import { Kind } from "../../../console/timeline/records.ts";
import { laterThanAll, randomMoves, rangeNear, recordsOf } from "./made_records.ts";

const scene = randomMoves.chain((moves) =>
  fc.record({
    records: fc.constant(recordsOf(moves)),
    range: rangeNear(moves),
    width: fc.integer({ min: 1, max: 400 }),
  }),
);
const now = laterThanAll;

/** The records in a range, by a plain loop over all of them. */
function plain(records: ReturnType<typeof recordsOf>, range: { from: number; to: number }) {
  const found = [];
  for (let index = 0; index < records.count; index += 1) {
    const [time, end] = [records.timeOf(index), records.endOf(index, now)];
    if (time > range.to || end <= range.from) continue;
    const isDeleted = records.kindOf(index) === Kind.deleted;
    found.push({ index, time, end, life: end - time, isDeleted, sign: signOf(records, index) });
  }
  return found;
}

describe("for any records, part of time and width", () => {
  test("every record with an image is in exactly one shape, and the lives are those of a plain loop", () => {
    fc.assert(
      fc.property(scene, ({ records, range, width }) => {
        const shapes = decimate(records, range, width, now);
        const expected = plain(records, range);
        const images = expected.filter(({ isDeleted }) => !isDeleted);
        const inColumns = shapes.columns.reduce((sum, { count }) => sum + count, 0);
        expect(shapes.count).toBe(expected.length);
        expect(shapes.bars.length + inColumns).toBe(images.length);
        const total = (lives: number[]) => lives.reduce((sum, life) => sum + life, 0);
        const drawn = [
          ...shapes.bars.map(({ life }) => life),
          ...shapes.columns.map((column) => column.total),
        ];
        expect(total(drawn)).toBe(total(images.map(({ life }) => life)));
        const longest = [
          ...shapes.bars.map(({ life }) => life),
          ...shapes.columns.map((column) => column.longest),
        ];
        expect(Math.max(0, ...longest)).toBe(Math.max(0, ...images.map(({ life }) => life)));
      }),
    );
  });

  test("there are at most one and a half shapes for each pixel, from left to right and within the picture", () => {
    fc.assert(
      fc.property(scene, ({ records, range, width }) => {
        const { bars, columns, gaps, marks } = decimate(records, range, width, now);
        expect(bars.length).toBeLessThanOrEqual(width / narrowestBar);
        expect(columns.length).toBeLessThanOrEqual(width + 1);
        expect(marks.length).toBeLessThanOrEqual(width / markWidth + 1);
        for (const shapes of [bars, columns, gaps, marks]) {
          const lefts = shapes.map(({ left }) => left);
          expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
          for (const left of lefts) {
            expect(left).toBeGreaterThanOrEqual(0);
            expect(left).toBeLessThanOrEqual(width);
          }
        }
      }),
    );
  });

  test("each record with a sign has a mark where it begins, and the most serious sign of a place wins", () => {
    fc.assert(
      fc.property(scene, ({ records, range, width }) => {
        const { marks } = decimate(records, range, width, now);
        const scale = width / (range.to - range.from);
        const places = new Map<number, { sign: number; count: number }>();
        for (const { time, sign } of plain(records, range)) {
          if (sign === Sign.moved || time < range.from) continue;
          const place = Math.floor(((time - range.from) * scale) / markWidth) * markWidth;
          const known = places.get(place) ?? { sign: 0, count: 0 };
          places.set(place, { sign: Math.max(known.sign, sign), count: known.count + 1 });
        }
        const found = new Map(marks.map(({ left, sign, count }) => [left, { sign, count }]));
        expect(found).toEqual(places);
      }),
    );
  });

  test("the times without the tag are gaps, unless they are narrower than a pixel", () => {
    fc.assert(
      fc.property(scene, ({ records, range, width }) => {
        const { gaps } = decimate(records, range, width, now);
        const scale = width / (range.to - range.from);
        const expected = plain(records, range)
          .filter(({ isDeleted }) => isDeleted)
          .map(({ time, end }) => ({
            left: Math.max(0, (time - range.from) * scale),
            right: Math.min(width, (end - range.from) * scale),
          }))
          .filter(({ left, right }) => right - left >= 1)
          .reverse();
        expect(gaps).toEqual(expected);
      }),
    );
  });
});
