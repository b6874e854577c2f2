import { expect, test } from "vitest";
import { priceOfMillion } from "../../../bench/cost/prices.ts";

// A million requests are $0.30, a billion rows read $1, a million written $1.
test("the cost of a million calls includes their requests and the rows of all of them", () => {
  expect(priceOfMillion({ rowsRead: 0, rowsWritten: 0 })).toBeCloseTo(0.3);
  expect(priceOfMillion({ rowsRead: 1_000, rowsWritten: 0 })).toBeCloseTo(1.3);
  expect(priceOfMillion({ rowsRead: 0, rowsWritten: 7 })).toBeCloseTo(7.3);
});
