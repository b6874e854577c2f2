/**
 * Metrics in Analytics Engine. Each request has a data point, and so has each call to another server. So have each attempt to
 * deliver an event and each look at the outbox. The queries of docs/OPERATIONS.md use the names of this file.
 */
import type { Env } from "../config.ts";
import type { EndedRequest, Trace } from "./trace.ts";

/** The texts of a data point in their order: `blob1`, `blob2` and so on. */
export const blobNames = [
  "kind",
  "worker",
  "operation",
  "class",
  "code",
  "organization",
  "caller",
  "host",
] as const;

/** The numbers of a data point in their order: `double1`, `double2` and so on. */
export const doubleNames = [
  "status",
  "duration_ms",
  "round_trips",
  "rows_read",
  "rows_written",
  "database_bytes",
  "age_ms",
] as const;

/** The kinds of data points. */
export type PointKind = "request" | "call" | "delivery" | "outbox";

type Texts = Partial<Record<(typeof blobNames)[number], string>>;
type Numbers = Partial<Record<(typeof doubleNames)[number], number>>;

/** The most characters of a text. All texts of a data point may have 16 KB. */
const maxTextLength = 256;

/** Writes a data point, if there is a dataset. Its index is the organization, so that no tenant hides another. */
export function writePoint(
  { METRICS }: Pick<Env, "METRICS">,
  point: Texts & Numbers & { kind: PointKind },
): void {
  if (!METRICS) return;
  try {
    METRICS.writeDataPoint({
      indexes: [(point.organization || point.kind).slice(0, 40)],
      blobs: blobNames.map((name) => (point[name] ?? "").slice(0, maxTextLength)),
      doubles: doubleNames.map((name) => point[name] ?? 0),
    });
  } catch {
    // A request does not fail because of its metrics.
  }
}

/** Writes the data points of a request that is over. */
export function writeRequestPoints(env: Env, trace: Trace, ended: EndedRequest): void {
  if (!env.METRICS) return;
  const { facts, costs, calls } = trace;
  const { worker, status, duration: duration_ms } = ended;
  writePoint(env, {
    kind: "request",
    worker,
    ...facts,
    status,
    duration_ms,
    round_trips: costs.roundTrips,
    rows_read: costs.rowsRead,
    rows_written: costs.rowsWritten,
    database_bytes: costs.databaseBytes,
  });
  for (const { host, isFailed, duration } of calls) {
    const code = isFailed ? "UNAVAILABLE" : "OK";
    writePoint(env, { kind: "call", worker, host, code, duration_ms: duration });
  }
}
