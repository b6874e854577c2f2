/**
 * Reads the claims of a JWT (RFC 7519) from our issuer or another one, verified or not. All code reads claims
 * through this file, so that they have their declared types.
 */
import { decodeJwt, decodeProtectedHeader } from "jose";
import { unauthenticated } from "../aip/errors.ts";
import { findTextViolation } from "../aip/text.ts";
import type { ChainLink } from "./token_chain.ts";

/** The claims of a token. A claim without a type here has the type that its issuer chose. */
export interface Claims extends ProfileClaims {
  iss: string;
  /** 1 to 2048 characters, like the subject in an identity. */
  sub: string;
  aud: string | string[];
  /** Seconds since 1970 in UTC, possibly with a fraction, in the years 1970 to 9999. */
  exp: number;
  iat?: number;
  nbf?: number;
  /** The client that an ID token was issued to (OpenID Connect Core 1.0 section 2). */
  azp?: string;
  [claim: string]: unknown;
}

/** Claims of an issuer about a person. Each claim is optional. */
export interface ProfileClaims {
  email?: string;
  email_verified?: boolean;
  name?: string;
  preferred_username?: string;
  /** Microsoft's id of the person, which is the same for every client. */
  oid?: string;
}

/** The token before the exchange, or the login before it. */
export type ActClaims = Record<string, string | string[]>;

/** Private claims of our access tokens: their restrictions, and their login. */
export interface Narrowing {
  scopes?: string[];
  /** Capability numbers. */
  capabilities?: number[];
  /** The uid of the identity provider that the bearer logged in through. */
  idp?: string;
  /** The groups of the bearer at that provider, limited to those that had role mappings at the login. */
  groups?: string[];
  /** The tokens before this one in the chain of exchanges, from the first to the last. */
  chain?: ChainLink[];
}

/** The claims of our own token. */
export interface OwnClaims extends Claims, Narrowing {
  act?: ActClaims;
}

/** A token that is not verified yet. */
export interface UnverifiedToken {
  /** `alg` in the header. */
  algorithm: string;
  /** `typ` in the header, in lowercase. `jwt` if the header has none. */
  type: string;
  claims: Claims;
}

/** The most characters in a token. Our longest token is that of a person in a hundred mapped groups. */
export const maxTokenLength = 64 * 1024;

/** The most characters in an issuer, a subject or an audience (proto: Identity.ClaimMatch). */
const maxNameLength = 2048;
const maxAudiences = 100;

/** 9999-12-31T23:59:59Z, the last second of a google.protobuf.Timestamp. */
const maxTimestampSeconds = 253_402_300_799;

const refuseClaim = (claim: string, what: string) =>
  unauthenticated(`the token's claim ${claim} is not valid: it ${what}`);

/**
 * Decodes a token without verifying its signature. Throws UNAUTHENTICATED if the token is not a JWT, or if a
 * claim has a wrong type or range.
 */
export function decodeToken(token: string): UnverifiedToken {
  if (token.length > maxTokenLength) {
    throw unauthenticated(`the token is longer than ${maxTokenLength} characters`);
  }
  let header: Record<string, unknown>;
  let claims: unknown;
  try {
    header = decodeProtectedHeader(token);
    claims = decodeJwt(token);
  } catch {
    throw unauthenticated("the token is not a JWT");
  }
  for (const name of ["alg", "typ", "kid"]) {
    const value = header[name];
    const isText = typeof value === "string" && value.length <= maxNameLength;
    if (value !== undefined && !isText)
      throw unauthenticated(
        `the header of the token is not valid: ${name} must be a string of at most ${maxNameLength} characters`,
      );
  }
  const { alg = "", typ = "JWT" } = header as { alg?: string; typ?: string };
  return { algorithm: alg, type: typ.toLowerCase(), claims: readClaims(claims) };
}

/**
 * Reads the payload of a token as claims. Throws UNAUTHENTICATED if the payload does not contain valid
 * claims.
 */
export function readClaims(payload: unknown): Claims {
  for (const { claim, description } of findClaimFlaws(payload)) {
    throw description === missing
      ? unauthenticated(`the token has no issuer (claim ${claim})`)
      : refuseClaim(claim, description);
  }
  return checkProfile(payload as Record<string, unknown>) as Claims;
}

