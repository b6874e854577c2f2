import { expect, test } from "vitest";
import type { CostCase } from "./case.ts";
import { scanFaults } from "./plans.ts";

const asked: CostCase = { name: "GetThing", kind: "Get", path: "/" };
const faults = (sql: string, ...plan: string[]) => scanFaults(asked, sql, plan, new Set());

test("a scan of a table or of a whole index is a fault, under the table's name or an alias", () => {
  const lines = ["SCAN tags", "SCAN tags USING COVERING INDEX tags_by_digest", "SCAN found"];
  for (const line of lines) {
    expect(faults("select uid from tags as found", line)).toEqual([line]);
  }
});

test("an automatic index for one statement is a fault, unless its rows are in memory", () => {
  const line = "SEARCH tags USING AUTOMATIC COVERING INDEX (name=?)";
  expect(faults("select tags.uid from found join tags using (name)", line)).toEqual([line]);
  const given = "with tags(name) as (select 'latest') select uid from repos join tags using (name)";
  expect(faults(given, line)).toEqual([]);
});

test("a sort is a fault", () => {
  const line = "USE TEMP B-TREE FOR ORDER BY";
  expect(
    faults("select uid from tags order by name", "SEARCH tags USING INDEX x (parent=?)", line),
  ).toEqual([line]);
});

test("rows in memory can be scanned: parameters, constants, subselects and common table expressions", () => {
  expect(
    faults("select value from json_each(?) as given", "SCAN given VIRTUAL TABLE INDEX 1:"),
  ).toEqual([]);
  expect(
    faults("select 1", "SCAN CONSTANT ROW", "SCAN 2 CONSTANT ROWS", "SCAN (subquery-1)"),
  ).toEqual([]);
  const steps = "with recursive steps(depth, uid) as (select 0, 1) select uid from steps";
  expect(faults(steps, "SCAN steps")).toEqual([]);
  expect(faults("select at from (select 1 as at) as path", "SCAN path")).toEqual([]);
});
