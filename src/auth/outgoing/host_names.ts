/** What names of hosts mean: their addresses, by DNS over HTTPS. */
import { unavailable } from "../../aip/errors.ts";
import { isPublicAddress } from "./addresses.ts";
import { boundedFetch, responseTimeoutMs } from "./bounded_fetch.ts";

/**
 * Why the name's host is no destination, as a predicate: `is at a.example, which has no address`.
 * Undefined where it is one. One private address among many is enough: it may be the one that is
 * taken. Throws UNAVAILABLE where the resolver gives no answer.
 */
export async function hostNameRefusal(dnsUrl: string, name: string): Promise<string | undefined> {
  const asked = [lookUp(dnsUrl, name, "A"), lookUp(dnsUrl, name, "AAAA")];
  // Both are over before either decides, so that none is on its way when the call has ended.
  await Promise.allSettled(asked);
  const found = await Promise.all(asked);
  const addresses = found.flat();
  if (addresses.length === 0) return `is at ${name}, which has no address`;
  if (addresses.every(isPublicAddress)) return undefined;
  return `is at ${name}, which has a private or special address`;
}

/** How long an outcome is kept, good or bad, in milliseconds. */
const cacheLifetimeMs = 30_000;
const maxCached = 100;
const cache = new Map<string, { refusal?: string | undefined; failure?: unknown; until: number }>();

/**
 * As {@link hostNameRefusal}, with outcomes up to half a minute old: strangers may have us fetch from the
 * same host again and again, and the resolver is not to hear of each time.
 */
export async function cachedHostNameRefusal(
  dnsUrl: string,
  name: string,
): Promise<string | undefined> {
  const key = `${dnsUrl} ${name}`;
  let outcome = cache.get(key);
  if (!outcome || outcome.until <= Date.now()) {
    const until = Date.now() + cacheLifetimeMs;
    outcome = await hostNameRefusal(dnsUrl, name).then(
      (refusal) => ({ refusal, until }),
      (failure: unknown) => ({ failure, until }),
    );
    const [oldest] = cache.keys();
    if (cache.size >= maxCached && oldest !== undefined) cache.delete(oldest);
    cache.set(key, outcome);
  }
  if (outcome.failure !== undefined) throw outcome.failure;
  return outcome.refusal;
}

/** What a resolver answers: the record types and response codes of RFC 1035. */
interface DnsAnswer {
  Status: number;
  Answer?: { type: number; data: string }[] | null;
}

const recordTypes = { A: 1, AAAA: 28 };
const dnsNoError = 0;
const dnsNameError = 3;

/** The name's addresses, by DNS over HTTPS in its JSON form. Throws UNAVAILABLE without an answer. */
async function lookUp(dnsUrl: string, name: string, type: "A" | "AAAA"): Promise<string[]> {
  const url = new URL(dnsUrl);
  url.searchParams.set("name", name);
  url.searchParams.set("type", type);
  try {
    const response = await boundedFetch(url, {
      headers: { accept: "application/dns-json" },
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
    const { Status, Answer } = (await response.json()) as DnsAnswer;
    if (Status === dnsNameError) return [];
    if (Status !== dnsNoError) throw new Error(`DNS response code ${Status}`);
    return (Answer ?? []).filter((one) => one.type === recordTypes[type]).map(({ data }) => data);
  } catch (error) {
    throw unavailable(`${name} cannot be looked up now: ${(error as Error).message}`);
  }
}
