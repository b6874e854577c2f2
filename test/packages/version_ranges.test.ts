/** Ranges in `vers` notation, against the versions that are in them. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { holds } from "../../src/packages/key_intervals.ts";
import { versionSortKey } from "../../src/packages/version_order.ts";
import {
  contains,
  readVersionRange,
  toIntervals,
  toKeyIntervals,
} from "../../src/packages/version_ranges.ts";

const of = (text: string, type = "deb") => {
  const range = readVersionRange(text, type);
  if (!range) throw new Error(`${text} is no range`);
  return range;
};

test.each([
  ["vers:deb/>=1.0|<2.0", "1.0 1.5 2.0~rc1", "0.9 2.0 3.0 1.0~rc1"],
  ["vers:deb/>1.0|<=2.0", "1.0-1 2.0", "1.0 2.0-1"],
  ["vers:deb/<1.0|>=2.0|<3.0|>=4.0", "0.5 2.5 4.0 9", "1.0 1.5 3.0 3.5"],
  ["vers:deb/1.0|2.0", "1.0 2.0", "1.5 0.9"],
  ["vers:deb/=1.0|!=2.0|>=3.0", "1.0 3.0", "2.0 1.5"],
  ["vers:deb/>=1.0|!=1.5|<2.0", "1.4 1.6", "1.5 2.0"],
  ["vers:deb/!=1.5", "1.4 2", "1.5"],
  ["vers:deb/*", "1 9", ""],
  ["vers:deb/ >= 1.0 | < 2.0 ", "1.5", "2.0"],
  ["vers:deb/>=1%3A1.0|<1%3A2.0", "1:1.5", "1.5"],
])("%s contains %s, and not %s", (text, inside, outside) => {
  const range = of(text);
  for (const version of inside.split(" ").filter(Boolean))
    expect([version, contains(range, version)]).toEqual([version, true]);
  for (const version of outside.split(" ").filter(Boolean))
    expect([version, contains(range, version)]).toEqual([version, false]);
});

test.each([
  ["npm", "vers:npm/>=1.0.0|<2.0.0", "1.2.3"],
  ["apk", "vers:alpine/<3.1.4-r5", "3.1.4-r4"],
  ["rpm", "vers:rpm/<3.0.7-24.el9", "3.0.7-9.el9"],
  ["pypi", "vers:pypi/<2.0", "2.0rc1"],
  ["maven", "vers:maven/<2.15.0", "2.14.1"],
  ["golang", "vers:golang/<v1.2.0", "v1.1.0"],
  ["cargo", "vers:cargo/<1.2.0", "1.1.0"],
])("the order is that of %s", (type, text, inside) => {
  expect(contains(of(text, type), inside)).toBe(true);
});

test.each([
  ["words", "all before 2.0", "deb"],
  ["another ecosystem", "vers:rpm/<2.0", "deb"],
  ["an ecosystem without an order", "vers:generic/<2.0", "generic"],
  ["a version that the order does not know", "vers:npm/<two", "npm"],
  ["the same version twice", "vers:deb/>=1.0|<1.0", "deb"],
  ["two beginnings", "vers:deb/>=1.0|>=2.0", "deb"],
  ["two ends", "vers:deb/<1.0|<2.0", "deb"],
  ["nothing", "vers:deb/", "deb"],
  ["a damaged escape", "vers:deb/<1%", "deb"],
])("%s is no range", (_, text, type) => {
  expect(readVersionRange(text, type)).toBeUndefined();
});

test("a version that the order does not know is in no range, and not outside of one", () => {
  expect(contains(of("vers:npm/>=1.0.0", "npm"), "weird")).toBeUndefined();
});

test("the intervals of OSV contain what the range contains, or there are none", () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 });
  const marks = fc.array(fc.constantFrom("", "=", "!=", "<", "<=", ">", ">="), {
    ...{ minLength: 5, maxLength: 5 },
  });
  let sayable = 0;
  const holds = (versions: number[], comparators: string[], at: number) => {
    const range = readVersionRange(
      `vers:deb/${versions.map((one, i) => `${comparators[i]}${one}`).join("|")}`,
      "deb",
    );
    const intervals = range && toIntervals(range);
    if (!range || !intervals) return;
    sayable += 1;
    const isIn = intervals.some(({ introduced, fixed, lastAffected }) => {
      const isBefore = fixed === undefined || at < Number(fixed);
      return at >= Number(introduced) && isBefore && at <= Number(lastAffected ?? at);
    });
    expect(isIn).toBe(contains(range, String(at)));
  };
  const property = fc.property(numbers, marks, fc.integer({ min: 0, max: 21 }), holds);
  fc.assert(property, { numRuns: 5000 });
  expect(sayable).toBeGreaterThan(500);
});

test("the intervals of sort keys hold what the range contains", () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
  const marks = fc.array(fc.constantFrom("", "!=", "<", "<=", ">", ">="), {
    ...{ minLength: 5, maxLength: 5 },
  });
  let ranges = 0;
  const property = fc.property(numbers, marks, (versions, comparators) => {
    const text = versions.map((one, i) => `${comparators[i]}${one}`).join("|");
    const range = readVersionRange(`vers:deb/${text}`, "deb");
    if (!range) return;
    ranges += 1;
    const intervals = toKeyIntervals(range);
    for (let at = 0; at <= 10; at += 1) {
      const key = versionSortKey("deb", String(at)) ?? "";
      const isIn = intervals.some((interval) => holds(interval, key));
      expect([at, isIn]).toEqual([at, contains(range, String(at))]);
    }
    expect(intervals.every(({ from, below }) => below === "" || from < below)).toBe(true);
  });
  fc.assert(property, { numRuns: 3000 });
  expect(ranges).toBeGreaterThan(300);
});

test("only an end that is left out is a version that fixes", () => {
  const fixedOf = (text: string) => toKeyIntervals(of(text)).map(({ fixed }) => fixed);
  expect(fixedOf("vers:deb/<1.0|>=2.0|<=3.0|>=4.0")).toEqual(["1.0", "", ""]);
  expect(fixedOf("vers:deb/<3.0|!=2.0")).toEqual(["", "3.0"]);
});
