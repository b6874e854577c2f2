/**
 * Keys of other issuers, kept in the memory of this isolate. How often they are fetched depends on the
 * clock and not on the tokens that arrive: kept keys are looked for anew once they are ten minutes old,
 * and before that when a signature fits none of them, at most every thirty seconds for an issuer.
 */
import { errors, type JWTVerifyGetKey } from "jose";
import { unauthenticated } from "../aip/errors.ts";
import type { Config } from "../config.ts";
import { fetchKeys } from "./issuers.ts";
import { answerTimeout } from "./outgoing.ts";

/** In milliseconds. */
const life = 10 * 60_000;
const renewalPause = 30_000;
const pollPause = 25;
/** Longest renewal, which takes two requests. The renewal of a cancelled call never ends by itself. */
const greatestRenewal = 2 * answerTimeout;

/**
 * Issuers whose keys are kept at most, so that naming many issuers does not fill the memory. The least recently
 * used one is dropped first, so that unused issuers do not displace those in use.
 */
const greatestKnown = 100;

/** Times in milliseconds since 1970. */
interface Kept {
  keys: JWTVerifyGetKey;
  until: number;
  /** When the last renewal began; 0 if there was none. */
  renewedAt: number;
  isRenewing: boolean;
}

/** In order of use: the most recently used issuer is last. */
const known = new Map<string, Kept>();

function keep(issuer: string, kept: Kept): void {
  known.delete(issuer);
  const [oldest] = known.keys();
  if (known.size >= greatestKnown && oldest !== undefined) known.delete(oldest);
  known.set(issuer, kept);
}

/**
 * Whose keys, and whether some identity names that issuer with the token's subject, which is read before
 * anything is fetched. Without `isNamed` the caller has read it.
 */
export interface Asked {
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
  asked: Asked,
  verify: (keys: JWTVerifyGetKey) => Promise<T>,
): Promise<T> {
  const kept = known.get(asked.issuer);
  if (!kept || kept.until <= Date.now()) {
    if (!(await isNamed(asked))) {
      throw unauthenticated(`no identity matches issuer ${asked.issuer} with that subject`);
    }
    return verify(await fetchAndKeep(asked, 0));
  }
  keep(asked.issuer, kept);
  try {
    return await verify(kept.keys);
  } catch (error) {
    const newer = fitsNoKey(error) ? await newerKeys(asked, kept) : undefined;
    if (newer === undefined) throw error;
    return verify(newer);
  }
}

const isNamed = async (asked: Asked) => (await asked.isNamed?.()) ?? true;

const fitsNoKey = (error: unknown) =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWSSignatureVerificationFailed;

/** Keys that have taken the place of these, or take it now. Undefined if it is too soon to look for any. */
async function newerKeys(asked: Asked, kept: Kept): Promise<JWTVerifyGetKey | undefined> {
  const isReplaced = () => known.get(asked.issuer) !== kept;
  const isDue = () => Date.now() >= kept.renewedAt + renewalPause;
  const isUnderWay = () => kept.isRenewing && Date.now() < kept.renewedAt + greatestRenewal;
  if (!isReplaced() && !isDue() && !isUnderWay()) return undefined;
  if (!(await isNamed(asked))) return undefined;
  if (!isReplaced() && isDue()) return renewed(asked, kept);
  // A Worker cannot wait for what another call has sent, only look whether it has come.
  while (!isReplaced() && isUnderWay()) {
    await new Promise((resolve) => setTimeout(resolve, pollPause));
  }
  return isReplaced() ? known.get(asked.issuer)?.keys : undefined;
}

async function renewed(asked: Asked, kept: Kept): Promise<JWTVerifyGetKey> {
  kept.renewedAt = Date.now();
  kept.isRenewing = true;
  try {
    return await fetchAndKeep(asked, kept.renewedAt);
  } finally {
    kept.isRenewing = false;
  }
}

async function fetchAndKeep(
  { config, issuer }: Asked,
  renewedAt: number,
): Promise<JWTVerifyGetKey> {
  const keys = await fetchKeys(config, issuer);
  keep(issuer, { keys, until: Date.now() + life, renewedAt, isRenewing: false });
  return keys;
}
