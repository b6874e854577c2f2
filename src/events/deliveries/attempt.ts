/** Makes one attempt to send an event to a sink. */
import { ConnectError } from "@connectrpc/connect";
import type { StoredAttempt } from "../../../schema/tables/events/deliveries.ts";
import { fetchSink, RefusedDestination } from "../../auth/outgoing/outgoing.ts";
import { type Config, ConfigError } from "../../config.ts";
import { DamagedData, unpackText } from "../../outbox/stored_data.ts";
import { logLine } from "../../telemetry/log.ts";
import { type DeliveryTrace, type Receiver, type SentEvent, sinkRequest } from "./request.ts";

/** How long a sink has to respond, in milliseconds. The lookup of its name is included. */
const attemptTimeout = 10_000;

/** The bytes of a response that are kept. */
const keptBytes = 1024;

/** The longest pause that a sink can request, in milliseconds. */
const maxRetryAfter = 24 * 3_600_000;

export interface AttemptOutcome {
  attempt: StoredAttempt;
  isDelivered: boolean;
  /** The sink wants no more events. */
  isGone: boolean;
  /** The stored event cannot be read, so no attempt can send it. */
  isUnreadable: boolean;
  /** The pause that the sink has requested, in milliseconds. 0 if it has not. */
  retryAfter: number;
}

/**
 * Sends the event. Every status from 200 to 299 means that it was delivered. Redirects are not followed.
 * Throws ConfigError if the Worker lacks a key, and then nothing was sent.
 */
export async function attemptDelivery(
  config: Config,
  event: SentEvent,
  receiver: Receiver,
  trace?: DeliveryTrace,
): Promise<AttemptOutcome> {
  const time = Date.now();
  const took = () => Date.now() - time;
  const data = await readData(event);
  if (data === undefined) {
    return { ...failureAt(time, 0, "the stored event is damaged"), isUnreadable: true };
  }
  const request = await sinkRequest(config, { ...event, data }, receiver, time, trace);
  try {
    const options = { ...request, signal: AbortSignal.timeout(attemptTimeout) };
    const { status, headers, text } = await fetchSink(config, receiver.sink, options, keptBytes);
    return {
      attempt: { time, latency: took(), status, error: "", response: text },
      isDelivered: status >= 200 && status < 300,
      isGone: status === 410,
      isUnreadable: false,
      retryAfter: readRetryAfter(headers.get("retry-after") ?? "", Date.now()),
    };
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw thrown;
    return failureAt(time, took(), failureText(thrown));
  }
}

/** The JSON of the event's data. Undefined if it is damaged, which is logged. */
async function readData({ id, data }: SentEvent): Promise<string | undefined> {
  try {
    return await unpackText(data);
  } catch (thrown) {
    if (!(thrown instanceof DamagedData)) throw thrown;
    logLine("error", `the event ${id} cannot be sent, because its stored data is damaged`);
    return undefined;
  }
}

/** An attempt without a response. */
const failureAt = (time: number, latency: number, error: string): AttemptOutcome => ({
  attempt: { time, latency, status: 0, error, response: "" },
  isDelivered: false,
  isGone: false,
  isUnreadable: false,
  retryAfter: 0,
});

/** Why there was no response, in words for the owner of the sink. */
function failureText(thrown: unknown): string {
  if (thrown instanceof RefusedDestination) return thrown.message;
  if (thrown instanceof ConnectError) return thrown.rawMessage;
  const { name } = thrown as Error;
  if (name === "TimeoutError" || name === "AbortError") {
    return `the sink did not respond within ${attemptTimeout / 1000} seconds`;
  }
  return "the connection to the sink failed or was closed before a response";
}

/** The value of a `retry-after` header (RFC 9110 section 10.2.3) in milliseconds, up to a day. */
export function readRetryAfter(value: string, now: number): number {
  const pause = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(pause) ? 0 : Math.min(Math.max(pause, 0), maxRetryAfter);
}
