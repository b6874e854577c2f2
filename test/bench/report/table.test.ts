import { expect, test } from "vitest";
import { markdownTable, plainTable } from "../../../bench/report/table.ts";

const head = ["call", "rows", "share"];
const rows = [
  ["list", 1_234_567, "all"],
  ["get", 7.12345, 0.5],
];

test("on a terminal, columns are aligned and numbers are right-aligned", () => {
  expect(plainTable(head, rows).split("\n")).toEqual([
    "call       rows  share",
    "----  ---------  -----",
    "list  1,234,567  all",
    "get       7.123  0.5",
  ]);
});

test("in Markdown, the text of a row depends only on its own cells", () => {
  const [first, second] = rows;
  const alone = markdownTable(head, [first ?? []]).split("\n");
  const both = markdownTable(head, [first ?? [], second ?? []]).split("\n");
  expect(both).toContain("| list | 1,234,567 | all |");
  expect(alone[2]).toBe(both[2]);
});

test("no cell ends a column or a row of Markdown", () => {
  expect(markdownTable(["a|b"], [["c|d\ne"]])).toBe("| a\\|b |\n| --- |\n| c\\|d e |");
});

test("a column is numeric only if all its cells are numbers", () => {
  expect(markdownTable(head, rows).split("\n")[1]).toBe("| --- | ---: | --- |");
  expect(markdownTable(["rows"], []).split("\n")[1]).toBe("| --- |");
});
