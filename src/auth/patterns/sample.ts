/** Writes texts that a pattern probably matches, by reading the pattern. */
import type { CharacterSet } from "./characters.ts";
import { type PatternVisitor, readPattern } from "./reader.ts";

/** A text for a part of a pattern, and the set of the part if it is one character. */
interface Sample {
  text: string;
  set?: CharacterSet;
}

/** The characters to try for a set, the most common ones first: all of ASCII that can be printed. */
const candidates = [
  ..."a0A/:.-_@",
  ...Array.from({ length: 0x5f }, (_, index) => String.fromCharCode(0x20 + index)),
];

/** The longest sample. A longer text ends there, and then probably does not match. */
const maxSampleLength = 1024;

/** The greatest count of a repetition that `filler` does not replace. */
const maxShortRepetition = 32;

/**
 * A text that the pattern can match, with `filler` in place of each unbounded repetition that can match it.
 * It takes the first of several alternatives. The text does not always match: check it.
 */
export function sampleOf(pattern: string, filler: string): string {
  return readPattern(pattern, newWriter(filler)).made.text;
}

function newWriter(filler: string): PatternVisitor<Sample> {
  const runes = Array.from(filler, (character) => character.codePointAt(0) ?? 0);
  const cut = (text: string): Sample => ({ text: text.slice(0, maxSampleLength) });
  return {
    nothing: () => ({ text: "" }),
    assertion: () => ({ text: "" }),
    character: (set) => ({
      text: candidates.find((candidate) => set.mayHave(candidate.charCodeAt(0))) ?? "",
      set,
    }),
    sequence: (first, second) => cut(first.text + second.text),
    alternation: (first) => first,
    repetition: ({ text, set }, least, greatest) => {
      const isLong = greatest > maxShortRepetition;
      const isFilled = isLong && set && runes.every((rune) => set.mayHave(rune));
      if (isFilled) return cut(filler + text.repeat(Math.max(0, least - runes.length)));
      return cut(text.repeat(Math.min(least, maxSampleLength)));
    },
    captured: (inner) => inner,
  };
}
