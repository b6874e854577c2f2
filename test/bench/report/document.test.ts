import { expect, test } from "vitest";
import {
  countKeptGoals,
  findingsText,
  keptGoalsLine,
  resultsDocument,
} from "../../../bench/report/document.ts";
import type { Findings, Goal } from "../../../bench/report/findings.ts";

const goal = (what: string, kept: boolean): Goal => ({
  what,
  bound: "at most 1.3",
  measured: kept ? "1.1" : "1.4",
  kept,
});

const speed: Findings = {
  title: "Speed",
  text: "How it was measured.",
  tables: [
    { title: "Latency", text: "In milliseconds.", head: ["call", "ms"], rows: [["get", 1]] },
  ],
  goals: [goal("get", true), goal("list", false)],
  charts: [
    { name: "speed", title: "Ratios", kind: "bars", xTitle: "call", yTitle: "×", series: [] },
  ],
};
const size: Findings = { ...speed, title: "Size", goals: [goal("iam", true)], charts: [] };

test("goals of all families are in one table at the top, with missed goals first", () => {
  const text = resultsDocument([size, speed], [["Commit", "abc"]]);
  const table = text.slice(text.indexOf("## Goals"), text.indexOf("## Size"));
  expect(table.split("\n").filter((line) => line.startsWith("| S"))).toEqual([
    "| Speed | list | at most 1.3 | 1.4 | **not met** |",
    "| Size | iam | at most 1.3 | 1.1 | met |",
    "| Speed | get | at most 1.3 | 1.1 | met |",
  ]);
  expect(table).toContain("2 of 3 goals are met.");
  expect(text).toContain("- Commit: abc");
});

test("a goal that is missed is missed in the count", () => {
  expect(countKeptGoals([size, speed])).toEqual({ kept: 2, all: 3 });
  expect(keptGoalsLine([size])).toBe("All 1 goals are met.");
  expect(keptGoalsLine([])).toBe("No goals were measured.");
});

test("a family has its text, its charts and its tables", () => {
  const text = resultsDocument([speed], []);
  const parts = [
    "## Speed",
    "How it was",
    "![Ratios](speed.svg)",
    "### Latency",
    "In milli",
    "| get | 1 |",
  ];
  const places = parts.map((part) => text.indexOf(part));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test("a long table is collapsed, and complete", () => {
  const rows = Array.from({ length: 41 }, (_, at) => [`call ${at}`, at]);
  const long = { ...speed, tables: [{ title: "Calls", head: ["call", "n"], rows }] };
  const text = resultsDocument([long], []);
  expect(text).toContain("<details>\n<summary>41 rows</summary>\n\n| call | n |");
  expect(text).toContain("| call 40 | 40 |\n\n</details>");
});

test("the same results give the same document", () => {
  expect(resultsDocument([speed, size], [])).toBe(resultsDocument([speed, size], []));
});

test("a terminal gets text, tables and goals", () => {
  const text = findingsText(speed);
  for (const part of ["Speed\n=====", "How it was", "Latency", "get    1", "NOT KEPT"]) {
    expect(text).toContain(part);
  }
});
