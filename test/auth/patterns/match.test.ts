/** The texts that a pattern can match are found without compiling it, with the same result as the library. */
import { RE2JS } from "@bufbuild/re2";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findExcess } from "../../../src/auth/patterns/bounds.ts";
import { mayMatch } from "../../../src/auth/patterns/match.ts";
import { maxTextLength } from "../../../src/auth/patterns/pattern.ts";
import { anyText, grammar } from "./grammar.ts";

/** The result of the library. Undefined for a pattern that it refuses or that exceeds the limits. */
function verdict(pattern: string, text: string): boolean | undefined {
  if (findExcess([{ field: "f", pattern }])) return undefined;
  try {
    return new RE2JS(pattern).testExact(text);
  } catch {
    return undefined;
  }
}

const text = fc.string({
  unit: fc.constantFrom(...("abkszAKS019-/:.x\né\u212a😀".match(/./gsu) ?? [])),
});

/** Patterns that the reader does not fully know: Unicode classes, folding, boundaries. */
const isUnsure = (pattern: string) => /\\[pPbB]|\(\?[a-zA-Z-]*[im]/.test(pattern);

describe("a random pattern and text", () => {
  for (const [name, patterns] of Object.entries({ grammar, anyText })) {
    test(`${name}: a match of the library is a possible match`, () => {
      const check = fc.property(patterns, text, (pattern, one) => {
        const expected = verdict(pattern, one);
        fc.pre(expected !== undefined);
        if (expected) expect(mayMatch(pattern, one)).toBe(true);
        else if (!isUnsure(pattern)) expect(mayMatch(pattern, one)).toBe(false);
      });
      fc.assert(check, { numRuns: 2000, maxSkipsPerRun: 1000 });
    });
  }
});

test.for([
  ["https://.*\\.example\\.com", "https://a.example.com", true],
  ["https://.*\\.example\\.com", "https://a.example.com.evil", false],
  ["https://([a-z0-9-]+\\.)*example\\.com(/.*)?", "https://a.b-c.example.com/x/y", true],
  ["https://([a-z0-9-]+\\.)*example\\.com(/.*)?", "https://evilexample.com", false],
  ["^https://i\\.example$", "https://i.example", true],
  ["(?i)https://I\\.EXAMPLE", "https://i.example", true],
  ["(?i)https://I\\.EXAMPLE", "https://j.example", false],
  ["repo:org/[^:]+:ref:refs/(heads|tags)/v\\d{1,3}", "repo:org/a:ref:refs/tags/v12", true],
  ["repo:org/[^:]+:ref:refs/(heads|tags)/v\\d{1,3}", "repo:org/a:ref:refs/tags/v1234", false],
  ["(a{2}|b){3}", "aabaa", true],
  ["(a{2}|b){3}", "aaba", false],
  ["\\p{Lu}", "a", true],
  ["(?i)\u212a+\u017f", "kKS", true],
  ["(?i)[^\u212a]", "k", false],
] as const)("the pattern %j can match %j: %j", ([pattern, one, expected]) => {
  expect(mayMatch(pattern, one)).toBe(expected);
});

test("a text beyond the limit and a pattern beyond the bounds match nothing", () => {
  expect(mayMatch("a*", "a".repeat(maxTextLength))).toBe(true);
  expect(mayMatch("a*", "a".repeat(maxTextLength + 1))).toBe(false);
  expect(mayMatch("x{0,1000}", "x")).toBe(false);
});

test("a pattern that would take too many steps matches nothing", () => {
  expect(mayMatch("(?:(?:(?:a?b?)*c?)*[a-c]{0,9})*", "abcabcabc")).toBe(true);
  const branches = `(?:${"b|".repeat(150)}a)*`;
  expect(mayMatch(branches, "a".repeat(400))).toBe(true);
  expect(mayMatch(branches, "a".repeat(maxTextLength))).toBe(false);
  const letters = String.fromCodePoint(
    ...Array.from({ length: maxTextLength }, (_, at) => 0x4e00 + at),
  );
  expect(mayMatch(`${".?".repeat(60)}.*`, letters)).toBe(true);
  expect(mayMatch(`${".?".repeat(100)}.*`, letters)).toBe(false);
});
