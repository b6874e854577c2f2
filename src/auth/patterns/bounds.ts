/**
 * What compiling a pattern may cost at most, counted by reading its text. Every caller who can make an
 * identity can store patterns, and every caller who has its uid can have them matched, so the bounds come before the
 * compiler (docs/decisions/0007-patterns-are-read-before-they-are-compiled.md).
 */
import { type PatternVisitor, readPattern } from "./reader.ts";

/** Bounds of one pattern: characters of its text, instructions of its program, groups within groups. */
export const patternLimits = { length: 2048, instructions: 512, depth: 50 };

/** Bounds of all patterns of one identity together. */
export const identityLimits = { instructions: 2048, ranges: 8192, tables: 3 };

/** Upper bounds of what the library makes of a pattern. */
export interface PatternCost {
  /** Instructions of the program. */
  instructions: number;
  /** Ranges of code points in character classes; a class that is repeated counts once. */
  ranges: number;
  /** Unicode classes by name. The library goes through all of Unicode for each, once in an isolate. */
  tables: ReadonlySet<string>;
  /** Groups within groups. */
  depth: number;
}

/** Reads what a pattern costs, in time linear in its length. */
export function patternCost(pattern: string): PatternCost {
  let ranges = 0;
  const tables = new Set<string>();
  const instructions: PatternVisitor<number> = {
    nothing: () => 1,
    character: (set) => {
      ranges += set.ranges;
      for (const name of set.tables) tables.add(name);
      return 1;
    },
    assertion: () => 1,
    sequence: (first, second) => first + second,
    alternation: (first, second) => first + second + 1,
    repetition: (one, least, greatest) =>
      greatest === Number.POSITIVE_INFINITY
        ? one * Math.max(1, least) + 2
        : one * Math.max(1, greatest) + Math.max(0, greatest - least),
    captured: (inner) => inner + 2,
  };
  const { made, depth } = readPattern(pattern, instructions);
  // Each program starts with a failure and ends with a match.
  return { instructions: made + 2, ranges, tables, depth };
}

/** A pattern and the field path that it stands at. */
export interface NamedPattern {
  field: string;
  pattern: string;
}

/**
 * The first of an identity's patterns that is beyond a bound, alone or together with those before it,
 * and what is wrong with it; undefined where all may be compiled.
 */
export function findExcess(
  patterns: NamedPattern[],
): { field: string; description: string } | undefined {
  const sum = { instructions: 0, ranges: 0, tables: new Set<string>() };
  for (const { field, pattern } of patterns) {
    const why = describeExcess(pattern, sum);
    if (why) return { field, description: `${field} ${why}` };
  }
  return undefined;
}

function describeExcess(
  pattern: string,
  sum: { instructions: number; ranges: number; tables: Set<string> },
): string | undefined {
  const { length, instructions, depth } = patternLimits;
  if (pattern.length > length) return `is longer than ${length} characters`;
  const cost = patternCost(pattern);
  if (cost.depth > depth) return `has more than ${depth} groups within each other`;
  if (cost.instructions > instructions) return `compiles to more than ${instructions} instructions`;
  sum.instructions += cost.instructions;
  sum.ranges += cost.ranges;
  for (const name of cost.tables) sum.tables.add(name);
  const together = "the identity's patterns together";
  const most = identityLimits;
  if (sum.instructions > most.instructions) {
    return `is too large: ${together} compile to more than ${most.instructions} instructions`;
  }
  if (sum.ranges > most.ranges) {
    return `is too large: ${together} have more than ${most.ranges} ranges of characters`;
  }
  if (sum.tables.size > most.tables) {
    return `is too large: ${together} name more than ${most.tables} Unicode classes`;
  }
  return undefined;
}
