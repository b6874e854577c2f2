/** Looks up the addresses of hosts by DNS over HTTPS. */
import { unavailable } from "../../aip/errors.ts";
import { isPublicAddress } from "./addresses.ts";
import { boundedFetch, responseTimeoutMs } from "./bounded_fetch.ts";

/**
 * Says why a host is not an allowed destination, as a predicate: `is at a.example, which has no address`.
 * Undefined if it is allowed. One private address among many is enough for a refusal, because the connection
 * may use that one. Throws UNAVAILABLE if the resolver does not respond.
 */
export async function hostNameRefusal(dnsUrl: string, name: string): Promise<string | undefined> {
  const asked = [lookUp(dnsUrl, name, "A"), lookUp(dnsUrl, name, "AAAA")];
  // Both lookups finish before either decides, so that none is still in progress when the call ends.
  await Promise.allSettled(asked);
  const answers = await Promise.all(asked);
  const addresses = answers.flat();
  if (addresses.length === 0) return `has the host ${name}, which has no address`;
  if (addresses.every(isPublicAddress)) return undefined;
  return `has the host ${name}, which has a private or special address`;
}

/** How long a result is cached, whether good or bad, in milliseconds. */
const cacheLifetimeMs = 30_000;
const maxCached = 100;
const cache = new Map<string, { refusal?: string | undefined; failure?: unknown; until: number }>();

/**
 * Like {@link hostNameRefusal}, but accepts results that are up to half a minute old. A stranger can make the
 * platform fetch from the same host many times, and the resolver must not receive a query for each.
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

/** The response of a resolver: the record types and response codes of RFC 1035. */
interface DnsAnswer {
  Status: number;
  Answer?: { type: number; data: string }[] | null;
}

const recordTypes = { A: 1, AAAA: 28 };
const dnsNoError = 0;
const dnsNameError = 3;

/**
 * The addresses of the name, by DNS over HTTPS in its JSON format. Throws UNAVAILABLE if there is no
 * response.
 */
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
    return (Answer ?? [])
      .filter((answer) => answer.type === recordTypes[type])
      .map(({ data }) => data);
  } catch (error) {
    throw unavailable(`the host ${name} cannot be looked up now: ${(error as Error).message}`);
  }
}
