/** Addresses of upstreams, as people write those of images: `docker.io/library/nginx`, `nginx`, `ghcr.io/acme`. */
import { isLocalSink } from "../../auth/outgoing/destination.ts";
import type { Config } from "../../config.ts";

/** An image at a registry, or a path above images. */
export interface UpstreamAddress {
  /** The host as people write it, with its port. */
  host: string;
  /** Empty for the whole registry. */
  path: string;
}

/** Docker Hub. Its registry is at another host than its images are named after. */
const hub = "docker.io";
const hubRegistry = "registry-1.docker.io";
const namesOfHub = [hub, "index.docker.io", hubRegistry, "registry.hub.docker.com"];

const component = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const pathPattern = new RegExp(`^${component}(?:/${component})*$`);

/** The first word of an address is a host if it has a dot or a port (distribution/reference, "Grammar"). */
const isHost = (word: string) => /[.:]/.test(word) || word === "localhost";

/**
 * Reads an address. The path of an image at Docker Hub with one word gets `library/`. Undefined if the text is
 * not the address of an image, or with `isPrefix` of a path above images.
 */
export function readAddress(text: string, isPrefix: boolean): UpstreamAddress | undefined {
  const [first = "", ...rest] = text.split("/");
  const named = isHost(first) ? first.toLowerCase() : hub;
  const words = isHost(first) ? rest : [first, ...rest];
  if (!URL.canParse(`https://${named}/`) || new URL(`https://${named}/`).username !== "")
    return undefined;
  const host = namesOfHub.includes(named) ? hub : named;
  const path = words.join("/");
  if (path === "") return isPrefix && words.length === 0 ? { host, path } : undefined;
  if (!pathPattern.test(path)) return undefined;
  return { host, path: isPrefix ? path : inLibrary(host, path) };
}

/** An image that is named below an address. Docker Hub has images with one word in `library/`. */
export const addressBelow = ({ host, path }: UpstreamAddress, name: string): UpstreamAddress => ({
  host,
  path: inLibrary(host, path === "" ? name : `${path}/${name}`),
});

const inLibrary = (host: string, path: string) =>
  host === hub && !path.includes("/") ? `library/${path}` : path;

/** The address as text. */
export const textOfAddress = ({ host, path }: UpstreamAddress) =>
  path === "" ? host : `${host}/${path}`;

/** The origin of the registry of a host. It is http only if the registry and the platform are on this machine. */
export function originOfHost(config: Config, host: string): string {
  if (host === hub) return `https://${hubRegistry}`;
  return isLocalSink(config, `http://${host}`) ? `http://${host}` : `https://${host}`;
}