const missing = "is missing";

/** The claims of a payload that are missing or not valid, and why, each when it is asked for. */
export function* findClaimFlaws(
  payload: unknown,
): Generator<{ claim: string; description: string }> {
  const claims = payload as Record<string, unknown>;
  const flaw = findTextViolation(claims);
  if (flaw) yield { claim: flaw.path, description: flaw.description };
  if (claims.iss === undefined) yield { claim: "iss", description: missing };
  for (const name of ["iss", "sub"]) {
    if (!isNameClaim(claims[name]) || claims[name] === "") {
      yield { claim: name, description: `must be a string of 1 to ${maxNameLength} characters` };
    }
  }
  const { aud, azp } = claims;
  const isList = Array.isArray(aud) && aud.length <= maxAudiences && aud.every(isNameClaim);
  if (!isNameClaim(aud) && !isList) {
    const description = `must be a string, or a list of at most ${maxAudiences} strings`;
    yield { claim: "aud", description };
  }
  for (const name of ["exp", "iat", "nbf"]) {
    const value = claims[name];
    if (value === undefined && name !== "exp") continue;
    const isTime = typeof value === "number" && value >= 0 && value <= maxTimestampSeconds;
    const description = "must be a time in seconds between the years 1970 and 9999";
    if (!isTime) yield { claim: name, description };
  }
  // This claim decides which client the token was issued to. A wrong type is therefore an error, and the
  // claim is not dropped.
  if (azp !== undefined && typeof azp !== "string")
    yield { claim: "azp", description: "must be a string" };
}

const isNameClaim = (value: unknown) => typeof value === "string" && value.length <= maxNameLength;

/**
 * Checks the claims about a person. Issuers differ in these, so a claim of a wrong type counts as missing.
 */
function checkProfile(claims: Record<string, unknown>): Record<string, unknown> & ProfileClaims {
  const { email, email_verified: isVerified, name, preferred_username, oid, ...rest } = claims;
  const texts = Object.entries({ email, name, preferred_username, oid }).filter(
    ([, value]) => typeof value === "string",
  );
  // Some issuers write the boolean as a text.
  const verified = { email_verified: isVerified === true || isVerified === "true" };
  return { ...rest, ...Object.fromEntries(texts), ...(isVerified === undefined ? {} : verified) };
}

/**
 * Reads a provider's claims about a person at UserInfo (OpenID Connect Core 1.0 section 5.3.2). Throws
 * UNAUTHENTICATED for a text that {@link findTextViolation} refuses.
 */
export function readProfile(
  answer: Record<string, unknown>,
): Record<string, unknown> & ProfileClaims {
  const flaw = findTextViolation(answer);
  if (flaw) throw refuseClaim(flaw.path, flaw.description);
  return checkProfile(answer);
}

const isStringList = (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** The private claims of our tokens. */
const ownClaimChecks: Record<string, (value: unknown) => boolean> = {
  scopes: isStringList,
  groups: isStringList,
  capabilities: (value) => Array.isArray(value) && value.every(Number.isInteger),
  idp: (value) => typeof value === "string",
  act: (value) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((claim) => typeof claim === "string" || isStringList(claim)),
  chain: (value) =>
    Array.isArray(value) &&
    value.every(
      ({ sub, at = 0, born = 0, idp = "", iss = "", aud = "", sid = "", key = "" }) =>
        [at, born].every((time) => typeof time === "number") &&
        isStringList([sub, idp, iss, aud, sid, key]),
    ),
  networks: isStringList,
  access: (value) =>
    Array.isArray(value) &&
    value.every((entry) => typeof entry?.name === "string" && isStringList(entry.actions)),
};

/** Reads the verified payload of our own token. Throws like {@link readClaims}. */
export function readOwnClaims(payload: unknown): OwnClaims {
  const claims = readClaims(payload);
  for (const [name, is] of Object.entries(ownClaimChecks)) {
    if (claims[name] !== undefined && !is(claims[name]))
      throw refuseClaim(name, "does not have the form that the platform issues");
  }
  return claims;
}
