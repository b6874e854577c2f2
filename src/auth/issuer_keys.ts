/**
 * Caches the keys of other issuers in the memory of this isolate. The clock decides how often keys are
 * fetched, not the tokens that arrive. Keys are fetched again after ten minutes. If a signature matches no
 * key, they are fetched earlier, but at most every thirty seconds for an issuer.
 */
import { errors, type JWTVerifyGetKey } from "jose";
import { unauthenticated } from "../aip/errors.ts";
import type { Config } from "../config.ts";
import type { Trace } from "../telemetry/trace.ts";
import { fetchKeys } from "./issuers.ts";
import { responseTimeoutMs } from "./outgoing/outgoing.ts";

/** In milliseconds. */
const lifetimeMs = 10 * 60_000;
const renewalIntervalMs = 30_000;
const pollIntervalMs = 25;
/** The longest renewal, which takes two requests. The renewal of a canceled call never ends by itself. */
const maxRenewalMs = 2 * responseTimeoutMs;

/**
 * The most issuers whose keys are cached, so that naming many issuers does not fill the memory. The least
 * recently used issuer is dropped first, so that unused issuers do not displace those in use.
 */
const maxIssuers = 100;

/** Times in milliseconds since 1970. */
interface CachedKeys {
  keys: JWTVerifyGetKey;
  expires: number;
  /** The start of the last renewal. 0 if there was none. */
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
 * The issuer of the keys, and a check whether an identity names that issuer with the token's subject. The
 * check runs before anything is fetched. Without `matchesIdentity` the caller has already checked.
 */
export interface KeyLookup {
  config: Config;
  issuer: string;
  isNamed?: () => Promise<boolean>;
  /** The trace of the call, which the requests to the issuer continue. */
  trace?: Trace | undefined;
}

/**
 * Verifies with the issuer's keys. `verify` is called with the cached keys and, if the signature matches none
 * of them, again with newer ones. Throws the errors of `verify` and of {@link fetchKeys}. Throws
 * UNAUTHENTICATED if keys would have to be fetched and no identity names the issuer.
 */
export async function verifyByIssuer<T>(
  lookup: KeyLookup,
  verify: (keys: JWTVerifyGetKey) => Promise<T>,
): Promise<T> {
  const cached = keysByIssuer.get(lookup.issuer);
  if (!cached || cached.expires <= Date.now()) {
    if (!(await isNamed(lookup))) {
      throw unauthenticated(
        `no identity matches the issuer ${lookup.issuer} with the subject of the token`,
      );
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

/**
 * Keys that have replaced these, or that are being fetched now. Undefined if it is too soon to fetch any. If they cannot
 * be fetched, the result is these keys.
 */
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
  // A Worker cannot wait for the request of another call. It can only check whether the response has arrived.
  while (!isReplaced() && isUnderWay()) {
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
  }
  return keysByIssuer.get(lookup.issuer)?.keys;
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
  { config, issuer, trace }: KeyLookup,
  renewedAt: number,
): Promise<JWTVerifyGetKey> {
  const keys = await fetchKeys(config, issuer, trace);
  cacheKeys(issuer, { keys, expires: Date.now() + lifetimeMs, renewedAt, isRenewing: false });
  return keys;
}
