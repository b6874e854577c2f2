/** Reads and verifies the token that a caller hands in. */
import { Code, ConnectError } from "@connectrpc/connect";
import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  type JWTVerifyResult,
} from "jose";
import { permissionDenied, upstreamExpired } from "../aip/errors.ts";
import type { CallAnywhere } from "../auth/call.ts";
import { wrongAudiencesText } from "../auth/claim_match.ts";
import { type Claims, type OwnClaims, readClaims, readOwnClaims } from "../auth/claims.ts";
import { ownTokenAudiences } from "../auth/identity_matchers.ts";
import { type KeyLookup, verifyByIssuer } from "../auth/issuer_keys.ts";
import { ownKeys } from "../auth/keys.ts";
import {
  isForAudience,
  readUnverified,
  tokenCheck,
  verificationFailure,
  verificationRules,
  verifyByAny,
} from "../auth/token.ts";
import type { Config } from "../config.ts";
import { inSpan } from "../telemetry/trace.ts";

/** The error for a token with one problem. */
export const tokenRefusal = (text: string) => permissionDenied(`verifying token: ${text}`);

/** A caller with an invalid token is refused and not asked to log in (proto: Exchange). */
export async function refuseUnproven<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const unproven = error instanceof ConnectError && error.code === Code.Unauthenticated;
    throw unproven ? tokenRefusal(error.rawMessage.replace(/^Unauthenticated: /, "")) : error;
  }
}

/**
 * The issuer and the claims of a token, without verification. Throws PERMISSION_DENIED if the text is not a
 * signed JWT.
 */
export const readUnverifiedToken = (token: string): Promise<{ issuer: string; claims: Claims }> =>
  refuseUnproven(() => readUnverified(token));

/**
 * The claims of our own token that can be exchanged again. It must be for the API or the issuer, and not
 * limited to one image. Throws PERMISSION_DENIED.
 */
export async function verifyOwnToken(
  config: Config,
  token: string,
  now: number,
): Promise<OwnClaims> {
  const verify = newVerifier(token, now, config.issuerUrl);
  const proved = await verifyToken(token, () => verify(ownKeys(config)));
  const claims = await refuseUnproven(() => readOwnClaims(proved));
  const audiences = ownTokenAudiences(config);
  const isForUs = isForAudience(claims, ...audiences);
  if (!isForUs) throw tokenRefusal(wrongAudiencesText(audiences));
  if ("access" in claims) throw tokenRefusal("a registry token cannot be exchanged");
  const { exp } = claims;
  if (exp * 1000 <= now) throw upstreamExpired(new Date(exp * 1000));
  return claims;
}

/** The keys of an issuer, for a call. */
export const lookupOf = (
  { config, databases }: Pick<CallAnywhere, "config" | "databases">,
  issuer: string,
): Pick<KeyLookup, "config" | "issuer" | "trace"> => ({ config, issuer, trace: databases.trace });

/**
 * The claims of a token of another issuer, whose keys are fetched if needed. The caller has made sure that an
 * identity or identity provider names the issuer. Throws PERMISSION_DENIED.
 */
export async function verifyForeignToken(
  lookup: Pick<KeyLookup, "config" | "issuer" | "trace">,
  token: string,
  now: number,
): Promise<Claims> {
  const verify = newVerifier(token, now);
  const { trace } = lookup;
  return refuseUnproven(() =>
    inSpan(trace, tokenCheck, () => verifyToken(token, () => verifyByIssuer(lookup, verify))),
  );
}

/** Like {@link verifyForeignToken}, with the keys that an identity contains as a JWKS in JSON. */
export async function verifyByKeys(jwks: string, token: string, now: number): Promise<Claims> {
  let keys: JWTVerifyGetKey;
  try {
    keys = createLocalJWKSet(JSON.parse(jwks) as JSONWebKeySet);
  } catch {
    throw tokenRefusal("the keys of the identity are not a valid JWKS");
  }
  const verify = newVerifier(token, now);
  return verifyToken(token, () => verify(keys));
}

/** Verifies a token at a time, with keys from a function. */
function newVerifier(token: string, now: number, issuer?: string) {
  const options = { ...verificationRules(now), ...(issuer ? { issuer } : {}) };
  return (keys: JWTVerifyGetKey) => verifyByAny(keys, token, options);
}

async function verifyToken(token: string, verify: () => Promise<JWTVerifyResult>): Promise<Claims> {
  // Checked before the library reads the claims, because its errors quote them.
  const { claims } = await readUnverifiedToken(token);
  try {
    return readClaims((await verify()).payload);
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw upstreamExpired(new Date(claims.exp * 1000));
    throw error instanceof ConnectError ? error : tokenRefusal(verificationFailure(error));
  }
}
