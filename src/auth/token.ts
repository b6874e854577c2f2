/** Identifies the caller: verifies a bearer token with our own keys or the keys of its issuer. */
import { ConnectError } from "@connectrpc/connect";
import { and, eq, sql } from "drizzle-orm";
import {
  errors,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from "jose";
import { identities } from "../../schema/tables/iam/identities.ts";
import { unauthenticated } from "../aip/errors.ts";
import { isUid } from "../aip/uid_path.ts";
import type { Config } from "../config.ts";
import { inSpan } from "../telemetry/trace.ts";
import type { Credential } from "./call.ts";
import {
  type Claims,
  decodeToken,
  maxTokenLength,
  type OwnClaims,
  readClaims,
  readOwnClaims,
} from "./claims.ts";
import { type Databases, rowsOfEach } from "./databases.ts";
import { type KeyLookup, verifyByIssuer } from "./issuer_keys.ts";
import { acceptedAlgorithms } from "./issuers.ts";
import { ownKeys } from "./keys.ts";
import { personUid } from "./person.ts";
import { chainOf } from "./token_chain.ts";
import { readBefore, recallVerified, rememberVerified } from "./verified_tokens.ts";

/** The tolerated difference between clocks, in seconds. */
export const clockToleranceSeconds = 30;

/** The rules for every token, at a time in milliseconds since 1970. */
export const verificationRules = (now: number): JWTVerifyOptions => ({
  algorithms: acceptedAlgorithms,
  clockTolerance: clockToleranceSeconds,
  currentDate: new Date(now),
  requiredClaims: ["sub", "aud", "exp"],
});

/** The token in `Authorization: Bearer …` (RFC 6750). Throws UNAUTHENTICATED if there is none. */
export function bearerToken(headers: Headers): string {
  const header = headers.get("authorization");
  if (!header)
    throw unauthenticated("the call has no Authorization header; send one with a bearer token");
  const token = /^bearer +([^\s]+)$/i.exec(header.trim())?.[1];
  if (!token) throw unauthenticated("the Authorization header must have the form Bearer <token>");
  if (token.length > maxTokenLength) {
    throw unauthenticated(`the token is longer than ${maxTokenLength} characters`);
  }
  return token;
}

/**
 * The issuer and the claims of a token that is not verified yet. Throws UNAUTHENTICATED if the text is not a
 * JWT, or if its algorithm is not accepted.
 */
export function readUnverified(token: string): { issuer: string; claims: Claims } {
  const before = readBefore(token);
  if (before) return { issuer: canonicalIssuer(before.iss), claims: before };
  const { algorithm, claims } = decodeToken(token);
  if (!acceptedAlgorithms.includes(algorithm)) {
    const named = /^[\w-]{1,32}$/.test(algorithm) ? algorithm : "an unknown algorithm";
    throw unauthenticated(`tokens signed with ${named} are not accepted`);
  }
  return { issuer: canonicalIssuer(claims.iss), claims };
}

/** The issuer as identities write it. Google's tokens leave out the scheme (contract: hosts and tokens). */
export const canonicalIssuer = (issuer: string) =>
  issuer === "accounts.google.com" ? "https://accounts.google.com" : issuer;

/**
 * Verifies our own token for any audience, and returns its claims. The clock tolerance does not apply to its
 * end: our own clock set it, and the cloud keys from an exchange can end at the same time.
 */
export async function verifyOwn(config: Config, token: string, now: number): Promise<OwnClaims> {
  const keys = ownKeys(config);
  const known = recallVerified(token, keys, now);
  if (known?.iss === config.issuerUrl) return known;
  const { payload } = await verifyOrRefuse(() =>
    jwtVerify(token, keys, { issuer: config.issuerUrl, ...verificationRules(now) }),
  );
  const claims = readOwnClaims(payload);
  if (claims.exp * 1000 <= now) throw unauthenticated("the token is expired; get a new one");
  rememberVerified(token, keys, claims);
  return claims;
}

/**
 * Verifies a token of another issuer for any audience. The issuer's keys are fetched if needed, but only if
 * the lookup finds an identity with this issuer and subject. Throws UNAUTHENTICATED.
 */
export async function verifyForeign(
  lookup: KeyLookup,
  token: string,
  now: number,
): Promise<Claims> {
  const options = verificationRules(now);
  return verifyOrRefuse(() =>
    verifyByIssuer(lookup, async (keys) => {
      const known = recallVerified(token, keys, now);
      if (known) return known;
      const claims = readClaims((await verifyByAny(keys, token, options)).payload);
      rememberVerified(token, keys, claims);
      return claims;
    }),
  );
}

/** The most keys to try. A set of 64 KiB can contain hundreds, and each costs a verification. */
const maxTriedKeys = 16;

/**
 * Verifies a JWT. If keys have no id, several can match the token's header. They are then tried one after the
 * other, up to the first 16.
 */
export async function verifyByAny(
  keys: JWTVerifyGetKey,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, options);
  } catch (several) {
    if (!(several instanceof errors.JWKSMultipleMatchingKeys)) throw several;
    let tried = 0;
    for await (const key of several) {
      tried += 1;
      if (tried > maxTriedKeys) break;
      try {
        return await jwtVerify(token, key, options);
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** Runs a verification, and explains a failure in plain words. */
async function verifyOrRefuse<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    if (error instanceof ConnectError) throw error;
    throw unauthenticated(verificationFailure(error));
  }
}

/** Describes the check of jose that failed. */
export function verificationFailure(error: unknown): string {
  if (error instanceof errors.JWTExpired) return "the token is expired; get a new one";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "nbf") return "the token is not valid yet";
    return `the token's claim ${error.claim} is not valid`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return "the signature of the token is wrong";
  if (error instanceof errors.JWKSNoMatchingKey) return "the token is signed with an unknown key";
  if (error instanceof errors.JWKSTimeout) return "the keys of the issuer did not arrive in time";
  return "the token cannot be verified";
}

