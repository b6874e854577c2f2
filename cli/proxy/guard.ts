/** The proxy takes the requests of programs on this machine, and none of a web page. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { usageFailure } from "../failure.ts";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const withoutBrackets = (address: string) => address.replace(/^\[(.*)\]$/, "$1");

function isLoopback(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return address === "localhost";
  return loopback.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** Returns the address to listen on, without brackets. Throws a USAGE Failure if others could reach it and may not. */
export function readListenAddress(text: string, allowsRemote: boolean): string {
  const address = withoutBrackets(text);
  if (isIP(address) === 0 && address !== "localhost") {
    throw usageFailure(`${text} is not an address. Write an IP address, such as 127.0.0.1.`);
  }
  if (isLoopback(address) || allowsRemote) return address;
  throw usageFailure(
    `Other machines can reach ${text}, and everyone who does would use your login. If you want that, add --allow-remote.`,
  );
}

/** The error for a request that is refused. */
export type Refusal = { status: number; code: string; message: string };

const deny = (message: string): Refusal => ({ status: 403, code: "DENIED", message });

/** Returns the error for a request that is refused, or undefined. `hosts` are further names of the proxy. */
export function refusalFor(
  { headers, url = "" }: Pick<IncomingMessage, "headers" | "url">,
  hosts: string[],
): Refusal | undefined {
  // Browsers add Sec-Fetch-Site also to the requests of images and links, which have no Origin.
  if (headers.origin !== undefined || headers["sec-fetch-site"] !== undefined)
    return deny("the proxy takes no requests of web pages");
  const host = withoutPort(headers.host ?? "");
  // The name of a page can be made to point to this machine, but the page cannot choose another Host.
  if (!isLoopback(withoutBrackets(host)) && !hosts.includes(host)) {
    const text = `the proxy does not have the name ${host}; to allow it, start it with --accept-host ${host}`;
    return deny(text);
  }
  if (url.startsWith("/") && !url.startsWith("//")) return undefined;
  return { status: 400, code: "UNSUPPORTED", message: "the target of a request must be a path" };
}

const withoutPort = (host: string) => host.toLowerCase().replace(/:\d+$/, "");
