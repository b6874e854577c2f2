import fc from "fast-check";
import { expect, test } from "vitest";
import { endAt, holds, isOnly, only, outside } from "../../src/packages/key_intervals.ts";

const letters = "abcdefghij";
const key = fc.constantFrom(...letters);
const bound = fc.constantFrom("", ...letters);

test("the keys outside of intervals are those that none of them holds", () => {
  const intervals = fc.array(fc.record({ from: bound, below: bound, fixed: fc.constant("") }), {
    maxLength: 4,
  });
  const property = fc.property(fc.uniqueArray(key), intervals, (keys, some) => {
    const proper = some.filter(({ from, below }) => below === "" || from < below);
    const expected = keys.filter((one) => !proper.some((interval) => holds(interval, one))).sort();
    expect(outside(keys, proper)).toEqual(expected);
  });
  fc.assert(property, { numRuns: 5000 });
});

test("an interval of one key holds no other", () => {
  expect(isOnly(only("a"))).toBe(true);
  expect(["", "Z", "a", "a ", "aa", "b"].filter((one) => holds(only("a"), one))).toEqual(["a"]);
  expect(isOnly({ from: "a", below: "b" })).toBe(false);
  expect(isOnly({ from: "", below: "\u0001" })).toBe(false);
});

test.each([
  ["a", "d", "b", { from: "a", below: "b", fixed: "" }],
  ["a", "", "b", { from: "a", below: "b", fixed: "" }],
  ["a", "d", "d", { from: "a", below: "d", fixed: "4" }],
  ["a", "d", "e", { from: "a", below: "d", fixed: "4" }],
  ["a", "d", undefined, { from: "a", below: "d", fixed: "4" }],
  ["", "d", "", undefined],
  ["c", "d", "c", undefined],
  ["c", "d", "b", undefined],
])("the interval from %j to %j ends at %j", (from, below, end, expected) => {
  expect(endAt({ from, below, fixed: "4" }, end)).toEqual(expected);
});
