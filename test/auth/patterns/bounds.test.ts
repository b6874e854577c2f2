/** The cost of a pattern is known before it is compiled, and never too low. */
import { RE2JS } from "@bufbuild/re2";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findExcess,
  identityLimits,
  patternCost,
  patternLimits,
} from "../../../src/auth/patterns/bounds.ts";
import { long } from "../../world/tiers.ts";
import { anyText, grammar } from "./grammar.ts";

const lastRune = 0x10ffff;
/**
 * The ranges of a dot, with and without the line feed. The library builds them again for each instruction,
 * also for a class that contains every character, such as `[\d\D]`. The bound on instructions covers them.
 */
const dots = [
  [0, lastRune],
  [0, 0x09, 0x0b, lastRune],
].map(String);

/** The result of the library for a pattern. Undefined if it refuses the pattern. */
function compiled(pattern: string) {
  let program: ReturnType<RE2JS["re2"]>["prog"];
  try {
    program = new RE2JS(pattern).re2().prog;
  } catch {
    return undefined;
  }
  const classes = new Set<ArrayLike<number>>();
  for (let at = 0; at < program.numInst(); at += 1) {
    const { runes } = program.getInst(at) as { runes: number[] };
    if (runes.length > 1 && !dots.includes(String(runes))) classes.add(runes);
  }
  const ranges = [...classes].reduce((sum, runes) => sum + runes.length / 2, 0);
  return { instructions: program.numInst(), ranges };
}

/** Patterns that are too large to compile in a test are left out. */
const isSmall = (pattern: string) => patternCost(pattern).instructions < 20_000;

describe("the bound of a random pattern", () => {
  const holds = (pattern: string) => {
    fc.pre(isSmall(pattern));
    const real = compiled(pattern);
    fc.pre(real !== undefined);
    const bound = patternCost(pattern);
    expect(real?.instructions).toBeLessThanOrEqual(bound.instructions);
    expect(real?.ranges).toBeLessThanOrEqual(bound.ranges);
  };

  test("from the grammar is at least the size that the library compiles", long, () => {
    fc.assert(fc.property(grammar, holds), { numRuns: 2000 });
  });

  test("of all characters, repeated, is at least the size that the library compiles", () => {
    for (const pattern of [
      "[[:^digit:]+-Zx]{2,7}?",
      "[\\d\\D]{9}",
      "[^\\n]{9}",
      ".{9}",
      "(?s).{9}",
    ]) {
      holds(pattern);
    }
  });

  test("the bounds of random characters are at least the size that the library compiles", () => {
    fc.assert(fc.property(anyText, holds), { numRuns: 5000, maxSkipsPerRun: 1000 });
  });
});

test("the bound of every Unicode class holds, also folded and negated", () => {
  const names = ["Any", "Ascii", "Assigned", "L", "Lc", "Lu", "Ll", "C", "Cn", "Unknown", "Greek"];
  for (const name of names) {
    for (const form of [`\\p{${name}}`, `\\P{${name}}`, `[^\\p{${name}}]`, `[\\P{${name}}x]`]) {
      for (const pattern of [form, `(?i)${form}`]) {
        const bound = patternCost(pattern);
        expect(compiled(pattern)?.ranges, pattern).toBeLessThanOrEqual(bound.ranges);
        expect([...bound.tables]).toEqual([name]);
      }
    }
  }
});

test.for([
  ["", 3],
  ["abc", 5],
  ["x{0,1000}", 2002],
  ["x{1000}", 1002],
  ["(((x{10}){10}){10})", 1224],
  ["a(?i){1000}", 1002],
  ["\\x{1000}", 3],
  ["\\p{Lu}{3}", 5],
  ["[{1000}]", 3],
  ["\\Qx{1000}\\E", 9],
  ["x{1000", 8],
  ["x{01000}", 10],
  ["(?:a|b|c)", 7],
] as const)("the pattern %j counts as %i instructions", ([pattern, expected]) => {
  expect(patternCost(pattern).instructions).toBe(expected);
});

