import { describe, expect, test } from "vitest";
import { canShareName, matches, type Names } from "../../../src/registry/tag_rules/patterns.ts";
import { randomNumbers } from "../../world/random.ts";
import { isLike } from "./oracle.ts";

const include = (...patterns: string[]): Names => ({ include: patterns, exclude: [] });
const exclude = (...patterns: string[]): Names => ({ include: [], exclude: patterns });

const matching: [Names, matched: string[], others: string[]][] = [
  [include(), ["a", "prod-1"], []],
  [include("prod-*"), ["prod-", "prod-1"], ["prod", "a-prod-1"]],
  [include("*-slim", "v1"), ["1-slim", "-slim", "v1"], ["v11", "slim-1"]],
  [include("a*b*a"), ["aba", "aXbYa"], ["ab", "aa", "abX"]],
  [exclude("*-rc*"), ["1.0"], ["1.0-rc1", "-rc"]],
  [{ include: ["v*"], exclude: ["*-rc", "v0"] }, ["v1", "v00"], ["v1-rc", "v0", "1"]],
];

test.for(matching)("%j matches %j and not %j", ([names, matched, others]) => {
  expect([...matched, ...others].filter((name) => matches(names, name))).toEqual(matched);
});

/** Pairs of which `canShareName` knows that they share none, or that it takes for pairs that share one. */
const pairs: [Names, Names, boolean][] = [
  [include(), include(), true],
  [include(), include("a"), true],
  [include("a*"), include("*b"), true],
  [include("a*"), include("b*"), false],
  [include("*a"), include("*b"), false],
  [include("a*c"), include("ab"), false],
  [include("v1", "v2"), include("v2", "v3"), true],
  [include("v1"), include("v10"), false],
  // An excluded pattern that covers a whole included one.
  [include("a"), exclude("a"), false],
  [exclude("a"), include("a"), false],
  [{ include: ["a", "b"], exclude: ["a"] }, include("a"), false],
  [{ include: ["a", "b"], exclude: ["a"] }, include("b"), true],
  [include("v1"), exclude("v*"), false],
  [include("v*"), exclude("v*"), false],
  [include(), exclude("*"), false],
  [include("a*b*c"), exclude("a*"), false],
  [include("a*b*c"), exclude("*c"), false],
  [include("a*b*c"), exclude("a*c"), false],
  [include("ab*"), exclude("a**"), false],
  [include("*bc"), exclude("*bc"), false],
  // One that covers only some of it.
  [include("v*"), exclude("v1"), true],
  [include("v*"), exclude("v1*"), true],
  [include("a*"), exclude("*b"), true],
  [include("a*b*c"), exclude("b*"), true],
  [include("a*b*c"), exclude("*b"), true],
  [include("a*a"), exclude("aa*"), true],
  [include("*"), exclude("a"), true],
  [include("a*undefined"), exclude("a"), true],
  [include("*"), exclude("*a*"), true],
  // These share none, but the excluded patterns are not looked at so closely.
  [include("aa*"), exclude("*a*"), true],
  [include("a*"), exclude("a", "a*"), false],
];

test.for(pairs)("canShareName of %j and %j is %s", ([one, other, isShared]) => {
  expect([canShareName(one, other), canShareName(other, one)]).toEqual([isShared, isShared]);
});

test("patterns with many stars are compared step by step, and not in every combination", () => {
  const [one, other] = [`${"*a".repeat(60)}b`, `${"*b".repeat(60)}a`];
  expect(canShareName(include(one), include(other))).toBe(false);
});

/** All texts of these characters with up to so many of them, the shortest first. */
const texts = (characters: string, most: number): string[] =>
  most === 0
    ? [""]
    : [
        "",
        ...texts(characters, most - 1).flatMap((text) => [...characters].map((one) => one + text)),
      ];

describe("compared with all short names", () => {
  const patterns = texts("abc*", 3).slice(1);
  const all = texts("abc", 6).slice(1);
  const named = new Map(
    patterns.map((pattern) => [pattern, new Set(all.filter((name) => isLike(pattern, name)))]),
  );
  const namesOf = (pattern: string) => named.get(pattern) ?? new Set<string>();

  test("two patterns share a name if and only if there is one", () => {
    const wrong = patterns.flatMap((one) =>
      patterns
        .filter((other) => {
          const isShared = [...namesOf(one)].some((name) => namesOf(other).has(name));
          return canShareName(include(one), include(other)) !== isShared;
        })
        .map((other) => `${one} ${other}`),
    );
    expect(wrong).toEqual([]);
  });

  test("two rules that share a name are never said to share none", () => {
    const random = randomNumbers(1);
    const some = (most: number) =>
      Array.from(
        { length: Math.floor(random() * (most + 1)) },
        () => patterns[Math.floor(random() * patterns.length)] ?? "",
      );
    const hasName = ({ include: wanted, exclude: refused }: Names, name: string) =>
      (wanted.length === 0 || wanted.some((one) => namesOf(one).has(name))) &&
      !refused.some((one) => namesOf(one).has(name));
    const outcomes: Record<string, number> = {};
    for (let round = 0; round < 5_000; round++) {
      const one = { include: some(2), exclude: some(2) };
      const other = { include: some(2), exclude: some(2) };
      const isShared = all.some((name) => hasName(one, name) && hasName(other, name));
      const outcome = `shares ${isShared}, can share ${canShareName(one, other)}`;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (outcome === "shares true, can share false") expect.fail(JSON.stringify([one, other]));
    }
    for (const outcome of ["shares true, can share true", "shares false, can share false"])
      expect(outcomes[outcome], outcome).toBeGreaterThan(500);
  });
});
