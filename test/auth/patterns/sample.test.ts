/** Texts that patterns match. */
import { expect, test } from "vitest";
import { sampleOf } from "../../../src/auth/patterns/sample.ts";

test.for([
  ["", "x", ""],
  ["repo:acme/app", "x", "repo:acme/app"],
  ["a|b", "x", "a"],
  ["^(a|b)c$", "x", "ac"],
  ["\\ba\\.b\\B", "x", "a.b"],
  [".", "x", "a"],
  ["\\d[A-Z][^a0A][:-@]", "x", "0A/:"],
  ["[./][.-][-_]_@", "x", "/.-_@"],
  ["[!-&][^ -~]", "x", "!"],
  ["[~}]", "x", "}"],
  ["a{3}", "x", "aaa"],
  ["a{2,5}", "x", "aa"],
  ["a*b+", "x", "b"],
  [".*", "x", "x"],
  [".+", "evil", "evil"],
  [".{6,}", "evil", "evilaa"],
  [".{2,}", "evil", "evil"],
  [".{0,32}", "x", ""],
  [".{0,33}", "x", "x"],
  ["[a-z]*", "a1", ""],
  ["[a-z]+", "1a", "a"],
  ["[a-z1]+", "1a", "1a"],
  ["(ab)*", "ab", ""],
  ["(ab){3,}", "ab", "ababab"],
  ["(.)*", "x", "x"],
  ["(?:.)*", "x", "x"],
  [".*", "", ""],
  [".*", "\u{1f600}", "\u{1f600}"],
] as const)("a sample of %j with the filler %j is %j", ([pattern, filler, sample]) => {
  expect(sampleOf(pattern, filler)).toBe(sample);
});

test("a sample ends after 1024 characters", () => {
  expect(sampleOf("a{1000}b{1000}", "")).toBe("a".repeat(1000) + "b".repeat(24));
  expect(sampleOf("(ab){1000}", "")).toBe("ab".repeat(512));
  expect(sampleOf("(a{1000}b){1000}c", "")).toHaveLength(1024);
  expect(sampleOf(".*", "x".repeat(1025))).toBe("x".repeat(1024));
});
