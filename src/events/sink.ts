/**
 * Where events may be sent. A sink is chosen by a customer and called from our network, so it must
 * not lead into anybody's private one (server-side request forgery). Checked when a subscription is
 * made. Whoever delivers has to check again, since names may come to mean other addresses.
 */
import { unavailable } from "../aip/errors.ts";
import { answerTimeout, boundedFetch } from "../auth/bounded_fetch.ts";
import type { Config } from "../config.ts";
import { addressOf, isLoopbackAddress, isPublicAddress } from "./addresses.ts";

/** 443, which the URL parser leaves out, and its usual alternative. */
const ports = ["", "8443"];

/**
 * Names that the public DNS does not have, or must not: RFC 6761, RFC 6762 with its appendix G,
 * RFC 7686, RFC 8375, RFC 9476, `internal` by ICANN.
 */
const privateNames = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "onion",
  "alt",
  "invalid",
  "test",
];

/**
 * Why nothing may be sent to the sink, in words for its owner; undefined where it may. Looks its
 * name up, and throws UNAVAILABLE where that cannot be done now.
 */
export async function sinkRefusal(config: Config, sink: string): Promise<string | undefined> {
  if (!URL.canParse(sink)) return "sink must be an absolute https URL";
  const url = new URL(sink);
  const name = url.hostname.replace(/\.+$/, "");
  const isLocal = isLoopback(name) && isLoopback(new URL(config.baseUrl).hostname);
  const refusal = formRefusal(config, sink, url, isLocal);
  if (refusal !== undefined || isLocal) return refusal;
  if (addressOf(name) !== undefined) {
    return isPublicAddress(name) ? undefined : "sink must not be at a private or special address";
  }
  if (!name.includes(".") || privateNames.some((one) => `.${name}`.endsWith(`.${one}`))) {
    return "sink must be at a host that the public DNS knows";
  }
  return config.dnsUrl === "" ? undefined : nameRefusal(config.dnsUrl, name);
}

/** Whether the host is the machine itself: then the platform is one that somebody tries out. */
const isLoopback = (host: string) =>
  host === "localhost" || host.endsWith(".localhost") || isLoopbackAddress(host);

function formRefusal(config: Config, sink: string, url: URL, isLocal: boolean) {
  const isHttp = isLocal && url.protocol === "http:";
  if (url.protocol !== "https:" && !isHttp) return "sink must be an absolute https URL";
  if (/^[^/]*\/\/[^/?#]*@/.test(sink) || url.username !== "" || url.password !== "") {
    return "sink must not carry a user or a password";
  }
  if (sink.includes("#")) return "sink must not have a fragment";
  if (!isLocal && !ports.includes(url.port)) return "sink must be at port 443 or 8443";
  return isOurs(config, url, isLocal) ? "sink must not be the platform itself" : undefined;
}

function isOurs({ baseUrl, registryUrl, issuerUrl }: Config, sink: URL, isLocal: boolean): boolean {
  // On one machine a port tells who it is; elsewhere all ports of a host are the platform's.
  const at = ({ host, hostname }: URL) => (isLocal ? host : hostname.replace(/\.+$/, ""));
  return [baseUrl, registryUrl, issuerUrl].some((one) => at(new URL(one)) === at(sink));
}

/** One private address among many is enough: it may be the one that is taken. */
async function nameRefusal(dnsUrl: string, name: string): Promise<string | undefined> {
  const found = await Promise.all([lookUp(dnsUrl, name, "A"), lookUp(dnsUrl, name, "AAAA")]);
  const addresses = found.flat();
  if (addresses.length === 0) return `sink is at ${name}, which has no address`;
  if (addresses.every(isPublicAddress)) return undefined;
  return `sink is at ${name}, which has a private or special address`;
}

/** What a resolver answers: the record types and response codes of RFC 1035. */
interface DnsAnswer {
  Status: number;
  Answer?: { type: number; data: string }[] | null;
}

const recordTypes = { A: 1, AAAA: 28 };
const noError = 0;
const noSuchName = 3;

/** The name's addresses, by DNS over HTTPS in its JSON form. Throws UNAVAILABLE without an answer. */
async function lookUp(dnsUrl: string, name: string, type: "A" | "AAAA"): Promise<string[]> {
  const url = new URL(dnsUrl);
  url.searchParams.set("name", name);
  url.searchParams.set("type", type);
  try {
    const response = await boundedFetch(url, {
      headers: { accept: "application/dns-json" },
      signal: AbortSignal.timeout(answerTimeout),
    });
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
    const { Status, Answer } = (await response.json()) as DnsAnswer;
    if (Status === noSuchName) return [];
    if (Status !== noError) throw new Error(`DNS response code ${Status}`);
    return (Answer ?? []).filter((one) => one.type === recordTypes[type]).map(({ data }) => data);
  } catch (error) {
    throw unavailable(`${name} cannot be looked up now: ${(error as Error).message}`);
  }
}
