/** The ways to a page of a list, and how many rows the platform skips on them. */
import { describe, expect, test } from "vitest";
import { type KnownPage, reversed, wayTo } from "../../../console/data/jumps.ts";

/** Walks the pages in this order as a table does, and returns the rows that each request skips. */
function skippedOn(pages: number[], rows: number, size = 10): number[] {
  const known: KnownPage[] = [{ page: 0, next: "after 0" }];
  return pages.map((page) => {
    const { isReversed, skip } = wayTo(page, size, known, rows);
    const link = isReversed ? { previous: `before ${page}` } : { next: `after ${page}` };
    known.push({ page, ...link });
    return skip;
  });
}

describe("a page of a list", () => {
  test("that follows a known one costs no skipped rows, in both directions", () => {
    expect(skippedOn([1, 2, 3], 1000)).toEqual([0, 0, 0]);
    expect(skippedOn([99, 98, 97], 1000)).toEqual([0, 0, 0]);
  });

  test("at the end costs no skipped rows, and has the rows that a page there has", () => {
    expect(wayTo(99, 10, [], 995)).toEqual({ isReversed: true, skip: 0, pageSize: 5 });
    expect(wayTo(98, 10, [], 995)).toEqual({ isReversed: true, skip: 5, pageSize: 10 });
  });

  test("in the middle costs at most half of the rows, and those that follow cost none", () => {
    expect(skippedOn([50, 51, 52], 1000)).toEqual([490, 0, 0]);
    expect(skippedOn([70, 69, 68], 1000)).toEqual([290, 0, 0]);
  });

  test("in the other direction than the jump costs one more jump, and then none", () => {
    expect(skippedOn([50, 49, 48, 47], 1000)).toEqual([490, 500, 0, 0]);
    expect(skippedOn([70, 71, 72], 1000)).toEqual([290, 700, 0]);
  });

  test("near the beginning is read from there", () => {
    expect(skippedOn([5, 4, 3], 1000)).toEqual([40, 30, 20]);
  });

  test("is read from the nearest page that is known", () => {
    const known = [
      { page: 20, next: "after 20" },
      { page: 60, previous: "before 60" },
    ];
    expect(wayTo(25, 10, known, 1000)).toEqual({
      ...{ isReversed: false, pageToken: "after 20", skip: 40, pageSize: 10 },
    });
    expect(wayTo(55, 10, known, 1000)).toEqual({
      ...{ isReversed: true, pageToken: "before 60", skip: 40, pageSize: 10 },
    });
  });

  test("of a list without an order is read forward", () => {
    const known = [{ page: 60, previous: "before 60" }];
    expect(wayTo(59, 10, known, undefined)).toEqual({ isReversed: false, skip: 590, pageSize: 10 });
  });
});

test("the opposite of an order has the other direction", () => {
  expect(["name", "name asc", "update_time desc"].map(reversed)).toEqual([
    ...["name desc", "name desc", "update_time"],
  ]);
});
