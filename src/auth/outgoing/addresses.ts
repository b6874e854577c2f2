/** Decides which IP addresses belong to the public internet (IANA special-purpose address registries). */

/** Special IPv4 blocks, and the address of a cloud's metadata service. */
const specialIpv4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // Azure's machine agent
  "169.254.0.0/16", // link-local, metadata of clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments, metadata of clouds
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
];

/**
 * All assigned IPv6 addresses are in this block. Loopback, unique-local, link-local and multicast addresses
 * are outside it. So are the forms that contain an IPv4 address: mapped and translated (NAT64).
 */
const globalIpv6 = "2000::/3";

/** Special blocks within {@link globalIpv6}. */
const specialIpv6 = [
  "2001::/23", // protocol assignments, Teredo
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4, which carries an IPv4 address
  "3fff::/20", // documentation
];

/**
 * An address in any notation, as the URL parser writes it: `127.0.0.1`, `[::1]`. Undefined if the text is not
 * an address.
 */
export function canonicalIpAddress(text: string): string | undefined {
  const host = text.includes(":") && !text.startsWith("[") ? `[${text}]` : text;
  if (!/^[0-9a-fx.:[\]]+$/i.test(host) || !URL.canParse(`http://${host}/`)) return undefined;
  const { hostname } = new URL(`http://${host}/`);
  return hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname) ? hostname : undefined;
}

/** Whether a host of the public internet can have the address. */
export function isPublicAddress(text: string): boolean {
  const address = canonicalIpAddress(text);
  if (address === undefined) return false;
  if (!address.startsWith("[")) return !specialIpv4.some((block) => isWithin(address, block));
  return isWithin(address, globalIpv6) && !specialIpv6.some((block) => isWithin(address, block));
}

/** Whether this is a loopback address. */
export function isLoopbackAddress(text: string): boolean {
  const address = canonicalIpAddress(text);
  return address === "[::1]" || (address !== undefined && isWithin(address, "127.0.0.0/8"));
}

/** Whether the host of a URL is one of the usual names of this machine. */
export const isLoopbackHost = ({ hostname }: URL): boolean =>
  ["localhost", "127.0.0.1", "[::1]"].includes(hostname);

/** Whether an address in the form of {@link canonicalIpAddress} is in a block of at most 32 leading bits. */
function isWithin(address: string, block: string): boolean {
  const [start = "", bits] = block.split("/");
  const isSameKind = address.startsWith("[") === start.includes(":");
  const shift = 32 - Number(bits);
  return isSameKind && leadingBits(address) >>> shift === leadingBits(start) >>> shift;
}

/** The first 32 bits: a whole IPv4 address, or the first two groups of an IPv6 address. */
function leadingBits(address: string): number {
  if (!address.includes(":")) {
    return address.split(".").reduce((value, part) => value * 256 + Number(part), 0);
  }
  // If `::` is at the first or second position, the group there is empty and counts as zero.
  const [first = "", second = ""] = address.replace("[", "").split(":");
  return Number.parseInt(first || "0", 16) * 0x10000 + Number.parseInt(second || "0", 16);
}
