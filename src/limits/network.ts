/** The network of a caller without an identity. */
import { canonicalIpAddress } from "../auth/outgoing/addresses.ts";

/** Cloudflare sets this header, and no client can. On this machine, it is the address of the front door's client. */
export const addressHeader = "cf-connecting-ip";

/** The key of all callers whose address is not known. */
const unknown = "unknown";

/**
 * An IP address in its usual notation, such as `192.0.2.1` or `2001:db8::1`. An IPv4 address inside of an IPv6 address
 * (`::ffff:192.0.2.1`) is that IPv4 address. Undefined if the text is not an address.
 */
export function addressOf(text: string): string | undefined {
  const address = canonicalIpAddress(text);
  if (!address?.startsWith("[")) return address;
  const groups = groupsOf(address.slice(1, -1));
  const [, , , , , mark, high = 0, low = 0] = groups;
  const isMapped = mark === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  return address.slice(1, -1);
}

/** The address of the client. Undefined if it is not known. */
export const clientAddress = (headers: Headers): string | undefined =>
  addressOf(headers.get(addressHeader) ?? "");

/**
 * The network of the address. It is a whole IPv4 address, or the first 64 bits of an IPv6 address: one customer usually
 * has all addresses that begin with them.
 */
export function networkOf(headers: Headers): string {
  const address = clientAddress(headers);
  if (address === undefined) return unknown;
  if (!address.includes(":")) return address;
  return `${groupsOf(address)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The eight groups of an IPv6 address as the URL parser writes it, without brackets. */
export function groupsOf(address: string): number[] {
  const [before = "", after] = address.split("::");
  const first = numbersOf(before);
  if (after === undefined) return first;
  const last = numbersOf(after);
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

const numbersOf = (groups: string) =>
  groups === "" ? [] : groups.split(":").map((group) => Number.parseInt(group, 16));
