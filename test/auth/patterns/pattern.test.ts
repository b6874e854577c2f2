/** Patterns of identities: the supported part of RE2's syntax, and its matches. */
import { describe, expect, test } from "vitest";
import { compilePattern } from "../../../src/auth/patterns/pattern.ts";

const matches = (pattern: string, text: string) => compilePattern(pattern).matches(text);

test.for([
  ["a|ab", "ab", true],
  ["a|ab", "abc", false],
  ["(?i)straße", "STRAßE", true],
  ["(?i:[k-l]+)", "K\u212a", true],
  ["[[:alpha:]]+", "abc", true],
  ["[[:alpha:]]+", "é", false],
  ["\\p{Greek}+", "αβγ", true],
  ["\\p{Lu}\\pL*", "Éa", true],
  ["\\P{Lu}+", "É", false],
  ["[^\\d]+", "a1", false],
  [".", "😀", true],
  ["..", "😀", false],
  ["[😀-😂]", "😁", true],
  [".*", "a\nb", false],
  ["(?s).*", "a\nb", true],
  ["\\Qa.b\\E", "a.b", true],
  ["\\Qa.b\\E", "axb", false],
  ["\\bab\\b", "ab", true],
  ["a\\Bb", "ab", true],
  ["a{2,3}?", "aaa", true],
  ["a{2,3}", "aaaa", false],
  ["(?P<org>a+)(?<repo>b+)", "aabb", true],
  ["\\x{1F600}\\x61", "😀a", true],
  ["", "", true],
  ["", "a", false],
] as const)("the pattern %j on the text %j: %j", ([pattern, text, expected]) => {
  expect(matches(pattern, text)).toBe(expected);
});

test.for([
  "(?=a)",
  "(?<!a)b",
  "(a)\\1",
  "(?>a)",
  "a++",
  "a**",
  "a{3,2}",
  "[b-a]",
  "(",
  ")",
  "\\C",
  "\\Z",
  "\\p{Nothing}",
  "[[:nothing:]]",
  "(?x)a",
])("the pattern %j is rejected", (pattern) => {
  expect(() => compilePattern(pattern)).toThrow(/error parsing regexp/);
});

test.for([
  ["a{1001}", "more than 512 instructions"],
  ["(a{100}){100}", "more than 512 instructions"],
  ["[ab]*a[ab]{600}", "more than 512 instructions"],
  [`[${"a".repeat(2048)}]`, "longer than 2048 characters"],
  ["\\p{Lu}\\p{Ll}\\p{Lt}\\p{Lm}", "more than 3 Unicode classes"],
] as const)("the pattern %j is above a bound", ([pattern, why]) => {
  expect(() => compilePattern(pattern)).toThrow(why);
});

describe("a pattern whose automaton has too many states matches correctly", () => {
  const text = (length: number) =>
    Array.from({ length }, (_, at) => ((at * at) % 7 < 3 ? "a" : "b")).join("");
  /** Whether the 20th character from the end is an `a`: 2^20 states if all are built. */
  const pattern = "[ab]*a[ab]{19}";

  test("a pattern with a very large automaton matches correctly, and nothing else", () => {
    for (let length = 20; length <= 1024; length += 17) {
      const one = text(length);
      expect(matches(pattern, one)).toBe(one.at(-20) === "a");
    }
  });
});
