/**
 * Remembers verified tokens in the memory of this isolate, because a client sends the same token with many calls. Only
 * the signature is then not verified again. Times and audience, and everything in the database, are checked with every
 * call.
 */
import type { JWTVerifyGetKey } from "jose";
import type { Claims } from "./claims.ts";

/** The most tokens, and the most characters of one, so that tokens do not fill the memory. */
const maxTokens = 1_000;
const maxLength = 2_048;

/** A token, and the keys that verified it. It is forgotten when other keys take their place. */
interface Verified {
  keys: JWTVerifyGetKey;
  claims: Claims;
}

/** In order of use: the most recently used token is last. */
const verified = new Map<string, Verified>();

/**
 * Returns the claims of a token that exactly these keys have verified. Undefined if it must be verified, also because
 * of its times. `now` is in milliseconds since 1970.
 */
export function recallVerified(
  token: string,
  keys: JWTVerifyGetKey,
  now: number,
): Claims | undefined {
  const known = verified.get(token);
  if (!known) return undefined;
  verified.delete(token);
  const { exp, nbf = 0 } = known.claims;
  if (known.keys !== keys || now < nbf * 1000 || now >= exp * 1000) return undefined;
  verified.set(token, known);
  return known.claims;
}

/** Remembers a token that these keys have verified. */
export function rememberVerified(token: string, keys: JWTVerifyGetKey, claims: Claims): void {
  if (token.length > maxLength) return;
  verified.delete(token);
  const [oldest] = verified.keys();
  if (verified.size >= maxTokens && oldest !== undefined) verified.delete(oldest);
  verified.set(token, { keys, claims });
}

/** The claims in a token that was verified before. They prove nothing: it may no longer be valid. */
export const readBefore = (token: string): Claims | undefined => verified.get(token)?.claims;
