/**
 * The claims of a JWT (RFC 7519), ours or another issuer's, verified or not. All code reads claims through this
 * file, so that they have the types that are declared.
 */
import { decodeJwt, decodeProtectedHeader } from "jose";
import { unauthenticated } from "../aip/errors.ts";
import { findTextViolation } from "../aip/text.ts";
import type { ChainLink } from "./token_chain.ts";

/** The claims of a token. Those without a type here are whatever its issuer made them. */
export interface Claims extends ProfileClaims {
  iss: string;
  /** Of 1 to 2048 characters, as identities name subjects. */
  sub: string;
  aud: string | string[];
  /** Seconds since 1970 UTC, of the years 1970 to 9999, perhaps with a fraction. */
  exp: number;
  iat?: number;
  nbf?: number;
  /** The client that an ID token was given to (OpenID Connect Core 1.0 section 2). */
  azp?: string;
  [claim: string]: unknown;
}

/** What an issuer states about a person. Each claim is optional. */
export interface ProfileClaims {
  email?: string;
  email_verified?: boolean;
  name?: string;
  preferred_username?: string;
  /** Microsoft's name of the person, whichever the client. */
  oid?: string;
}

/** The token that one of ours was exchanged for, or the login behind it. */
export type ActClaims = Record<string, string | string[]>;

/** Private claims of our access tokens: what they were narrowed to, and the login behind them. */
export interface Narrowing {
  scopes?: string[];
  /** Capability numbers. */
  capabilities?: number[];
  /** Uid of the identity provider that the bearer signed in through. */
  idp?: string;
  /** Groups of the bearer at that provider, as far as role mappings named them at the login. */
  groups?: string[];
  /** What the token was exchanged from, first to last. */
  chain?: ChainLink[];
}

/** The claims of a token of ours. */
export interface OwnClaims extends Claims, Narrowing {
  act?: ActClaims;
}

/** A token that nobody has verified yet. */
export interface UnverifiedToken {
  /** `alg` of its header. */
  algorithm: string;
  /** `typ` of its header, in lower case; `jwt` where it names none. */
  type: string;
  claims: Claims;
}

/** Most characters of a token: of ours, one of a person in a hundred mapped groups has the most. */
export const maxTokenLength = 64 * 1024;

/** Most characters of an issuer, a subject or an audience (proto: Identity.ClaimMatch). */
const maxNameLength = 2048;
const maxAudiences = 100;

/** 9999-12-31T23:59:59Z, the last second of a google.protobuf.Timestamp. */
const maxTimestampSeconds = 253_402_300_799;

const refuseClaim = (claim: string, what: string) =>
  unauthenticated(`the token's claim ${claim} is not acceptable: it ${what}`);

/**
 * Takes a token apart. Throws UNAUTHENTICATED for a token that is not a JWT, and for claims of
 * a wrong type or range. The signature is not verified.
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
    if (value !== undefined && !isText) throw unauthenticated("the token's header is malformed");
  }
  const { alg = "", typ = "JWT" } = header as { alg?: string; typ?: string };
  return { algorithm: alg, type: typ.toLowerCase(), claims: readClaims(claims) };
}

/** The payload of a token as claims. Throws UNAUTHENTICATED for one that they cannot be read from. */
export function readClaims(payload: unknown): Claims {
  const claims = payload as Record<string, unknown>;
  const flaw = findTextViolation(claims);
  if (flaw) throw refuseClaim(flaw.path, flaw.description);
  if (claims.iss === undefined) throw unauthenticated("the token names no issuer");
  for (const name of ["iss", "sub"]) {
    if (!isNameClaim(claims[name]) || claims[name] === "") {
      throw refuseClaim(name, `must be a text of 1 to ${maxNameLength} characters`);
    }
  }
  const { aud, azp } = claims;
  const isList = Array.isArray(aud) && aud.length <= maxAudiences && aud.every(isNameClaim);
  if (!isNameClaim(aud) && !isList) {
    throw refuseClaim("aud", `must be a text, or a list of at most ${maxAudiences} texts`);
  }
  for (const name of ["exp", "iat", "nbf"]) {
    const value = claims[name];
    if (value === undefined && name !== "exp") continue;
    const isTime = typeof value === "number" && value >= 0 && value <= maxTimestampSeconds;
    if (!isTime) throw refuseClaim(name, "must be a time in seconds, of the years 1970 to 9999");
  }
  // It decides which client the token was given to, so a wrong type is refused and not dropped.
  if (azp !== undefined && typeof azp !== "string") throw refuseClaim("azp", "must be a text");
  return checkProfile(claims) as Claims;
}

const isNameClaim = (value: unknown) => typeof value === "string" && value.length <= maxNameLength;

/**
 * The claims with those about a person checked. Issuers differ in these: one of a wrong type counts as missing.
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
 * What a provider states about a person at UserInfo (OpenID Connect Core 1.0 section 5.3.2). Throws UNAUTHENTICATED
 * for a text that {@link findTextViolation} refuses.
 */
export function readProfile(
  answer: Record<string, unknown>,
): Record<string, unknown> & ProfileClaims {
  const flaw = findTextViolation(answer);
  if (flaw) throw refuseClaim(flaw.path, flaw.description);
  return checkProfile(answer);
}

const isStringList = (value: unknown) =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

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
    Object.values(value).every((one) => typeof one === "string" || isStringList(one)),
  chain: (value) =>
    Array.isArray(value) &&
    value.every(
      ({ sub, at = 0, born = 0, idp = "", iss = "", aud = "" }) =>
        [at, born].every((one) => typeof one === "number") && isStringList([sub, idp, iss, aud]),
    ),
  access: (value) =>
    Array.isArray(value) &&
    value.every((one) => typeof one?.name === "string" && isStringList(one?.actions)),
};

/** The verified payload of a token of ours. Throws as {@link readClaims} does. */
export function readOwnClaims(payload: unknown): OwnClaims {
  const claims = readClaims(payload);
  for (const [name, is] of Object.entries(ownClaimChecks)) {
    if (claims[name] !== undefined && !is(claims[name]))
      throw refuseClaim(name, "is not one of ours");
  }
  return claims;
}
