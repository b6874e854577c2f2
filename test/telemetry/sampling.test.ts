/** The choice of the traces that are exported, and the trace of a request. */
import { describe, expect, test } from "vitest";
import {
  beginTrace,
  contextOfEvent,
  isExported,
  isInShare,
} from "../../src/telemetry/request_trace.ts";
import { newTraceId, traceparentOf } from "../../src/telemetry/trace_context.ts";

const sampling = (share: number) => ({
  otlp: { url: "http://otel.example/v1/traces", headers: {}, share },
  pageTokenKeys: ["key"],
});

test.each([0, 0.1, 0.5, 1])("a share of %d includes about as many traces", (share) => {
  const ids = Array.from({ length: 10_000 }, newTraceId);
  const included = ids.filter((id) => isInShare(sampling(share), id)).length;
  expect(Math.abs(included / ids.length - share)).toBeLessThan(0.02);
});

test("a caller cannot find ids that every platform includes", () => {
  const ids = Array.from(
    { length: 10_000 },
    (_, n) => `${"0".repeat(24)}${String(n).padStart(8, "0")}`,
  );
  const mine = ids.filter((id) => isInShare(sampling(0.1), id));
  const theirs = mine.filter((id) => isInShare({ ...sampling(0.1), pageTokenKeys: ["other"] }, id));
  expect(theirs.length / mine.length).toBeLessThan(0.2);
});

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const caller = (isSampled: boolean) =>
  new Headers({ traceparent: traceparentOf({ traceId, spanId: "00f067aa0ba902b7", isSampled }) });

describe("the flag of the caller is kept", () => {
  test.each([
    [true, 1, false, true],
    [true, 0, false, false],
    [false, 1, false, false],
    // A fault is exported all the same.
    [false, 0, true, true],
  ])(
    "sampled %s, a share of %d, a fault %s: exported %s",
    (isSampled, share, isFault, expected) => {
      const trace = beginTrace(caller(isSampled), undefined, sampling(share));
      expect(trace.context.isSampled).toBe(isSampled);
      expect(isExported(sampling(share), trace, isFault)).toBe(expected);
    },
  );
});

test("without an endpoint, the caller's trace is passed on and nothing is kept", () => {
  const trace = beginTrace(caller(true), undefined, { ...sampling(1), otlp: undefined });
  expect(trace).toMatchObject({
    records: false,
    context: { traceId, isSampled: true },
    requestId: traceId,
  });
});

test("a request that the caller has named keeps its id", () => {
  const named = beginTrace(caller(true), "build-17", sampling(1));
  expect(named).toMatchObject({ requestId: "build-17", context: { traceId } });
  const uuid = beginTrace(new Headers(), "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", sampling(1));
  expect(uuid).toMatchObject({ context: { traceId, spanId: traceId.slice(16) } });
});

test("the event of a request says which span caused it", () => {
  const trace = beginTrace(new Headers(), undefined, sampling(1));
  const event = { requestId: trace.requestId, extensions: {} };
  expect(contextOfEvent(sampling(1), event)).toEqual(trace.context);
  const extensions = { traceparent: traceparentOf({ ...trace.context, isSampled: false }) };
  expect(contextOfEvent(sampling(1), { requestId: "build-17", extensions })).toEqual({
    ...trace.context,
    isSampled: false,
  });
  expect(contextOfEvent(sampling(1), { requestId: "", extensions: {} })).toBeUndefined();
});
