/**
 * Keys of other issuers, by OpenID Connect Discovery 1.0. The caller has made sure that an
 * identity or identity provider names the issuer before anything is fetched.
 */
import {
  createRemoteJWKSet,
  customFetch,
  type FetchImplementation,
  type JWTVerifyGetKey,
} from "jose";
import { unauthenticated, unavailable } from "../aip/errors.ts";
import { answerTimeout, boundedFetch } from "./bounded_fetch.ts";

/** Signature algorithms accepted from anyone: asymmetric ones (RFC 8725 section 3.1). */
export const algorithms = [
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

const discoveryLife = 10 * 60_000;
/** An unknown key id makes us look again, at most once in this many milliseconds. */
const refetchPause = 60_000;

/** More than these are not kept: whoever names many issuers would fill the memory. */
const greatestKnown = 100;
const known = new Map<string, { keys: JWTVerifyGetKey; until: number }>();

/** Whether we talk to that issuer at all: https, or http on this very machine. */
export function isReachableIssuer(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false;
  const { protocol, hostname, search, hash, username, password } = new URL(issuer);
  if (search !== "" || hash !== "" || username !== "" || password !== "") return false;
  const loopback = hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
  return protocol === "https:" || (protocol === "http:" && loopback);
}

/** As an issuer has to be, but an endpoint may have a query (RFC 6749 section 3.1). */
export const isReachableEndpoint = (url: string) => isReachableIssuer(url.replace(/\?[^#]*$/, ""));

/** Whether the issuer's keys are at hand: some identity has named it a moment ago. */
export const hasIssuerKeys = (issuer: string) => (known.get(issuer)?.until ?? 0) > Date.now();

/** The issuer's key lookup, discovered and kept for ten minutes. Throws when it cannot be had. */
export async function issuerKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const cached = known.get(issuer);
  if (cached && cached.until > Date.now()) return cached.keys;
  if (!isReachableIssuer(issuer)) {
    throw unauthenticated(`issuer ${JSON.stringify(issuer)} is not an https URL`);
  }
  const document = await discover(issuer);
  const keys = createRemoteJWKSet(new URL(document), {
    cooldownDuration: refetchPause,
    timeoutDuration: answerTimeout,
    [customFetch]: fetchKeys,
  });
  const [oldest] = known.keys();
  if (known.size >= greatestKnown && oldest !== undefined) known.delete(oldest);
  known.set(issuer, { keys, until: Date.now() + discoveryLife });
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
 * Fetches an issuer's discovery document, unchecked but for being an object: no redirects, five
 * seconds, 64 KiB. The issuer must be {@link isReachableIssuer}. Throws UNAVAILABLE.
 */
export async function fetchDiscovery(issuer: string): Promise<DiscoveryDocument> {
  const at = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  try {
    const response = await boundedFetch(at, {
      headers: new Headers({ accept: "application/json" }),
      method: "GET",
      signal: AbortSignal.timeout(answerTimeout),
    });
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
    const document: unknown = await response.json();
    if (typeof document !== "object" || document === null) throw new Error("no JSON object");
    return document;
  } catch (error) {
    throw unavailable(`discovery of issuer ${issuer} failed: ${(error as Error).message}`);
  }
}

async function discover(issuer: string): Promise<string> {
  const document = await fetchDiscovery(issuer);
  if (document.issuer !== issuer) {
    throw unauthenticated(`issuer ${issuer} calls itself ${JSON.stringify(document.issuer)}`);
  }
  if (typeof document.jwks_uri !== "string" || !isReachableIssuer(document.jwks_uri)) {
    throw unauthenticated(`issuer ${issuer} names no https jwks_uri`);
  }
  return document.jwks_uri;
}

/** A key set that cannot be had now says nothing of the token: UNAVAILABLE, not a refusal. */
const fetchKeys: FetchImplementation = async (url, options) => {
  try {
    const response = await boundedFetch(url, options as RequestInit);
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
    return response;
  } catch (error) {
    throw unavailable(`fetching the issuer's keys at ${url} failed: ${(error as Error).message}`);
  }
};
