/** docs/OPERATIONS.md: its tables name what the code writes, and its queries use the right columns. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { blobNames, doubleNames } from "../../src/telemetry/metrics.ts";
import { requestFields } from "../world/log_lines.ts";

const text = readFileSync("docs/OPERATIONS.md", "utf8");

const columns = Object.fromEntries([
  ...blobNames.map((name, at) => [`blob${at + 1}`, name]),
  ...doubleNames.map((name, at) => [`double${at + 1}`, name]),
]);

/** The cells in backticks at the beginning of the rows of the table below a heading. */
function rowsBelow(heading: string): string[][] {
  const [, section = ""] = text.split(`## ${heading}\n`);
  const [until = ""] = section.split("\n## ");
  return [...until.matchAll(/^\| (`.*)$/gm)].map(([, row = ""]) =>
    row.split(" | ").map((cell) => cell.replaceAll("`", "")),
  );
}

test("the table of the metrics has the columns of a data point", () => {
  const rows = rowsBelow("The metrics").map(([column = "", name = ""]) => [column, name]);
  expect(Object.fromEntries(rows)).toEqual(columns);
});

test("the table of the log has the fields of a line", () => {
  const named = rowsBelow("The log").flatMap(([names = ""]) => names.split(", "));
  const written = Object.keys(requestFields).filter((name) => name !== "time");
  expect(named.toSorted()).toEqual(written.toSorted());
});

const queries = [...text.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, query = ""]) => query);

describe("the queries", () => {
  test("there is one for each of the five alarms", () => {
    expect(text.match(/^## \d\. /gm)).toHaveLength(5);
    expect(queries.length).toBeGreaterThanOrEqual(5);
    expect(text.match(/^At 3 in the morning:$/gm)).toHaveLength(5);
  });

  test.each(queries)("%s", (query) => {
    // The form of a query of Analytics Engine: each part at most once, in this order.
    expect(query).toMatch(
      /^SELECT .+\nFROM platform\nWHERE timestamp > NOW\(\) - INTERVAL '\d+' MINUTE AND blob1 = '\w+'/,
    );
    const parts = [...query.matchAll(/^(SELECT|FROM|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT)\b/gm)];
    const order = ["SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT"];
    const places = parts.map(([, part = ""]) => order.indexOf(part));
    expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
    for (const [column] of query.matchAll(/\b(?:blob|double)\d+\b/g))
      expect(columns).toHaveProperty(column);
    // A column keeps its name, as itself or as its largest value.
    for (const [, column = "", name = ""] of query.matchAll(
      /(?:^SELECT |, )(?:MAX\()?((?:blob|double)\d+)\)? AS (\w+)/gm,
    ))
      expect(name).toBe(columns[column]);
    const [, kind] = /blob1 = '(\w+)'/.exec(query) ?? [];
    expect(["request", "call", "delivery", "outbox"]).toContain(kind);
    expect(query.split("(").length).toBe(query.split(")").length);
  });
});