/** Whether the token is meant for one of the audiences (RFC 7519 section 4.1.3). */
export const isForAudience = ({ aud }: Pick<Claims, "aud">, ...audiences: string[]): boolean =>
  [aud].flat().some((audience) => audiences.includes(audience));

/**
 * The contents of our own verified token: the uid of the identity, the restrictions and the upstream claims.
 */
export function credentialOf(claims: OwnClaims): Credential {
  if (!isUid(claims.sub))
    throw unauthenticated("the subject of the token is not the uid of an identity");
  const email = emailOf(claims);
  const emailClaim = email ? { email: email.address } : {};
  const act = { ...claims.act, ...emailClaim };
  return {
    bearer: { uid: claims.sub },
    ...(email ? { email } : {}),
    ...(claims.scopes ? { scopes: claims.scopes } : {}),
    ...(claims.capabilities ? { capabilities: claims.capabilities } : {}),
    ...(claims.idp ? { login: { identityProvider: claims.idp, groups: claims.groups ?? [] } } : {}),
    chain: chainOf(claims),
    act: Object.fromEntries(Object.entries(act).map(([name, value]) => [name, String(value)])),
  };
}

/** The email address in the claims. */
function emailOf({ email, email_verified: isVerified = false }: Claims): Credential["email"] {
  return email === undefined ? undefined : { address: email, isVerified };
}

/**
 * Verifies a bearer token for the API. It is our own token, or a token of an issuer that an identity names
 * together with its subject. Its audience must be ours. `beforeDatabase` runs before the database is asked about a
 * token, and can refuse the call.
 */
export const authenticate = (
  config: Config,
  databases: Databases,
  token: string,
  now: number,
  audience: string = config.audience,
  beforeDatabase: () => Promise<void> = async () => {},
): Promise<Credential> =>
  inSpan(databases.trace, tokenCheck, () =>
    identifyBearer({ config, databases, now, audience, beforeDatabase }, token),
  );

/** The span of the verification of a token. */
export const tokenCheck = { name: "token check", kind: "internal" } as const;

interface Verifying {
  config: Config;
  databases: Databases;
  now: number;
  audience: string;
  beforeDatabase: () => Promise<void>;
}

async function identifyBearer(
  { config, databases, now, audience, beforeDatabase }: Verifying,
  token: string,
): Promise<Credential> {
  const { issuer, claims: claimed } = readUnverified(token);
  if (issuer === config.issuerUrl) {
    const claims = await verifyOwn(config, token, now);
    if (!isForAudience(claims, audience)) throw unauthenticated(wrongAudienceText(audience));
    return credentialOf(claims);
  }
  if (!isForAudience(claimed, audience)) throw unauthenticated(wrongAudienceText(audience));
  const subject = claimed.sub;
  const isNamed = async () => {
    await beforeDatabase();
    return isSubjectNamed(databases, issuer, subject);
  };
  const lookup = { config, issuer, isNamed, trace: databases.trace };
  const claims = await verifyForeign(lookup, token, now);
  const act = { iss: issuer, sub: subject, aud: audience };
  const email = emailOf(claims);
  const bearer = { issuer, subject, person: await personUid(issuer, subject) };
  if (!email) return { bearer, chain: [], act };
  return { bearer, chain: [], email, act: { ...act, email: email.address } };
}

/** The contents of a token if it is our own and valid, for any audience. Undefined for every other text. */
export async function ownCredential(
  config: Config,
  token: string,
  now: number,
): Promise<Credential | undefined> {
  try {
    if (readUnverified(token).issuer !== config.issuerUrl) return undefined;
    return credentialOf(await verifyOwn(config, token, now));
  } catch (thrown) {
    if (thrown instanceof ConnectError) return undefined;
    throw thrown;
  }
}

export const wrongAudienceText = (audience: string) =>
  `the token is not for the audience ${audience}`;

/**
 * Whether an identity names the issuer with exactly this subject. Only then are the issuer's keys fetched.
 */
async function isSubjectNamed(
  databases: Databases,
  issuer: string,
  subject: string,
): Promise<boolean> {
  const named = await rowsOfEach(databases, (db) =>
    db
      .select({ one: sql`1` })
      .from(identities)
      .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
      .limit(1),
  );
  return named.length > 0;
}
