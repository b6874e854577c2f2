import { expect, test } from "vitest";
import { costOf } from "../../bench/server_timing.ts";

const header = 'd1;desc="round_trips=1 rows_read=57 rows_written=12"';

test("a cost is what the header tells", () => {
  expect(costOf(header)).toEqual({ roundTrips: 1, rowsRead: 57, rowsWritten: 12 });
});

test("what the header does not tell is an error, not a cost of nothing", () => {
  expect(() => costOf("")).toThrow("no round_trips");
  expect(() => costOf(header.replace("rows_written", "rows"))).toThrow("no rows_written");
});
