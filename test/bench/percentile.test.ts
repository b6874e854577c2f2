import { expect, test } from "vitest";
import { percentile } from "../../bench/percentile.ts";

const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);

test.each([
  [0.5, 50],
  [0.99, 99],
  [1, 100],
  [0, 1],
])("the share %d of 1 to 100 does not exceed %d", (share, value) => {
  expect(percentile(hundred, share)).toBe(value);
});

test("an empty list has no percentile", () => {
  expect(() => percentile([], 0.5)).toThrow("there are no measurements");
});
