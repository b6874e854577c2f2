import { expect, test } from "vitest";
import { serverTiming } from "../../src/rpc/database.ts";
import { costOf } from "./server_timing.ts";

const cost = { roundTrips: 1, rowsRead: 57, rowsWritten: 12 };

test("a cost is read as the platform writes it", () => {
  expect(costOf(serverTiming(cost))).toEqual(cost);
});

test("a header without one of the figures is an error, not a cost of zero", () => {
  expect(() => costOf("")).toThrow("no round_trips");
  expect(() => costOf(serverTiming(cost).replace("rows_written", "rows"))).toThrow(
    "no rows_written",
  );
});
