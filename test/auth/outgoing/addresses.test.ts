import { expect, test } from "vitest";
import { isLoopbackAddress, isPublicAddress } from "../../../src/auth/outgoing/addresses.ts";

const blocks: [string, string, string][] = [
  ["this network", "0.0.0.0", "0.255.255.255"],
  ["private 10", "10.0.0.0", "10.255.255.255"],
  ["carrier-grade NAT", "100.64.0.0", "100.127.255.255"],
  ["loopback", "127.0.0.0", "127.255.255.255"],
  ["link-local", "169.254.0.0", "169.254.255.255"],
  ["private 172", "172.16.0.0", "172.31.255.255"],
  ["protocol assignments", "192.0.0.0", "192.0.0.255"],
  ["documentation", "192.0.2.0", "192.0.2.255"],
  ["private 192", "192.168.0.0", "192.168.255.255"],
  ["benchmarks", "198.18.0.0", "198.19.255.255"],
  ["multicast and reserved", "224.0.0.0", "255.255.255.255"],
  ["IPv6 that is not given out", "::", "1fff:ffff::1"],
  ["Teredo and adjacent blocks", "2001::", "2001:1ff:ffff::1"],
  ["IPv6 documentation", "2001:db8::", "2001:db8:ffff::1"],
  ["6to4", "2002::", "2002:ffff::1"],
  ["newer IPv6 documentation", "3fff::", "3fff:fff:ffff::1"],
  ["unique-local to multicast", "4000::", "ffff:ffff::ffff"],
];

test.each(blocks)("%s is not public, from %s to %s", (_, first, last) => {
  expect([isPublicAddress(first), isPublicAddress(last)]).toEqual([false, false]);
});

test.each([
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "223.255.255.255",
  "1.1.1.1",
  "2000::1",
  "2001:200::1",
  "2001:db9::1",
  "2606:4700:4700::1111",
  "3fff:1000::1",
])("%s, next to a special block, is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ["in hexadecimal", "0x7f000001"],
  ["in octal", "0177.0.0.1"],
  ["as one number", "2130706433"],
  ["shortened", "127.1"],
  ["as IPv6", "::ffff:127.0.0.1"],
  ["as IPv6, in groups", "::ffff:7f00:1"],
  ["translated", "64:ff9b::127.0.0.1"],
  ["translated locally", "64:ff9b:1::7f00:1"],
  ["in the old compatible form", "::127.0.0.1"],
  ["written out", "0000:0000:0000:0000:0000:0000:0000:0001"],
  ["with a dot behind", "127.0.0.1."],
])("a private address %s is not public", (_, text) => {
  expect(isPublicAddress(text)).toBe(false);
});

test.each([
  "",
  "example.com",
  "1.2.3.4.5",
  "256.1.1.1",
  "1.1.1.1/8",
  "1.1.1.1:80",
  "me@1.1.1.1",
  "2606::1::2",
  "::g",
])("%j is not an address", (text) => {
  expect(isPublicAddress(text)).toBe(false);
});

test.each([
  ["127.9.9.9", true],
  ["::1", true],
  ["[::1]", true],
  ["128.0.0.1", false],
  ["::2", false],
  ["localhost", false],
])("%s is loopback: %s", (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});
