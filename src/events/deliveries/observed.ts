/** The spans and the data points of deliveries. */
import { sql } from "drizzle-orm";
import { deliveries, deliveryCursor } from "../../../schema/tables/events/deliveries.ts";
import { events } from "../../../schema/tables/events/events.ts";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import { writePoint } from "../../telemetry/metrics.ts";
import { contextOfEvent, isInShare } from "../../telemetry/request_trace.ts";
import { newSpanId } from "../../telemetry/trace_context.ts";
import { type AttemptOutcome, attemptDelivery } from "./attempt.ts";
import type { SenderContext } from "./context.ts";
import type { DeliveryTrace, Receiver, SentEvent } from "./request.ts";

/** Makes an attempt as a span below that of the request that caused the event, and writes its data point. */
export async function attemptTraced(
  context: SenderContext,
  event: SentEvent,
  receiver: Receiver,
): Promise<AttemptOutcome> {
  const { config, metrics = {} } = context;
  const cause = contextOfEvent(config, event);
  const trace = cause && { cause, attempt: { ...cause, spanId: newSpanId() } };
  const outcome = await attemptDelivery(config, event, receiver, trace);
  const { time, latency, status } = outcome.attempt;
  writePoint(metrics, {
    kind: "delivery",
    worker: "events",
    operation: event.type,
    code: outcome.isDelivered ? "OK" : "UNAVAILABLE",
    organization: rootOf(receiver.uid),
    host: URL.parse(receiver.sink)?.host ?? "",
    status,
    duration_ms: latency,
    age_ms: time - event.time,
  });
  if (trace) keepSpan(context, trace, event, outcome);
  return outcome;
}

function keepSpan(
  { config, trace: run }: SenderContext,
  { cause, attempt }: DeliveryTrace,
  { id, type }: SentEvent,
  { isDelivered, attempt: { time, latency, status } }: AttemptOutcome,
): void {
  if (!cause.isSampled || !isInShare(config, cause.traceId)) return;
  run?.keep({
    traceId: cause.traceId,
    spanId: attempt.spanId,
    parentSpanId: cause.spanId,
    name: "deliver event",
    kind: "client",
    start: time,
    end: time + latency,
    isFailed: !isDelivered,
    describe: () => ({
      "messaging.message.id": id,
      "messaging.operation.name": "deliver",
      "cloudevents.event_type": type,
      "http.response.status_code": status === 0 ? undefined : status,
    }),
  });
}

/** With its table, which drizzle leaves out here: the name alone would be the uid of the delivery. */
const subscriptionUid = sql.raw(`"subscriptions"."uid"`);

/**
 * Selects since when the oldest event has waited that has no deliveries yet, and since when the oldest delivery is due. A
 * subscription does not count if its sink is to blame: if it is disabled, pauses, has not confirmed or is slow.
 */
export const selectAge = (db: Database, now: number) =>
  db
    .select({
      event: sql<number | null>`(select "time" from ${events} where "seq" >
        (select ${deliveryCursor.event} from ${deliveryCursor}) order by "seq" limit 1)`,
      delivery: sql<number | null>`(select min((select min("due_time") from ${deliveries}
          where "parent" = ${subscriptionUid} and "due_time" <= ${now})) from ${subscriptions}
        where ${subscriptions.disableTime} is null and ${subscriptions.pauseEndTime} <= ${now}
          and ${subscriptions.confirmDueTime} is null and coalesce(${subscriptions.slowEndTime}, 0) <= ${now})`,
    })
    .from(deliveryCursor);

/** Writes the age in that row. It is 0 if nothing waits. */
export function writeAge({ metrics = {} }: SenderContext, rows: unknown): void {
  const [row] = rows as { event: number | null; delivery: number | null }[];
  const now = Date.now();
  const since = Math.min(row?.event ?? now, row?.delivery ?? now);
  writePoint(metrics, { kind: "outbox", worker: "events", age_ms: now - since });
}
