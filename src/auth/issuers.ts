/**
 * Keys of other issuers, by OpenID Connect Discovery 1.0, fetched anew with every call of this file
 * (issuer_keys.ts keeps them). The caller has made sure that an identity or identity provider names
 * the issuer before anything is fetched.
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
import { endpointRules, issuerRules, urlRefusal } from "./outgoing/destination.ts";
import { fetchOutside, RefusedDestination, responseTimeoutMs } from "./outgoing/outgoing.ts";

/** Signature algorithms accepted from anyone: asymmetric ones (RFC 8725 section 3.1). */
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
 * The issuer's keys as they are now, by two requests: one for its discovery document, one for the key set.
 * Throws UNAVAILABLE where the issuer gives no answer, UNAUTHENTICATED where it may not be asked or its
 * discovery is wrong, and JOSEError for a key set that is none.
 */
export async function fetchKeys(config: Config, issuer: string): Promise<JWTVerifyGetKey> {
  // Identities may be older than the rules of destinations.
  const refusal = urlRefusal(config, issuer, issuerRules);
  if (refusal !== undefined) {
    throw unauthenticated(`issuer ${JSON.stringify(issuer)} ${refusal}`);
  }
  const keys = createRemoteJWKSet(new URL(await discover(config, issuer)), {
    // The set must not fetch by itself: issuer_keys.ts counts what is fetched.
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
    timeoutDuration: responseTimeoutMs,
    [customFetch]: newKeyFetcher(config),
  });
  await keys.reload();
  return keys;
}

/** What is read of a discovery document (OpenID Connect Discovery 1.0 section 3); nothing is sure. */
export interface DiscoveryDocument {
  issuer?: unknown;
  jwks_uri?: unknown;
  authorization_endpoint?: unknown;
  token_endpoint?: unknown;
  code_challenge_methods_supported?: unknown;
}

/**
 * What is said of an answer that cannot be used. It is the same for each, since status and bytes of a
 * server that only we can reach are not the caller's to know.
 */
const unusableAnswer = (url: string) =>
  `${url} gives no JSON object of at most 64 KiB with status 200 in five seconds`;

/** Whether an error says why nothing was sent, and not what came of it. */
const isNotSent = (error: unknown) =>
  error instanceof RefusedDestination || error instanceof ConnectError;

/**
 * Fetches an issuer's discovery document, unchecked but for being an object: no redirects, five
 * seconds, 64 KiB. Throws UNAVAILABLE, and RefusedDestination where the issuer may not be asked.
 */
export async function fetchDiscovery(config: Config, issuer: string): Promise<DiscoveryDocument> {
  const at = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  try {
    const response = await fetchOutside(config, at, {
      headers: new Headers({ accept: "application/json" }),
      method: "GET",
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    const document: unknown = response.status === 200 ? await response.json() : undefined;
    const isObject = typeof document === "object" && !Array.isArray(document);
    if (isObject && document !== null) return document;
  } catch (error) {
    if (isNotSent(error)) throw error;
  }
  throw unavailable(`discovery of issuer ${issuer} failed: ${unusableAnswer(at)}`);
}

/** A token proves nothing whose issuer may not be asked. */
function rethrowAsUnauthenticated(error: unknown): never {
  if (!(error instanceof RefusedDestination)) throw error;
  throw unauthenticated(`the issuer may not be asked for its keys: ${error.message}`);
}

async function discover(config: Config, issuer: string): Promise<string> {
  const document = await fetchDiscovery(config, issuer).catch(rethrowAsUnauthenticated);
  if (document.issuer !== issuer) {
    throw unauthenticated(`the discovery document of issuer ${issuer} is of another issuer`);
  }
  const { jwks_uri: at } = document;
  if (typeof at !== "string") throw unauthenticated(`issuer ${issuer} names no jwks_uri`);
  const refusal = urlRefusal(config, at, endpointRules);
  if (refusal !== undefined) throw unauthenticated(`the jwks_uri of issuer ${issuer} ${refusal}`);
  return at;
}

/** A key set that cannot be had now says nothing of the token: UNAVAILABLE, not a refusal. */
const newKeyFetcher =
  (config: Config): FetchImplementation =>
  async (url, options) => {
    try {
      const response = await fetchOutside(config, url, options as RequestInit);
      if (response.status === 200) return response;
    } catch (error) {
      if (isNotSent(error)) rethrowAsUnauthenticated(error);
    }
    throw unavailable(`fetching the issuer's keys failed: ${unusableAnswer(url)}`);
  };
