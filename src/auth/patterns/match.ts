/** Finds out whether a pattern can match a text by reading the pattern, without compiling it. */

import { findExcess } from "./bounds.ts";
import type { CharacterSet } from "./characters.ts";
import { maxTextLength } from "./pattern.ts";
import { type PatternVisitor, readPattern } from "./reader.ts";

/**
 * The most steps for one text. A step is a part that is passed, or a character that is looked up for a part.
 * Patterns that people write take about a hundred.
 */
const maxSteps = 65_536;

/** Maps the positions where a part can begin to those where it can end, with a bit for each position. */
type PositionMap = (from: bigint) => bigint;

/**
 * Whether the pattern can match the text from its first character to its last. False is certain, except for
 * patterns that take more than {@link maxSteps} steps. True means that the pattern matches, unless it
 * contains a Unicode class, folds letters outside ASCII, or depends on word or line boundaries. Those parts
 * count as matching.
 */
export function mayMatch(pattern: string, text: string): boolean {
  if (text.length > maxTextLength || findExcess([{ field: "", pattern }])) return false;
  const runes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const { made } = readPattern(pattern, newMatcher(runes));
  return made(1n) >> BigInt(runes.length) === 1n;
}

/**
 * The number of characters at the start of the text that some way through the pattern can match. Characters
 * outside the basic plane count as two. With the reservations of {@link mayMatch}.
 */
export function matchedLength(pattern: string, text: string): number {
  if (text.length > maxTextLength || findExcess([{ field: "", pattern }])) return 0;
  const runes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  let reached = 1n;
  const { made } = readPattern(
    pattern,
    newMatcher(runes, (to) => {
      reached |= to;
    }),
  );
  made(1n);
  return String.fromCodePoint(...runes.slice(0, reached.toString(2).length - 1)).length;
}

function newMatcher(
  runes: number[],
  onReached?: (to: bigint) => void,
): PatternVisitor<PositionMap> {
  const positions = new Map<number, bigint>();
  for (const [index, rune] of runes.entries()) {
    positions.set(rune, (positions.get(rune) ?? 0n) | (1n << BigInt(index)));
  }
  let steps = 0;
  const character = (set: CharacterSet): PositionMap => {
    let fits: bigint | undefined;
    return (from) => {
      steps += fits === undefined ? positions.size : 1;
      if (steps > maxSteps) return 0n;
      fits ??= [...positions].reduce(
        (all, [rune, bits]) => (set.mayHave(rune) ? all | bits : all),
        0n,
      );
      const to = (from & fits) << 1n;
      onReached?.(to);
      return to;
    };
  };
  const anchors = { start: 1n, end: 1n << BigInt(runes.length) };
  return {
    character,
    nothing: () => (from) => from,
    assertion: (where) => (from) => (where === "beside" ? from : from & anchors[where]),
    sequence: (first, second) => (from) => {
      const between = first(from);
      return between === 0n ? 0n : second(between);
    },
    alternation: (first, second) => (from) => first(from) | second(from),
    repetition: (inner, least, greatest) => (from) => repeat(inner, least, greatest, from),
    captured: (inner) => inner,
  };
}

/** A position that was reached with fewer repetitions does not need to be visited again. */
function repeat(inner: PositionMap, least: number, greatest: number, from: bigint): bigint {
  let fresh = from;
  for (let turn = 0; turn < least && fresh !== 0n; turn += 1) fresh = inner(fresh);
  let reached = fresh;
  for (let turn = least; turn < greatest && fresh !== 0n; turn += 1) {
    fresh = inner(fresh) & ~reached;
    reached |= fresh;
  }
  return reached;
}