test("a pattern is parsed once, whatever it contains", () => {
  for (const part of ["(", "[", "[[:", "\\p{", "(?P<", "{1", "\\Q", "(?i", "[a-", "|", "\\x{"]) {
    // Quadratic, this would be ten thousand million steps.
    expect(patternCost(part.repeat(100_000)).instructions).toBeGreaterThan(0);
  }
});

describe("patterns from practice", () => {
  const patterns = [
    "https://token\\.actions\\.example\\.com",
    "^https://oidc\\.eks\\.[a-z0-9-]+\\.amazonaws\\.com/id/[A-F0-9]{32}$",
    "https://.*\\.example",
    "https://i\\..*",
    "http://localhost:[0-9]+",
    ".*",
    "repo:org/.*",
    "repo:org@[0-9]+/repo@[0-9]+:ref:refs/(heads|tags)/.*",
    "system:serviceaccount:[a-z0-9-]{1,63}:[a-z0-9-]{1,63}",
    "\\d{1,20}",
    "(a|b|c)",
    "\\p{L}+",
    "[\\p{L}\\p{N}_.-]+",
    "(?i)[a-z0-9_.-]+@example\\.com",
    "(?i)\\w+",
    "[[:alpha:]][[:alnum:]]*",
    "[0-9a-f]{40}",
    "[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}",
    "arn:aws:sts::[0-9]{12}:assumed-role/deploy/.*",
    "AROA[A-Z0-9]{17}:.*",
    "[ab]*a[ab]{19}",
  ];

  test.for(patterns)("%j is within the bounds", (pattern) => {
    expect(findExcess([{ field: "f", pattern }])).toBeUndefined();
    expect(compiled(pattern)).toBeDefined();
  });

  test("are within the bounds together", () => {
    expect(findExcess(patterns.map((pattern) => ({ field: "f", pattern })))).toBeUndefined();
  });
});

describe("the patterns of one identity", () => {
  const all = (pattern: (at: number) => string, count: number) =>
    Array.from({ length: count }, (_, at) => ({ field: `p${at}`, pattern: pattern(at) }));

  test("have a bound on all their instructions together, and the error names the first pattern above it", () => {
    const each = 100;
    const fit = Math.floor(identityLimits.instructions / (each + 2));
    expect(findExcess(all(() => `x{${each}}`, fit))).toBeUndefined();
    expect(findExcess(all(() => `x{${each}}`, fit + 1))).toMatchObject({ field: `p${fit}` });
  });

  test("have a bound on all their ranges together", () => {
    const excess = findExcess(all(() => "(?i)\\p{Lu}", 6));
    expect(excess).toMatchObject({ field: "p5", description: expect.stringContaining("ranges") });
  });

  test("have a bound on all their Unicode classes together", () => {
    const names = ["Lu", "Ll", "Nd", "Greek"];
    expect(findExcess(all((at) => `\\p{${names[at % 3]}}`, 6))).toBeUndefined();
    const excess = findExcess(all((at) => `\\p{${names[at]}}`, 4));
    expect(excess).toMatchObject({ field: "p3", description: expect.stringContaining("Unicode") });
  });

  test("each have bounds on length, size and depth", () => {
    const { length, instructions, depth } = patternLimits;
    const rejected = (pattern: string) => findExcess([{ field: "p", pattern }])?.description;
    expect(rejected(`[${"a".repeat(length - 2)}]`)).toBeUndefined();
    expect(rejected(`[${"a".repeat(length - 1)}]`)).toContain("longer than");
    expect(rejected(`x{${instructions - 2}}`)).toBeUndefined();
    expect(rejected(`x{${instructions - 1}}`)).toContain("instructions");
    expect(rejected(`${"(".repeat(depth)}x${")".repeat(depth)}`)).toBeUndefined();
    expect(rejected(`${"(".repeat(depth + 1)}x${")".repeat(depth + 1)}`)).toContain(
      "nested groups",
    );
  });
});
