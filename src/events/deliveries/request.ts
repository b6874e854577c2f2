/**
 * Builds the request of a delivery: a CloudEvent in binary content mode (contract: events, "Delivery"). It has
 * a token of our issuer, and the signatures of Standard Webhooks 1.0.
 */
import { type SQL, sql } from "drizzle-orm";
import { events } from "../../../schema/tables/events/events.ts";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import { sha256 } from "../../aip/sha256.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import { signToken } from "../../auth/keys.ts";
import type { Config } from "../../config.ts";
import {
  readTracestate,
  type TraceContext,
  traceparentHeader,
  traceparentOf,
  tracestateHeader,
} from "../../telemetry/trace_context.ts";
import { openWebhookSecret, signWebhook } from "../subscriptions/secret.ts";

/** How long the token is valid, in milliseconds. */
const tokenLifetime = 3_600_000;

const eventColumns = {
  seq: events.seq,
  id: events.id,
  type: events.type,
  source: events.source,
  subject: events.subject,
  group: sql<string>`${events.group}`.as("event_group"),
  extensions: events.extensions,
  bodyType: events.bodyType,
  time: events.time,
  requestId: events.requestId,
  /** The text as it is stored. It is parsed only to unpack it (src/outbox/stored_data.ts). */
  data: sql<string>`${events.data}`.as("event_data"),
};

export const subscriptionColumns = {
  uid: subscriptions.uid,
  sink: subscriptions.sink,
  secret: subscriptions.secret,
  previousSecret: subscriptions.previousSecret,
  previousSecretExpiry: subscriptions.previousSecretExpiry,
  slowEndTime: subscriptions.slowEndTime,
};

/** An event, as far as a request contains it. */
export type SentEvent = Awaited<ReturnType<typeof selectSentEvents>>[number];
/** A subscription, as far as a request depends on it. */
export type Receiver = Awaited<ReturnType<typeof selectReceivers>>[number];

/** Selects events by their numbers, which are a subquery. */
export const selectSentEvents = (db: Database, seqs: SQL) =>
  db.select(eventColumns).from(events).where(sql`${events.seq} in ${seqs}`);

/** Selects subscriptions by their uids, which are a subquery. */
export const selectReceivers = (db: Database, uids: SQL) =>
  db.select(subscriptionColumns).from(subscriptions).where(sql`${subscriptions.uid} in ${uids}`);

/**
 * The options of the request, for fetch. The signatures are valid for an attempt at this time. `data` is the body, byte
 * for byte, because the signatures of all attempts are about the same bytes.
 */
export async function sinkRequest(
  config: Config,
  event: SentEvent,
  receiver: Receiver,
  now: number,
  trace?: DeliveryTrace,
): Promise<RequestInit> {
  const { data: body } = event;
  const headers = {
    ...traceHeaders(event, trace),
    "content-type": "application/json",
    ...sinkHeaders(config),
    authorization: `Bearer ${await tokenFor(config, receiver, body, now)}`,
    ...cloudEventHeaders(config, event, receiver),
    ...(await standardWebhooksHeaders(config, event, receiver, now)),
  };
  return { method: "POST", headers, body };
}

/** The spans of a delivery: that of the request that caused the event, and that of the attempt. */
export interface DeliveryTrace {
  cause: TraceContext;
  attempt: TraceContext;
}

/** The headers of the trace (contract: events, "Delivery"). The state is what the caller of that request has sent. */
function traceHeaders({ extensions }: SentEvent, trace?: DeliveryTrace): Record<string, string> {
  if (!trace) return {};
  const state = readTracestate(extensions.tracestate);
  return {
    [traceparentHeader]: traceparentOf(trace.attempt),
    "original-traceparent": traceparentOf(trace.cause),
    ...(state === "" ? {} : { [tracestateHeader]: state }),
  };
}

/** The headers of every request to a sink. They name the platform. */
export const sinkHeaders = ({ vendor, baseUrl }: Config) => ({
  "user-agent": `${vendor[0]?.toUpperCase()}${vendor.slice(1)} Enforce (+${baseUrl})`,
});

async function tokenFor(config: Config, { uid }: Receiver, body: string, now: number) {
  const webhook = { digest: `sha256:${await sha256(body)}` };
  const claims = { aud: "customer", sub: `webhook:${parentOf(uid)}`, webhook };
  return signToken(config, claims, { issued: now, expires: now + tokenLifetime });
}

/** The attributes as headers (CloudEvents HTTP binding 1.0, section 3.1.3). */
function cloudEventHeaders(
  { vendor }: Config,
  event: SentEvent,
  { uid, sink }: Receiver,
): Record<string, string> {
  // Names of attributes have only lowercase letters and digits.
  const ours = `${vendor.replaceAll("-", "")}dev1`;
  const attributes = {
    specversion: "1.0",
    id: event.id,
    type: event.type,
    source: event.source,
    subject: event.subject,
    time: new Date(event.time).toISOString(),
    group: event.group,
    audience: "customer",
    bodytype: event.bodyType === "" ? "" : `${vendor}.${event.bodyType}`,
    requestid: event.requestId,
    ...event.extensions,
    [`${ours}delivery`]: "webhook",
    [`${ours}webhook`]: sink,
    [`${ours}subscription`]: uid,
  };
  return Object.fromEntries(
    Object.entries(attributes)
      .filter(([, value]) => value !== "")
      .map(([name, value]) => [`ce-${name}`, headerValue(value)]),
  );
}

/** Percent-encodes everything but printable ASCII without space, quote and percent (section 3.1.3.2). */
const headerValue = (text: string) =>
  text.replace(/[^!#-$&-~]+/gu, (part) =>
    encodeURIComponent(part.toWellFormed()).replaceAll("'", "%27"),
  );

/** The signatures of each valid secret. There is none for a subscription that never had a secret. */
async function standardWebhooksHeaders(
  config: Config,
  { id, data: body }: SentEvent,
  { uid, secret, previousSecret, previousSecretExpiry }: Receiver,
  now: number,
): Promise<Record<string, string>> {
  const sealed = [secret, previousSecretExpiry > now ? previousSecret : ""].filter(
    (secretText) => secretText !== "",
  );
  if (sealed.length === 0) return {};
  const seconds = Math.floor(now / 1000);
  const signatures = sealed.map(async (sealedSecret) =>
    signWebhook(await openWebhookSecret(config, uid, sealedSecret), { id, seconds, body }),
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": (await Promise.all(signatures)).join(" "),
  };
}
