/** The token that is handed in: whose it is, and whether it is what it says. */
import { Code, ConnectError } from "@connectrpc/connect";
import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from "jose";
import { permissionDenied, upstreamExpired } from "../aip/errors.ts";
import { type Claims, type OwnClaims, readClaims, readOwnClaims } from "../auth/claims.ts";
import { algorithms, issuerKeys } from "../auth/issuers.ts";
import { ownKeys } from "../auth/keys.ts";
import { clockTolerance, isFor, peek, reason } from "../auth/token.ts";
import type { Config } from "../config.ts";
import { wrongAudience } from "./claim_match.ts";

/** The refusal of a token for one reason. */
export const refusal = (text: string) => permissionDenied(`verifying token: ${text}`);

/** Whoever shows a token that proves nothing is refused, not asked to log in (proto: Exchange). */
export async function refused<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const unproven = error instanceof ConnectError && error.code === Code.Unauthenticated;
    throw unproven ? refusal(error.rawMessage.replace(/^Unauthenticated: /, "")) : error;
  }
}

/**
 * Issuer and claims of a token, nothing of it verified. Throws PERMISSION_DENIED for what is no
 * signed JWT.
 */
export const open = (token: string): Promise<{ issuer: string; claims: Claims }> =>
  refused(() => peek(token));

/**
 * The claims of a token of our own, good for another exchange: it is for the API or the issuer,
 * and is not one image's. Throws PERMISSION_DENIED.
 */
export async function proveOwn(config: Config, token: string, now: number): Promise<OwnClaims> {
  const proved = await prove(ownKeys(config), token, now, config.issuerUrl);
  const claims = await refused(() => readOwnClaims(proved));
  const audiences = [config.audience, config.issuerUrl];
  const isForUs = isFor(claims, ...audiences);
  if (!isForUs) throw refusal(wrongAudience(audiences));
  if ("access" in claims) throw refusal("a registry token cannot be exchanged");
  const { exp } = claims;
  if (exp * 1000 <= now) throw upstreamExpired(new Date(exp * 1000));
  return claims;
}

/** The claims of a token of another issuer, whose keys are fetched. Throws PERMISSION_DENIED. */
export async function proveForeign(
  config: Config,
  issuer: string,
  token: string,
  now: number,
): Promise<Claims> {
  return refused(async () => prove(await issuerKeys(config, issuer), token, now));
}

/** As {@link proveForeign}, by the keys that an identity holds, a JWKS in JSON. */
export async function proveByKeys(jwks: string, token: string, now: number): Promise<Claims> {
  let keys: JWTVerifyGetKey;
  try {
    keys = createLocalJWKSet(JSON.parse(jwks) as JSONWebKeySet);
  } catch {
    throw refusal("the identity's keys cannot be read");
  }
  return prove(keys, token, now);
}

async function prove(
  keys: JWTVerifyGetKey,
  token: string,
  now: number,
  issuer?: string,
): Promise<Claims> {
  // Before the library looks at them, whose errors tell of the claims.
  const { claims } = await open(token);
  const options: JWTVerifyOptions = {
    algorithms,
    clockTolerance,
    currentDate: new Date(now),
    requiredClaims: ["sub", "aud", "exp"],
    ...(issuer ? { issuer } : {}),
  };
  try {
    return readClaims((await verifyByAny(keys, token, options)).payload);
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw upstreamExpired(new Date(claims.exp * 1000));
    throw error instanceof ConnectError ? error : refusal(reason(error));
  }
}

/** Keys without an id may all fit the token's header; then each of them is tried. */
async function verifyByAny(keys: JWTVerifyGetKey, token: string, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, keys, options);
  } catch (several) {
    if (!(several instanceof errors.JWKSMultipleMatchingKeys)) throw several;
    for await (const key of several) {
      try {
        return await jwtVerify(token, key, options);
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}
