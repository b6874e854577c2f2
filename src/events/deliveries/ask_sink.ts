/**
 * Asks a sink whether it wants events. Only a host whose owner wants events may get them. A plain 200 does not show
 * that, because web servers respond with it to anything.
 */

import { parentOf } from "../../aip/uid_path.ts";
import { fetchSink } from "../../auth/outgoing/outgoing.ts";
import type { Config } from "../../config.ts";
import { ConfigError } from "../../config.ts";
import { type Receiver, type SentEvent, sinkHeaders, sinkRequest } from "./request.ts";

/** How long the sink has for each of the requests, in milliseconds. */
const requestTime = 5_000;

/** The bytes of a response that are read. */
const readBytes = 64;

/** Headers that a receiver verifies. */
const credentials = ["authorization", "webhook-id", "webhook-timestamp", "webhook-signature"];

/** The answer of a sink. */
export interface SinkAnswer {
  hasConfirmed: boolean;
  /** How long the last request took, in milliseconds. */
  latency: number;
  /** A part of a sentence: the response of a sink that has not confirmed. */
  instead: string;
}

/**
 * Sends at most three requests. First the handshake of CloudEvents (HTTP Webhook 1.0, section 4). A sink that does not
 * know it gets a test event without its credentials, which only a receiver refuses, and after that the event with them.
 * Throws ConfigError if the Worker lacks a key.
 */
export async function askSink(config: Config, receiver: Receiver): Promise<SinkAnswer> {
  let latency = 0;
  const send = async (options: RequestInit) => {
    const start = Date.now();
    const signal = AbortSignal.timeout(requestTime);
    try {
      return await fetchSink(config, receiver.sink, { ...options, signal }, readBytes);
    } catch (thrown) {
      if (thrown instanceof ConfigError) throw thrown;
      return undefined;
    } finally {
      latency = Date.now() - start;
    }
  };
  const answer = (hasConfirmed: boolean, instead = ""): SinkAnswer => ({
    ...{ hasConfirmed, latency, instead },
  });
  const origin = new URL(config.baseUrl).hostname;
  const headers = { ...sinkHeaders(config), "webhook-request-origin": origin };
  const handshake = await send({ method: "OPTIONS", headers });
  if (!handshake) return answer(false, "it did not respond");
  const allowed = handshake.headers.get("webhook-allowed-origin")?.trim().toLowerCase();
  const isAllowed = allowed === "*" || allowed === origin;
  if (isAllowed && handshake.status >= 200 && handshake.status < 300) return answer(true);
  const request = await sinkRequest(config, testEvent(config, receiver), receiver, Date.now());
  const unsigned = new Headers(request.headers);
  for (const name of credentials) unsigned.delete(name);
  const refused = await send({ ...request, headers: unsigned });
  if (refused?.status !== 401 && refused?.status !== 403) {
    const what = refused ? `responded with ${refused.status}` : "did not respond";
    return answer(false, `it ${what} to an event without a signature`);
  }
  const accepted = await send(request);
  if (accepted && accepted.status >= 200 && accepted.status < 300) return answer(true);
  const what = accepted ? `responded with ${accepted.status}` : "did not respond";
  return answer(false, `it ${what} to a signed event`);
}

/** An event like those of TestSubscription. It is not stored. */
function testEvent({ vendor, baseUrl }: Config, { uid }: Receiver): SentEvent {
  const id = crypto.randomUUID();
  return {
    ...{ seq: 0, id, subject: uid, group: parentOf(uid), extensions: {}, time: Date.now() },
    type: `dev.${vendor}.api.events.subscription.tested.v1`,
    source: `${baseUrl}/events/v2/subscriptions`,
    bodyType: "platform.events.v2.TestSubscriptionResponse",
    requestId: "",
    data: JSON.stringify({ actor: { subject: "" }, body: { eventId: id } }),
  };
}
