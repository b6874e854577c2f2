/**
 * Fetches the keys of other issuers by OpenID Connect Discovery 1.0, on every call of this file
 * (issuer_keys.ts caches them). The caller has made sure that an identity or identity provider names the
 * issuer before anything is fetched.
 */
import { ConnectError } from "@connectrpc/connect";
import {
  createRemoteJWKSet,
  customFetch,
  type FetchImplementation,
  type JWTVerifyGetKey,
} from "jose";
import { unauthenticated, unavailable } from "../aip/errors.ts";
import type { Config } from "../config.ts";
import type { Trace } from "../telemetry/trace.ts";
import { endpointRules, issuerRules, urlRefusal } from "./outgoing/destination.ts";
import { fetchOutside, RefusedDestination, responseTimeoutMs } from "./outgoing/outgoing.ts";

/** The accepted signature algorithms. All of them are asymmetric (RFC 8725 section 3.1). */
export const acceptedAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/**
 * Fetches the issuer's current keys with two requests: the discovery document and the key set. Throws
 * UNAVAILABLE if the issuer does not respond. Throws UNAUTHENTICATED if the issuer is a forbidden destination
 * or its discovery document is wrong. Throws JOSEError if the key set is invalid.
 */
export async function fetchKeys(
  config: Config,
  issuer: string,
  trace?: Trace,
): Promise<JWTVerifyGetKey> {
  // An identity can be older than the rules for destinations.
  const refusal = urlRefusal(config, issuer, issuerRules);
  if (refusal !== undefined) {
    throw unauthenticated(`the issuer ${JSON.stringify(issuer)} ${refusal}`);
  }
  const keys = createRemoteJWKSet(new URL(await discover(config, issuer, trace)), {
    // The set must not fetch by itself, because issuer_keys.ts counts what is fetched.
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
    timeoutDuration: responseTimeoutMs,
    [customFetch]: newKeyFetcher(config, trace),
  });
  await keys.reload();
  return keys;
}

/**
 * The fields that are read from a discovery document (OpenID Connect Discovery 1.0 section 3). None of them
 * is guaranteed.
 */
export interface DiscoveryDocument {
  issuer?: unknown;
  jwks_uri?: unknown;
  authorization_endpoint?: unknown;
  token_endpoint?: unknown;
  code_challenge_methods_supported?: unknown;
}

/**
 * The text about an unusable response. It is the same for all of them, because the caller must not learn the
 * status and bytes of a server that only the platform can reach.
 */
const unusableAnswer = (url: string) =>
  `${url} must return a JSON object of at most 64 KiB with status 200 within five seconds`;

/** Whether an error says why a request was not sent. Other errors are about its result. */
const isNotSent = (error: unknown) =>
  error instanceof RefusedDestination || error instanceof ConnectError;

/**
 * Fetches an issuer's discovery document and checks only that it is an object. No redirects are followed, and
 * the limits are five seconds and 64 KiB. Throws UNAVAILABLE, and RefusedDestination if the issuer is a
 * forbidden destination.
 */
export async function fetchDiscovery(
  config: Config,
  issuer: string,
  trace?: Trace,
): Promise<DiscoveryDocument> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  try {
    const options = {
      headers: new Headers({ accept: "application/json" }),
      method: "GET",
      signal: AbortSignal.timeout(responseTimeoutMs),
    };
    const response = await fetchOutside(config, url, options, trace);
    const document: unknown = response.status === 200 ? await response.json() : undefined;
    const isObject = typeof document === "object" && !Array.isArray(document);
    if (isObject && document !== null) return document;
  } catch (error) {
    if (isNotSent(error)) throw error;
  }
  throw unavailable(`discovery of the issuer ${issuer} failed: ${unusableAnswer(url)}`);
}

/** A token proves nothing if its issuer is a forbidden destination. */
function rethrowAsUnauthenticated(error: unknown): never {
  if (!(error instanceof RefusedDestination)) throw error;
  throw unauthenticated(`the keys of the issuer cannot be fetched: ${error.message}`);
}

async function discover(config: Config, issuer: string, trace?: Trace): Promise<string> {
  const document = await fetchDiscovery(config, issuer, trace).catch(rethrowAsUnauthenticated);
  if (document.issuer !== issuer) {
    throw unauthenticated(`the discovery document of the issuer ${issuer} names another issuer`);
  }
  const { jwks_uri: keysUrl } = document;
  if (typeof keysUrl !== "string")
    throw unauthenticated(`the discovery document of the issuer ${issuer} has no jwks_uri`);
  const refusal = urlRefusal(config, keysUrl, endpointRules);
  if (refusal !== undefined)
    throw unauthenticated(`the jwks_uri of the issuer ${issuer} ${refusal}`);
  return keysUrl;
}

/** A key set that cannot be fetched now does not make the token invalid, so this is UNAVAILABLE. */
const newKeyFetcher =
  (config: Config, trace?: Trace): FetchImplementation =>
  async (url, options) => {
    try {
      const response = await fetchOutside(config, url, options as RequestInit, trace);
      if (response.status === 200) return response;
    } catch (error) {
      if (isNotSent(error)) rethrowAsUnauthenticated(error);
    }
    throw unavailable(`the keys of the issuer cannot be fetched now: ${unusableAnswer(url)}`);
  };
