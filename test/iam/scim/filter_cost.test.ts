import { describe, expect, test } from "vitest";
import { parseFilter } from "../../../src/iam/scim/filter.ts";
import {
  checkScanCost,
  countReads,
  maxMeasuredUsers,
  requiresKey,
} from "../../../src/iam/scim/filter_cost.ts";

describe("a filter reads columns and JSON", () => {
  test.each<[string, number, number]>([
    ['userName co "x"', 1, 0],
    ['active eq true and meta.created gt "2000-01-01T00:00:00Z"', 2, 0],
    ["title pr", 0, 1],
    ['not (title eq "x" or userName eq "y")', 1, 1],
    ['emails.value co "x"', 0, 1],
    // The list is read once, and each of its values as often as it is compared.
    ['emails[type eq "work" and value co "x"]', 0, 3],
    [Array(25).fill("emails pr").join(" or "), 0, 25],
  ])("%s", (text, columns, attributes) => {
    expect(countReads(parseFilter(text))).toEqual({ columns, attributes });
  });
});

test.each<[string, boolean]>([
  ['userName eq "x"', true],
  ['title pr and (emails pr and externalId eq "x")', true],
  ['id eq "x"', true],
  ['userName eq "x" or title pr', false],
  ['userName eq "x" or externalId eq "x"', false],
  ['not (userName eq "x")', false],
  ['userName ne "x"', false],
  ["externalId eq null", false],
  ['emails[value eq "x"]', false],
])("%s demands a key: %s", (text, isDemanded) => {
  expect(requiresKey(parseFilter(text))).toBe(isDemanded);
});

describe("at most 64 MiB are read", () => {
  const most = 64 * 1024 * 1024;

  test.each([
    [
      { columns: 0, attributes: 1 },
      { users: 0, columns: 9e9, attributes: most },
    ],
    [
      { columns: 0, attributes: 16 },
      { users: 1, columns: 9e9, attributes: most / 16 - 64 },
    ],
    [
      { columns: 2, attributes: 0 },
      { users: 100, columns: most / 2 - 6400, attributes: 9e9 },
    ],
  ])("%j of %j, and not a byte more", (looks, measure) => {
    checkScanCost(looks, measure);
    const more = { ...measure, columns: measure.columns + 1, attributes: measure.attributes + 1 };
    expect(() => checkScanCost(looks, more)).toThrow("reads too much data");
  });

  test("users are measured only up to one above the limit of a filter", () => {
    for (const looks of [
      { columns: 1, attributes: 0 },
      { columns: 3, attributes: 22 },
    ]) {
      const users = maxMeasuredUsers(looks);
      const empty = { columns: 0, attributes: 0 };
      checkScanCost(looks, { ...empty, users: users - 1 });
      expect(() => checkScanCost(looks, { ...empty, users })).toThrow("reads too much data");
    }
  });
});
