/**
 * Decides where the platform may send requests. Customers choose the hosts of sinks and issuers, and the
 * platform calls them from its own network. A host must therefore not lead into a private network
 * (server-side request forgery). A refusal is a predicate about the destination: `must not have a fragment`.
 */
import type { Config } from "../../config.ts";
import { canonicalIpAddress, isLoopbackAddress, isPublicAddress } from "./addresses.ts";
import { hostNameRefusal } from "./host_names.ts";

/** The parts that a kind of destination can have. */
interface DestinationRules {
  allowsQuery: boolean;
  hasPort: (port: number) => boolean;
  /** The allowed ports in words. */
  ports: string;
}

/** Sinks of events use 443 or its usual alternative. */
export const sinkRules: DestinationRules = {
  allowsQuery: true,
  hasPort: (port) => port === 443 || port === 8443,
  ports: "443 or 8443",
};

/** Token, key and authorization endpoints can have a query (RFC 6749 section 3.1). */
export const endpointRules: DestinationRules = {
  allowsQuery: true,
  // Clusters have their issuer at 6443, and others use other ports. Ports below 1024 belong to other
  // protocols.
  hasPort: (port) => port === 443 || port >= 1024,
  ports: "443, or 1024 and above",
};

/** An issuer has neither a query nor a fragment (OpenID Connect Discovery 1.0 section 3). */
export const issuerRules: DestinationRules = { ...endpointRules, allowsQuery: false };

/**
 * Names that are not in the public DNS, or must not be. The sources are RFC 6761, RFC 6762 with its appendix G,
 * RFC 7686, RFC 8375 and RFC 9476. ICANN reserves `internal`, and clusters use `svc` internally.
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
 * Says why nothing may be sent to this URL, judged by the URL alone. No name is looked up. Undefined if the
 * URL is allowed.
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
  if (isOurs(config, url, isLocal)) return "must not be a host of the platform";
  return isLocal ? undefined : hostRefusal(nameOf(url));
}

/**
 * Like {@link urlRefusal}, and also judges the addresses of the host, which `lookUpRefusal` finds. Throws
 * UNAVAILABLE if they cannot be looked up now.
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

/** {@link urlRefusal} of an issuer. Our own issuer is accepted, because its keys are not fetched. */
export const issuerRefusal = (config: Config, issuer: string) =>
  issuer === config.issuerUrl ? undefined : urlRefusal(config, issuer, issuerRules);

/** Whether a sink is on this machine, and the platform too. */
export const isLocalSink = (config: Config, sink: string) => areBothLocal(config, new URL(sink));

/** The name of the host of an URL, without a dot at its end. */
export const hostOf = (url: string) => nameOf(new URL(url));

const nameOf = ({ hostname }: URL) => hostname.replace(/\.+$/, "");

/** Whether both are on this machine. The platform is then a local one for trying things out. */
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
    return "must not contain a user name or a password";
  }
  if (text.includes("#")) return "must not have a fragment";
  if (!rules.allowsQuery && text.includes("?")) return "must not have a query";
  const isAtPort = rules.hasPort(Number(url.port || 443));
  return isLocal || isAtPort ? undefined : `must use port ${rules.ports}`;
}

function isOurs({ baseUrl, registryUrl, issuerUrl }: Config, url: URL, isLocal: boolean): boolean {
  // On one machine the port identifies the server. Elsewhere all ports of a host belong to the platform.
  const hostOf = (address: URL) => (isLocal ? address.host : nameOf(address));
  return [baseUrl, registryUrl, issuerUrl].some(
    (ownUrl) => hostOf(new URL(ownUrl)) === hostOf(url),
  );
}

function hostRefusal(name: string): string | undefined {
  if (canonicalIpAddress(name) !== undefined) {
    return isPublicAddress(name) ? undefined : "must not have a private or special address";
  }
  const isPrivate = privateNames.some((privateName) => `.${name}`.endsWith(`.${privateName}`));
  return isPrivate || !name.includes(".") ? "must have a host name from the public DNS" : undefined;
}
