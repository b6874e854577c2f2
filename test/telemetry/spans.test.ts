/** The names of statements in spans, and what an export contains. */
import { expect, test } from "vitest";
import { exportBody } from "../../src/telemetry/otlp.ts";
import { batchSummary, type Span, statementName } from "../../src/telemetry/spans.ts";

test.each([
  ['select "uid" from "tags" where "tags"."name" = ?', "select tags"],
  ['insert into "events" ("id") select \'x@y.example\' from json_each(?)', "insert events"],
  ['insert or ignore into "blobs" values (?)', "insert blobs"],
  ['update "repos" set "name" = \'secret\' where "uid" = ?', "update repos"],
  ['delete from "deliveries" where "uid" in (select "uid" from "next")', "delete deliveries"],
  [
    'with "found" as (select "uid" from "role_bindings") select * from "found"',
    "select role_bindings",
  ],
  ["select 1", "select"],
  ["", "select"],
])("%s is called %s", (sql, name) => {
  expect(statementName(sql)).toBe(name);
});

test("a batch of many statements names the first, and counts the others", () => {
  const summary = batchSummary(Array.from({ length: 20 }, () => ({ sql: 'select 1 from "tags"' })));
  expect(summary.split("; ")).toHaveLength(17);
  expect(summary).toMatch(/; and 4 more$/);
});

const span: Span = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  parentSpanId: "",
  name: "a span",
  kind: "server",
  start: 1_700_000_000_000,
  end: 1_700_000_000_005,
  isFailed: true,
  describe: () => ({ text: "x".repeat(1_000), whole: 3, part: 0.5, is: true, none: undefined }),
};

test("an export is OTLP in JSON", () => {
  const body = JSON.parse(exportBody({ worker: "iam", spans: [span], droppedSpans: 0 }));
  expect(body.resourceSpans[0].resource.attributes).toContainEqual({
    key: "service.name",
    value: { stringValue: "platform-iam" },
  });
  expect(body.resourceSpans[0].scopeSpans[0].spans).toEqual([
    {
      traceId: span.traceId,
      spanId: span.spanId,
      name: "a span",
      kind: 2,
      startTimeUnixNano: "1700000000000000000",
      endTimeUnixNano: "1700000000005000000",
      attributes: [
        { key: "text", value: { stringValue: "x".repeat(512) } },
        { key: "whole", value: { intValue: "3" } },
        { key: "part", value: { doubleValue: 0.5 } },
        { key: "is", value: { boolValue: true } },
      ],
      status: { code: 2 },
    },
  ]);
});

test("an export has a limit, and says how many spans it lacks", () => {
  const spans = Array.from({ length: 1_000 }, () => span);
  const text = exportBody({ worker: "iam", spans, droppedSpans: 7 });
  expect(text.length).toBeLessThan(300 * 1024);
  const [sent] = JSON.parse(text).resourceSpans;
  const dropped = 7 + 1_000 - sent.scopeSpans[0].spans.length;
  expect(sent.resource.attributes).toContainEqual({
    key: "platform.dropped_spans",
    value: { intValue: String(dropped) },
  });
});
