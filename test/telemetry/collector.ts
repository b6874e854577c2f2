/** A collector of spans: an HTTP server that takes OTLP over HTTP with JSON. */
import { expect } from "vitest";
import { type Sink, startSink } from "../world/sink.ts";

/** A span as OTLP writes it. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  status: { code?: number };
}

interface ExportRequest {
  resourceSpans: {
    resource: { attributes: ReceivedSpan["attributes"] };
    scopeSpans: { scope: { name: string }; spans: ReceivedSpan[] }[];
  }[];
}

/** The attributes of a span by their names. */
export const attributesOf = ({ attributes }: Pick<ReceivedSpan, "attributes">) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );

/** Starts a collector on a port of this machine. */
export async function startCollector() {
  const sink: Sink = await startSink();
  const exports = () => sink.received.map(({ body }) => JSON.parse(body) as ExportRequest);
  const spans = () =>
    exports().flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
  return {
    ...sink,
    exports,
    spans,
    /** Waits for the spans of a trace, which arrive together. */
    async spansOf(traceId: string): Promise<ReceivedSpan[]> {
      const ofTrace = () => spans().filter((span) => span.traceId === traceId);
      await expect.poll(() => ofTrace().length).toBeGreaterThan(0);
      return ofTrace();
    },
  };
}

export type Collector = Awaited<ReturnType<typeof startCollector>>;
