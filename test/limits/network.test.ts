import { expect, test } from "vitest";
import { networkOf } from "../../src/limits/network.ts";

const of = (address?: string) =>
  networkOf(new Headers(address === undefined ? {} : { "cf-connecting-ip": address }));

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:db8:0:0:1::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["::ffff:cb00:7107", "203.0.113.7"],
  ["", "unknown"],
  ["somewhere", "unknown"],
  ["203.0.113.7, 198.51.100.1", "unknown"],
])("the network of %j is %s", (address, network) => {
  expect(of(address)).toBe(network);
});

test("all callers without an address share one network", () => {
  expect(of()).toBe("unknown");
});
