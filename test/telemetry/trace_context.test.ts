/** The headers of a trace that a caller can send. */
import { expect, test } from "vitest";
import {
  newSpanId,
  newTraceId,
  readTraceparent,
  readTracestate,
  traceIdIn,
  traceparentOf,
} from "../../src/telemetry/trace_context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";
const valid = `00-${traceId}-${spanId}-01`;

test.each([
  [valid, true],
  [`00-${traceId}-${spanId}-00`, false],
  // Other flags have no meaning yet.
  [`00-${traceId}-${spanId}-ff`, true],
  [`00-${traceId}-${spanId}-fe`, false],
  // A later version begins in the same way.
  [`01-${traceId}-${spanId}-01`, true],
  [`cc-${traceId}-${spanId}-01-what-comes-later`, true],
])("%s is a traceparent", (text, isSampled) => {
  expect(readTraceparent(text)).toEqual({ traceId, spanId, isSampled });
});

test.each([
  ["nothing", ""],
  ["version ff", `ff-${traceId}-${spanId}-01`],
  ["more in version 00", `${valid}-more`],
  ["more without a hyphen", `01-${traceId}-${spanId}-01more`],
  ["a trace of zeros", `00-${"0".repeat(32)}-${spanId}-01`],
  ["a span of zeros", `00-${traceId}-${"0".repeat(16)}-01`],
  ["capitals", valid.toUpperCase()],
  ["a short trace", `00-${traceId.slice(1)}-${spanId}-01`],
  ["a long span", `00-${traceId}-${spanId}0-01`],
  ["another digit", `00-${traceId.replace("4", "g")}-${spanId}-01`],
  ["two headers", `${valid}, ${valid}`],
  ["spaces", ` ${valid}`],
  ["a line break", `${valid}\n`],
  ["a script", "<script>alert(1)</script>"],
  ["a very long text", `01-${traceId}-${spanId}-01-${"a".repeat(10_000)}`],
])("a traceparent is refused with %s", (_, text) => {
  expect(readTraceparent(text)).toBeUndefined();
});

test("what is written can be read", () => {
  const context = { traceId: newTraceId(), spanId: newSpanId(), isSampled: true };
  expect(readTraceparent(traceparentOf(context))).toEqual(context);
});

test.each([
  ["one member", "rojo=00f067aa0ba902b7", "rojo=00f067aa0ba902b7"],
  ["two members, spaces and an empty member", "rojo=1 ,\t congo=t61, ", "rojo=1,congo=t61"],
  ["a tenant", "fw529a3039@dt=FfAAA", "fw529a3039@dt=FfAAA"],
  ["nothing", "", ""],
])("a tracestate with %s is passed on", (_, text, expected) => {
  expect(readTracestate(text)).toBe(expected);
});

test("a tracestate that is too long loses the members at its end", () => {
  const members = Array.from({ length: 10 }, (_, n) => `key${n}=${"v".repeat(90)}`);
  const kept = readTracestate(members.join(","));
  expect(kept).toBe(members.slice(0, 5).join(","));
  expect(kept.length).toBeLessThanOrEqual(512);
});

test.each([
  ["no value", "rojo"],
  ["an empty value", "rojo="],
  ["a key in capitals", "Rojo=1"],
  ["the same key twice", "rojo=1,rojo=2"],
  ["33 members", Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(",")],
  ["a character that is not ASCII", "rojo=\u00e9"],
  ["a line break", "rojo=1\r\nx-evil: 1"],
  ["a second equals sign", "rojo=1=2"],
  ["a very long text", `rojo=${"a".repeat(100_000)}`],
])("a tracestate is dropped with %s", (_, text) => {
  expect(readTracestate(text)).toBe("");
});

test.each([
  [traceId, traceId],
  ["4bf92f35-77b3-4da6-a3ce-929d0e0e4736", traceId],
  ["build-17", undefined],
  ["0".repeat(32), undefined],
  [traceId.toUpperCase(), undefined],
])("the id %s of a request names the trace %s", (requestId, expected) => {
  expect(traceIdIn(requestId)).toBe(expected);
});
