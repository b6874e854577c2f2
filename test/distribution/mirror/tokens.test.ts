/** The parts of mirrors that need no upstream. */
import { expect, test } from "vitest";
import {
  retryAfter,
  UpstreamFailure,
  warningOf,
} from "../../../src/distribution/mirror/failures.ts";
import { isOfUpstream } from "../../../src/distribution/mirror/tokens.ts";

test.each([
  ["https://auth.docker.io/token", "https://registry-1.docker.io", true],
  ["https://ghcr.io/token", "https://ghcr.io", true],
  ["https://gitlab.com/jwt/auth", "https://registry.gitlab.com", true],
  ["https://ghcr.io/token", "https://lscr.io", false],
  ["https://evil.io/token", "https://registry-1.docker.io", false],
  ["https://evildocker.io/token", "https://registry-1.docker.io", false],
  ["http://auth.docker.io/token", "https://registry-1.docker.io", false],
  ["https://quay.evil.io/token", "https://quay.io", false],
])("the token server %s gets the password of %s: %s", (realm, origin, expected) => {
  expect(isOfUpstream(new URL(realm), new URL(origin))).toBe(expected);
});

test("a Retry-After is a number of seconds or a date", () => {
  expect(retryAfter("30", 0)).toBe(30_000);
  expect(retryAfter("Thu, 01 Jan 1970 00:01:00 GMT", 10_000)).toBe(50_000);
  // A clock that is wrong, or an upstream that says 0, must not make every pull ask.
  expect(retryAfter("0", 0)).toBe(1_000);
  expect(retryAfter("Thu, 01 Jan 1970 00:01:00 GMT", 90_000)).toBe(1_000);
  expect(retryAfter(null, 0)).toBeUndefined();
  expect(retryAfter("soon", 0)).toBeUndefined();
});

test("an upstream cannot make us wait for more than six hours, nor for a time in the past", () => {
  expect(new UpstreamFailure("limited", "", 0, 1e12).retryTime).toBe(6 * 3_600_000);
  expect(new UpstreamFailure("limited", "", 1_000, -5_000).retryTime).toBe(0);
});

test("the text of a warning cannot end its header", () => {
  expect(warningOf(111, 'a "quote"\r\nset-cookie: x ä')).toBe(
    "111 - \"a 'quote'??set-cookie: x ?\"",
  );
});
