/**
 * Where the platform sends requests. Customers choose the hosts of sinks and issuers, and they are
 * called from our network, so none may lead into anybody's private one (server-side request forgery).
 * Refusals are predicates about the destination: `must not have a fragment`.
 */
import type { Config } from "../../config.ts";
import { canonicalIpAddress, isLoopbackAddress, isPublicAddress } from "./addresses.ts";
import { hostNameRefusal } from "./host_names.ts";

/** What a kind of destination may have. */
interface DestinationRules {
  allowsQuery: boolean;
  hasPort: (port: number) => boolean;
  /** The ports in words. */
  ports: string;
}

/** Where events go: 443 and its usual alternative. */
export const sinkRules: DestinationRules = {
  allowsQuery: true,
  hasPort: (port) => port === 443 || port === 8443,
  ports: "443 or 8443",
};

/** Token, key and authorization endpoints: they may have a query (RFC 6749 section 3.1). */
export const endpointRules: DestinationRules = {
  allowsQuery: true,
  // Clusters have their issuer at 6443, others elsewhere. Below 1024 other protocols are at home.
  hasPort: (port) => port === 443 || port >= 1024,
  ports: "443 or from 1024 on",
};

/** OpenID Connect Discovery 1.0 section 3: neither query nor fragment. */
export const issuerRules: DestinationRules = { ...endpointRules, allowsQuery: false };

/**
 * Names that the public DNS does not have, or must not: RFC 6761, RFC 6762 with its appendix G,
 * RFC 7686, RFC 8375, RFC 9476, `internal` by ICANN, and `svc`, which clusters use within.
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
  "svc",
  "test",
];

/**
 * Why nothing may be sent there, as far as the URL itself says it. Looks no name up. Undefined where
 * nothing speaks against it.
 */
export function urlRefusal(
  config: Config,
  text: string,
  rules: DestinationRules,
): string | undefined {
  if (!URL.canParse(text)) return "must be an absolute https URL";
  const url = new URL(text);
  const isLocal = areBothLocal(config, url);
  const refusal = refusalOfUrl(text, url, rules, isLocal);
  if (refusal !== undefined) return refusal;
  if (isOurs(config, url, isLocal)) return "must not be the platform itself";
  return isLocal ? undefined : hostRefusal(nameOf(url));
}

/**
 * As {@link urlRefusal}, and by what the host's name means, which `lookUpRefusal` finds out. Throws UNAVAILABLE
 * where that cannot be done now.
 */
export async function destinationRefusal(
  config: Config,
  text: string,
  rules: DestinationRules,
  lookUpRefusal = hostNameRefusal,
): Promise<string | undefined> {
  const refusal = urlRefusal(config, text, rules);
  if (refusal !== undefined || config.dnsUrl === "") return refusal;
  const url = new URL(text);
  const name = nameOf(url);
  if (areBothLocal(config, url) || canonicalIpAddress(name) !== undefined) return undefined;
  return lookUpRefusal(config.dnsUrl, name);
}

/** {@link urlRefusal} of an issuer. Ours is accepted, since its keys are not fetched. */
export const issuerRefusal = (config: Config, issuer: string) =>
  issuer === config.issuerUrl ? undefined : urlRefusal(config, issuer, issuerRules);

const nameOf = ({ hostname }: URL) => hostname.replace(/\.+$/, "");

/** Whether both are on this machine: then the platform is one that somebody tries out. */
const areBothLocal = ({ baseUrl }: Config, url: URL) =>
  isLoopback(nameOf(url)) && isLoopback(new URL(baseUrl).hostname);

const isLoopback = (host: string) =>
  host === "localhost" || host.endsWith(".localhost") || isLoopbackAddress(host);

function refusalOfUrl(
  text: string,
  url: URL,
  rules: DestinationRules,
  isLocal: boolean,
): string | undefined {
  const isHttp = isLocal && url.protocol === "http:";
  if (url.protocol !== "https:" && !isHttp) return "must be an absolute https URL";
  if (/^[^/]*\/\/[^/?#]*@/.test(text) || url.username !== "" || url.password !== "") {
    return "must not carry a user or a password";
  }
  if (text.includes("#")) return "must not have a fragment";
  if (!rules.allowsQuery && text.includes("?")) return "must not have a query";
  const isAtPort = rules.hasPort(Number(url.port || 443));
  return isLocal || isAtPort ? undefined : `must be at port ${rules.ports}`;
}

function isOurs({ baseUrl, registryUrl, issuerUrl }: Config, url: URL, isLocal: boolean): boolean {
  // On one machine the port identifies the server; elsewhere all ports of a host are the platform's.
  const at = (one: URL) => (isLocal ? one.host : nameOf(one));
  return [baseUrl, registryUrl, issuerUrl].some((one) => at(new URL(one)) === at(url));
}

function hostRefusal(name: string): string | undefined {
  if (canonicalIpAddress(name) !== undefined) {
    return isPublicAddress(name) ? undefined : "must not be at a private or special address";
  }
  const isPrivate = privateNames.some((one) => `.${name}`.endsWith(`.${one}`));
  return isPrivate || !name.includes(".")
    ? "must be at a host that the public DNS knows"
    : undefined;
}
