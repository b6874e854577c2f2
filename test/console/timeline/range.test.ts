/** Zooming and moving keep the picture within the life of the tag. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  clamped,
  moved,
  readTime,
  shortestSpan,
  showing,
  spanOf,
  writeTime,
  zoomed,
} from "../../../console/timeline/range.ts";

const year = 31_557_600_000;
const bounds = fc
  .tuple(fc.integer({ min: 0, max: 50 * year }), fc.integer({ min: 10_000, max: 20 * year }))
  .map(([from, span]) => ({ from, to: from + span }));
const parts = fc
  .tuple(
    bounds,
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0.001, max: 1, noNaN: true }),
  )
  .map(([whole, at, part]) => {
    const span = Math.max(shortestSpan, spanOf(whole) * part);
    const from = whole.from + at * (spanOf(whole) - span);
    return { whole, part: clamped({ from, to: from + span }, whole) };
  });
const near = (value: number) => [value - 0.01, value + 0.01] as const;

test("the picture stays within the life of the tag and is never shorter than a second, whatever the person does", () => {
  const any = fc.double({ min: -1e13, max: 1e13, noNaN: true });
  const factor = fc.double({ min: 0.0001, max: 10_000, noNaN: true });
  fc.assert(
    fc.property(parts, any, any, factor, ({ whole, part }, a, b, by) => {
      for (const range of [
        clamped({ from: a, to: b }, whole),
        moved(part, a, whole),
        zoomed(part, by, a, whole),
        showing(part, a, whole),
      ]) {
        expect(range.from).toBeGreaterThanOrEqual(whole.from - 0.01);
        expect(range.to).toBeLessThanOrEqual(whole.to + 0.01);
        expect(spanOf(range)).toBeGreaterThanOrEqual(shortestSpan - 0.01);
      }
    }),
  );
});

test("a zoom keeps the time below the pointer in its place, unless that would leave the life of the tag", () => {
  const factor = fc.double({ min: 0.05, max: 1, noNaN: true });
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(parts, factor, place, ({ whole, part }, by, at) => {
      const time = part.from + at * spanOf(part);
      const after = zoomed(part, by, time, whole);
      const [low, high] = near(after.from + at * spanOf(after));
      expect(time).toBeGreaterThanOrEqual(low);
      expect(time).toBeLessThanOrEqual(high);
    }),
  );
});

test("a time of the address is read as it was written", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60 * year }), (time) => {
      expect(readTime(writeTime(time))).toBe(time);
    }),
  );
  for (const text of ["", "soon", "2024-13-01"]) expect(readTime(text)).toBeUndefined();
});
