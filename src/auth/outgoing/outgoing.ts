/**
 * Every request that the platform sends to a server that is not its own. There is no other way out:
 * biome.json forbids `fetch` in src, and the clients of libraries outside of the files that hand them
 * one of these.
 */
import type { Config } from "../../config.ts";
import { boundedFetch } from "./bounded_fetch.ts";
import { destinationRefusal, endpointRules } from "./destination.ts";
import { cachedHostNameRefusal } from "./host_names.ts";

export { responseTimeoutMs } from "./bounded_fetch.ts";

/** A request that was not sent. The message begins with the origin that it was for. */
export class RefusedDestination extends Error {
  /** `must not be at a private or special address`, for a sentence with another subject. */
  readonly predicate: string;
  constructor(origin: string, predicate: string) {
    super(`${origin} ${predicate}`);
    this.predicate = predicate;
  }
}

/**
 * A request to a host that a customer, or a server of theirs, has named. Throws RefusedDestination
 * where it may not be sent, ConnectError UNAVAILABLE where the host's name cannot be looked up now,
 * and what {@link boundedFetch} throws.
 */
export async function fetchOutside(
  config: Config,
  url: string | URL,
  options: RequestInit,
): Promise<Response> {
  const text = String(url);
  const refusal = await destinationRefusal(config, text, endpointRules, cachedHostNameRefusal);
  if (refusal === undefined) return boundedFetch(text, options);
  throw new RefusedDestination(URL.parse(text)?.origin ?? "the address", refusal);
}

/**
 * A request to a host that the operator has named, who may have chosen a private one. Throws
 * RefusedDestination where the URL has come to be at another, and what {@link boundedFetch} throws.
 */
export async function fetchConfigured(
  config: Config,
  setting: "awsStsUrl" | "googleStsUrl" | "azureLoginUrl",
  url: string,
  options: RequestInit,
): Promise<Response> {
  const { origin } = new URL(config[setting]);
  if (URL.parse(url)?.origin === origin) return boundedFetch(url, options);
  throw new RefusedDestination(origin, "is not where the request would go");
}
