/** Begins the trace of a request from its headers: it continues the caller's trace, or begins a new one. */
import type { Config } from "../config.ts";
import { Trace } from "./trace.ts";
import {
  newSpanId,
  newTraceId,
  readTraceparent,
  readTracestate,
  type TraceContext,
  traceIdIn,
  traceparentHeader,
  tracestateHeader,
} from "./trace_context.ts";

/** The settings that decide whether a trace is exported. */
export type Sampling = Pick<Config, "otlp" | "pageTokenKeys">;

/**
 * Whether the operator's share includes a trace. All Workers decide in the same way, so a trace is whole. The key keeps
 * callers from choosing ids that are always included.
 */
export function isInShare({ otlp, pageTokenKeys: [key = ""] }: Sampling, traceId: string): boolean {
  if (!otlp) return false;
  // FNV-1a, which spreads the ids over all numbers of 32 bits.
  let hash = 0x811c9dc5;
  for (const text of [key, traceId])
    for (let at = 0; at < text.length; at++)
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  // The last steps of MurmurHash3, as FNV-1a spreads the last characters little.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32 < otlp.share;
}

/**
 * Begins the trace of a request. `requestId` is the id that the caller has chosen, if it has. Otherwise the id of the
 * request is that of its trace. `sampling` is undefined if the configuration is wrong.
 */
export function beginTrace(
  headers: Headers,
  requestId: string | undefined,
  sampling: Sampling | undefined,
): Trace {
  const parent = readTraceparent(headers.get(traceparentHeader));
  const named = traceIdIn(requestId ?? "");
  const traceId = parent?.traceId ?? named ?? newTraceId();
  const isSampled = parent?.isSampled ?? (sampling !== undefined && isInShare(sampling, traceId));
  return new Trace({
    context: { traceId, spanId: parent ? newSpanId() : firstSpanOf(traceId), isSampled },
    parentSpanId: parent?.spanId ?? "",
    state: parent ? readTracestate(headers.get(tracestateHeader)) : "",
    requestId: requestId ?? traceId,
    records: sampling?.otlp !== undefined,
  });
}

/**
 * The span of a request that begins its trace: the second half of the trace's id, so that the id says which span it is.
 * The id of a span is never zero, which a caller's id of a request can contain.
 */
const firstSpanOf = (traceId: string): string =>
  traceId.slice(16).replace(/^0{16}$/, "1".repeat(16));

/** The trace and the span of the request that has this id, if it began its trace. */
export function firstSpanIn(
  requestId: string,
): Pick<TraceContext, "traceId" | "spanId"> | undefined {
  const traceId = traceIdIn(requestId);
  return traceId === undefined ? undefined : { traceId, spanId: firstSpanOf(traceId) };
}

/** The span of a request, as its event has kept it. Undefined if the event does not belong to a request. */
export function contextOfEvent(
  sampling: Sampling,
  { requestId, extensions }: { requestId: string; extensions: Record<string, string> },
): TraceContext | undefined {
  const kept = readTraceparent(extensions.traceparent);
  if (kept) return kept;
  const first = firstSpanIn(requestId);
  return first && { ...first, isSampled: isInShare(sampling, first.traceId) };
}

/** Whether a trace is exported: the caller and the operator's share want it, or the platform has failed. */
export const isExported = (sampling: Sampling, { context, records }: Trace, isFault: boolean) =>
  records && (isFault || (context.isSampled && isInShare(sampling, context.traceId)));
