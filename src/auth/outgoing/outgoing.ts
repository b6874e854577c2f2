/**
 * Sends every request from the platform to a server that is not its own. biome.json forbids `fetch` elsewhere
 * in src. It also forbids clients of libraries, except in the files that pass one of these functions to them.
 */
import type { Config } from "../../config.ts";
import type { Trace } from "../../telemetry/trace.ts";
import { traceparentHeader, tracestateHeader } from "../../telemetry/trace_context.ts";
import { boundedFetch, fetchShort, fetchStream, type ShortResponse } from "./bounded_fetch.ts";
import { destinationRefusal, endpointRules, sinkRules } from "./destination.ts";
import { cachedHostNameRefusal } from "./host_names.ts";

export { responseTimeoutMs } from "./bounded_fetch.ts";

/** A request that was not sent. The message begins with the origin of its URL. */
export class RefusedDestination extends Error {
  /** For a sentence with another subject: `must not have a private or special address`. */
  readonly predicate: string;
  constructor(origin: string, predicate: string) {
    super(`${origin} ${predicate}`);
    this.predicate = predicate;
  }
}

/**
 * Sends a request to a host that a customer, or a customer's server, has named. The request continues the trace, if one is given. Throws RefusedDestination if
 * the destination is forbidden. Throws ConnectError UNAVAILABLE if the host's name cannot be looked up now,
 * and the errors of {@link boundedFetch}.
 */
export async function fetchOutside(
  config: Config,
  url: string | URL,
  options: RequestInit,
  trace?: Trace,
): Promise<Response> {
  const text = String(url);
  const refusal = await destinationRefusal(config, text, endpointRules, cachedHostNameRefusal);
  if (refusal === undefined) return fetchTraced(text, options, trace);
  throw new RefusedDestination(URL.parse(text)?.origin ?? "the address", refusal);
}

/** Sends the request as a span of the trace, with the header that names the span. */
async function fetchTraced(url: string, options: RequestInit, trace?: Trace): Promise<Response> {
  if (!trace) return boundedFetch(url, options);
  const { host } = new URL(url);
  const start = Date.now();
  let status: number | undefined;
  const describe = () => ({ "server.address": host, "http.response.status_code": status });
  try {
    return await trace.span(
      { name: "fetch of an issuer", kind: "client", describe },
      async (traceparent) => {
        const headers = new Headers(options.headers);
        headers.set(traceparentHeader, traceparent);
        if (trace.state !== "") headers.set(tracestateHeader, trace.state);
        const response = await boundedFetch(url, { ...options, headers });
        ({ status } = response);
        return response;
      },
    );
  } finally {
    const isFailed = status === undefined || status >= 500;
    trace.countCall({ host, isFailed, duration: Date.now() - start });
  }
}

/** Sends spans to the endpoint that the operator has configured, which can be a private one. */
export const fetchOtlp = ({ otlp }: Config, options: RequestInit): Promise<Response> =>
  boundedFetch(otlp?.url ?? "", options);

/**
 * Sends a request to the sink of a subscription, and reads at most `limit` bytes of the response. The host's
 * name is looked up again, because its addresses can change. Throws as {@link
 * fetchOutside} does.
 */
export async function fetchSink(
  config: Config,
  sink: string,
  options: RequestInit,
  limit: number,
): Promise<ShortResponse> {
  const refusal = await destinationRefusal(config, sink, sinkRules);
  if (refusal === undefined) return fetchShort(sink, options, limit);
  throw new RefusedDestination("the sink", refusal);
}

/**
 * Sends a request to the upstream of a mirror, and returns when the headers of the response have arrived. The caller reads
 * the body, and follows redirects with this function again. Throws RefusedDestination and UNAVAILABLE as {@link
 * fetchOutside} does, and the errors of {@link fetchStream}.
 */
export async function fetchUpstream(
  config: Config,
  url: string,
  options: RequestInit,
  timeoutMs: number,
): Promise<Response> {
  const refusal = await destinationRefusal(config, url, endpointRules, cachedHostNameRefusal);
  if (refusal === undefined) return fetchStream(url, options, timeoutMs);
  throw new RefusedDestination(URL.parse(url)?.origin ?? "the address", refusal);
}

/**
 * Sends a request to a host that the operator has configured, which can be a private one. Throws
 * RefusedDestination if the URL is on another origin, and the errors of {@link boundedFetch}.
 */
export async function fetchConfigured(
  config: Config,
  setting: "awsStsUrl" | "googleStsUrl" | "azureLoginUrl",
  url: string,
  options: RequestInit,
): Promise<Response> {
  const { origin } = new URL(config[setting]);
  if (URL.parse(url)?.origin === origin) return boundedFetch(url, options);
  throw new RefusedDestination(
    origin,
    "is the configured host, and the request would go to another one",
  );
}
