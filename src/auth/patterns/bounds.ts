/**
 * Limits the cost of compiling a pattern, which is counted by reading its text. Every caller who can create
 * an identity can store patterns, and every caller who knows its uid can have them matched. The limits are
 * therefore checked before the compiler runs
 * (docs/decisions/0007-patterns-are-read-before-they-are-compiled.md).
 */
import { type PatternVisitor, readPattern } from "./reader.ts";

/** Limits of one pattern: characters of its text, instructions of its program, and nested groups. */
export const patternLimits = { length: 2048, instructions: 512, depth: 50 };

/** Limits of all patterns of one identity together. */
export const identityLimits = { instructions: 2048, ranges: 8192, tables: 3 };

/** Upper bounds of the result of compiling a pattern. */
export interface PatternCost {
  /** Instructions of the program. */
  instructions: number;
  /**
   * Ranges of code points in character classes. A repeated class counts once. A class of all characters can
   * have two more ranges for each of its instructions.
   */
  ranges: number;
  /** Names of Unicode classes. For each, the library reads all of Unicode once in an isolate. */
  tables: ReadonlySet<string>;
  /** Nested groups. */
  depth: number;
}

/** Counts the cost of a pattern, in time linear in its length. */
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
    repetition: (inner, least, greatest) =>
      greatest === Number.POSITIVE_INFINITY
        ? inner * Math.max(1, least) + 2
        : inner * Math.max(1, greatest) + Math.max(0, greatest - least),
    captured: (inner) => inner + 2,
  };
  const { made, depth } = readPattern(pattern, instructions);
  // Each program starts with a failure and ends with a match.
  return { instructions: made + 2, ranges, tables, depth };
}

/** A pattern, and the path of its field. */
export interface NamedPattern {
  field: string;
  pattern: string;
}

/**
 * Finds the first of an identity's patterns that exceeds a limit, alone or together with the patterns before
 * it, and says why. Undefined if all patterns can be compiled.
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
  if (cost.depth > depth) return `has more than ${depth} nested groups`;
  if (cost.instructions > instructions) return `compiles to more than ${instructions} instructions`;
  sum.instructions += cost.instructions;
  sum.ranges += cost.ranges;
  for (const name of cost.tables) sum.tables.add(name);
  const together = "the patterns of the identity together";
  const most = identityLimits;
  if (sum.instructions > most.instructions) {
    return `is too large: ${together} compile to more than ${most.instructions} instructions`;
  }
  if (sum.ranges > most.ranges) {
    return `is too large: ${together} have more than ${most.ranges} ranges of characters`;
  }
  if (sum.tables.size > most.tables) {
    return `is too large: ${together} contain more than ${most.tables} Unicode classes`;
  }
  return undefined;
}
