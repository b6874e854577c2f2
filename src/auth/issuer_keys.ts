/**
 * Keys of other issuers, kept in the memory of this isolate. How often they are fetched depends on the
 * clock and not on the tokens that arrive: kept keys are looked for anew once they are ten minutes old,
 * and before that when a signature fits none of them, at most every thirty seconds for an issuer.
 */
import { errors, type JWTVerifyGetKey } from "jose";
import { unauthenticated } from "../aip/errors.ts";
import type { Config } from "../config.ts";
import { fetchKeys } from "./issuers.ts";
import { responseTimeoutMs } from "./outgoing/outgoing.ts";

/** In milliseconds. */
const lifetimeMs = 10 * 60_000;
const renewalIntervalMs = 30_000;
const pollIntervalMs = 25;
/** Longest renewal, which takes two requests. The renewal of a cancelled call never ends by itself. */
const maxRenewalMs = 2 * responseTimeoutMs;

/**
 * Issuers whose keys are kept at most, so that naming many issuers does not fill the memory. The least recently
 * used one is dropped first, so that unused issuers do not displace those in use.
 */
const maxIssuers = 100;

/** Times in milliseconds since 1970. */
interface CachedKeys {
  keys: JWTVerifyGetKey;
  expires: number;
  /** When the last renewal began; 0 if there was none. */
  renewedAt: number;
  isRenewing: boolean;
}

/** In order of use: the most recently used issuer is last. */
const keysByIssuer = new Map<string, CachedKeys>();

function cacheKeys(issuer: string, cached: CachedKeys): void {
  keysByIssuer.delete(issuer);
  const [oldest] = keysByIssuer.keys();
  if (keysByIssuer.size >= maxIssuers && oldest !== undefined) keysByIssuer.delete(oldest);
  keysByIssuer.set(issuer, cached);
}

/**
 * Whose keys, and whether some identity names that issuer with the token's subject, which is read before
 * anything is fetched. Without `matchesIdentity` the caller has read it.
 */
export interface KeyLookup {
  config: Config;
  issuer: string;
  isNamed?: () => Promise<boolean>;
}

/**
 * Verifies with the issuer's keys: `verify` is called with those that are kept, and, if the signature fits
 * none of them, once more with newer ones. Throws what `verify` throws, what {@link fetchKeys} throws, and
 * UNAUTHENTICATED where keys would have to be fetched first and no identity names the issuer.
 */
export async function verifyByIssuer<T>(
  lookup: KeyLookup,
  verify: (keys: JWTVerifyGetKey) => Promise<T>,
): Promise<T> {
  const cached = keysByIssuer.get(lookup.issuer);
  if (!cached || cached.expires <= Date.now()) {
    if (!(await isNamed(lookup))) {
      throw unauthenticated(`no identity matches issuer ${lookup.issuer} with that subject`);
    }
    return verify(await fetchAndCache(lookup, 0));
  }
  cacheKeys(lookup.issuer, cached);
  try {
    return await verify(cached.keys);
  } catch (error) {
    const newer = fitsNoKey(error) ? await renewedKeys(lookup, cached) : undefined;
    if (newer === undefined) throw error;
    return verify(newer);
  }
}

const isNamed = async (lookup: KeyLookup) => (await lookup.isNamed?.()) ?? true;

const fitsNoKey = (error: unknown) =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWSSignatureVerificationFailed;

/** Keys that have taken the place of these, or take it now. Undefined if it is too soon to look for any. */
async function renewedKeys(
  lookup: KeyLookup,
  cached: CachedKeys,
): Promise<JWTVerifyGetKey | undefined> {
  const isReplaced = () => keysByIssuer.get(lookup.issuer) !== cached;
  const isDue = () => Date.now() >= cached.renewedAt + renewalIntervalMs;
  const isUnderWay = () => cached.isRenewing && Date.now() < cached.renewedAt + maxRenewalMs;
  if (!isReplaced() && !isDue() && !isUnderWay()) return undefined;
  if (!(await isNamed(lookup))) return undefined;
  if (!isReplaced() && isDue()) return renew(lookup, cached);
  // A Worker cannot wait for what another call has sent, only look whether it has come.
  while (!isReplaced() && isUnderWay()) {
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
  }
  return isReplaced() ? keysByIssuer.get(lookup.issuer)?.keys : undefined;
}

async function renew(lookup: KeyLookup, cached: CachedKeys): Promise<JWTVerifyGetKey> {
  cached.renewedAt = Date.now();
  cached.isRenewing = true;
  try {
    return await fetchAndCache(lookup, cached.renewedAt);
  } finally {
    cached.isRenewing = false;
  }
}

async function fetchAndCache(
  { config, issuer }: KeyLookup,
  renewedAt: number,
): Promise<JWTVerifyGetKey> {
  const keys = await fetchKeys(config, issuer);
  cacheKeys(issuer, { keys, expires: Date.now() + lifetimeMs, renewedAt, isRenewing: false });
  return keys;
}
