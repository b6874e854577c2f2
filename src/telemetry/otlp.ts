/** Exports spans by OTLP over HTTP with JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp). */
import type { Config } from "../config.ts";
import { logLine } from "./log.ts";
import { type Attributes, type AttributeValue, type Span, spanKinds } from "./spans.ts";

/** The spans of one export. */
export interface SpanBatch {
  /** The Worker, such as `registry`. */
  worker: string;
  spans: Span[];
  droppedSpans: number;
}

/** The most characters of an attribute. */
const maxTextLength = 512;

/** The most characters of one export. Spans that would exceed them are left out. */
const maxBodyLength = 256 * 1024;

const anyValue = (value: AttributeValue) => {
  if (typeof value === "string") return { stringValue: value.slice(0, maxTextLength) };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
};

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );

/** OTLP writes times in nanoseconds, as text. */
const nanoseconds = (ms: number) => `${ms}000000`;

const spanJson = ({ describe, kind, start, end, isFailed, parentSpanId, ...span }: Span) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(parentSpanId === "" ? {} : { parentSpanId }),
  name: span.name.slice(0, maxTextLength),
  kind: spanKinds[kind],
  startTimeUnixNano: nanoseconds(start),
  endTimeUnixNano: nanoseconds(end),
  attributes: attributesOf(describe()),
  status: isFailed ? { code: 2 } : {},
});

/** The body of an export. The first spans are kept if it would be too long. */
export function exportBody({ worker, spans, droppedSpans }: SpanBatch): string {
  const kept: string[] = [];
  let length = 0;
  for (const span of spans) {
    const text = JSON.stringify(spanJson(span));
    length += text.length;
    if (length > maxBodyLength) break;
    kept.push(text);
  }
  const dropped = droppedSpans + spans.length - kept.length;
  const resource = attributesOf({
    "service.name": `platform-${worker}`,
    "service.namespace": "platform",
    "platform.dropped_spans": dropped === 0 ? undefined : dropped,
  });
  const scope = JSON.stringify({ name: "platform" });
  return `{"resourceSpans":[{"resource":${JSON.stringify({ attributes: resource })},"scopeSpans":[{"scope":${scope},"spans":[${kept.join(",")}]}]}]}`;
}

/** Sends a request to the endpoint of the configuration (src/auth/outgoing/outgoing.ts). */
export type SendExport = (config: Config, options: RequestInit) => Promise<Response>;

/** How long the endpoint has to respond, in milliseconds. */
const exportTimeout = 5_000;

/** After a failure, the isolate exports nothing for this long. In milliseconds. */
const pauseAfterFailure = 30_000;

/** The most exports of an isolate at the same time. A slow endpoint gets no more. */
const maxOpenExports = 20;

let openExports = 0;
let pauseEnd = 0;

/**
 * Sends spans once. If the endpoint does not take them, they are lost, and so are those of the next half minute. Never
 * throws.
 */
export async function exportSpans(
  config: Config,
  batch: SpanBatch,
  send: SendExport,
): Promise<void> {
  const { otlp } = config;
  if (!otlp || openExports >= maxOpenExports || Date.now() < pauseEnd) return;
  openExports += 1;
  try {
    const { status } = await send(config, {
      method: "POST",
      headers: { ...otlp.headers, "content-type": "application/json" },
      body: exportBody(batch),
      signal: AbortSignal.timeout(exportTimeout),
    });
    if (status < 200 || status > 299) pause(`status ${status}`);
  } catch (thrown) {
    pause(thrown instanceof Error ? thrown.name : "no response");
  } finally {
    openExports -= 1;
  }
}

function pause(reason: string): void {
  const isPaused = Date.now() < pauseEnd;
  pauseEnd = Date.now() + pauseAfterFailure;
  if (!isPaused) logLine("warn", `the endpoint for spans took none: ${reason}`);
}
