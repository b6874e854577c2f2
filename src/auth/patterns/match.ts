/** Whether a pattern may match a text, found out by reading it: nothing is compiled. */

import { findExcess } from "./bounds.ts";
import type { CharacterSet } from "./characters.ts";
import { maxTextLength } from "./pattern.ts";
import { type PatternVisitor, readPattern } from "./reader.ts";

/**
 * Steps in one text: a part that is passed, or a character that is looked up for a part. Patterns that
 * people write take some hundred.
 */
const maxSteps = 65_536;

/** From the places where a part may begin to those where it may end, a bit for each place. */
type PositionMap = (from: bigint) => bigint;

/**
 * Whether the pattern may match the text from its first character to its last. False is sure, but for
 * patterns that take more than {@link maxSteps} steps. True means that it matches, unless it has a
 * Unicode class, folds other letters than those of ASCII, or looks at word or line boundaries: these
 * count as matching.
 */
export function mayMatch(pattern: string, text: string): boolean {
  if (text.length > maxTextLength || findExcess([{ field: "", pattern }])) return false;
  const runes = Array.from(text, (one) => one.codePointAt(0) ?? 0);
  const { made } = readPattern(pattern, newMatcher(runes));
  return made(1n) >> BigInt(runes.length) === 1n;
}

function newMatcher(runes: number[]): PatternVisitor<PositionMap> {
  const places = new Map<number, bigint>();
  for (const [at, rune] of runes.entries()) {
    places.set(rune, (places.get(rune) ?? 0n) | (1n << BigInt(at)));
  }
  let steps = 0;
  const character = (set: CharacterSet): PositionMap => {
    let fits: bigint | undefined;
    return (from) => {
      steps += fits === undefined ? places.size : 1;
      if (steps > maxSteps) return 0n;
      fits ??= [...places].reduce((all, [rune, at]) => (set.mayHave(rune) ? all | at : all), 0n);
      return (from & fits) << 1n;
    };
  };
  const placed = { start: 1n, end: 1n << BigInt(runes.length) };
  return {
    character,
    nothing: () => (from) => from,
    assertion: (where) => (from) => (where === "beside" ? from : from & placed[where]),
    sequence: (first, second) => (from) => {
      const between = first(from);
      return between === 0n ? 0n : second(between);
    },
    alternation: (first, second) => (from) => first(from) | second(from),
    repetition: (one, least, greatest) => (from) => repeat(one, least, greatest, from),
    captured: (inner) => inner,
  };
}

/** A place that was reached with fewer repetitions needs no second look. */
function repeat(one: PositionMap, least: number, greatest: number, from: bigint): bigint {
  let fresh = from;
  for (let turn = 0; turn < least && fresh !== 0n; turn += 1) fresh = one(fresh);
  let reached = fresh;
  for (let turn = least; turn < greatest && fresh !== 0n; turn += 1) {
    fresh = one(fresh) & ~reached;
    reached |= fresh;
  }
  return reached;
}
