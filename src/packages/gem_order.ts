/** The order of RubyGems versions (`Gem::Version` of RubyGems). */
import { sortableNumber } from "./sortable_number.ts";

const form = /^\d+(?:\.[0-9A-Za-z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/**
 * The end of a version counts as zeros without end. A word comes before it, and a number after it. Zeros that a word
 * follows come in between.
 */
const rank = { word: "1", zeroBeforeWord: "2", end: "3", number: "4" };

/** A text that sorts like the version. Undefined if the text is not a version of a gem. */
export function gemSortKey(version: string): string | undefined {
  const text = version.trim();
  if (!form.test(text)) return undefined;
  const segments = withoutHyphens(text).match(/\d+|[A-Za-z]+/g) ?? [];
  const wordIndex = segments.findIndex((segment) => !isNumber(segment));
  const numbers = wordIndex < 0 ? segments : segments.slice(0, wordIndex);
  const rest = wordIndex < 0 ? [] : segments.slice(wordIndex);
  const whole = [...withoutZeros(numbers), ...withoutZeros(rest)].filter(isNotRedundant);
  return `${whole.map(segmentKey).join("")}${rank.end}`;
}

/** A hyphen before a number begins a prerelease, as `.pre.` does. One before a word is a dot. */
function withoutHyphens(version: string): string {
  const [first, ...rest] = version.split("-");
  return [first, ...rest.map((part) => (/^[^.]*[A-Za-z]/.test(part) ? part : `pre.${part}`))].join(
    ".",
  );
}

const isNumber = (segment: string) => /^\d/.test(segment);
const isZero = (segment: string) => /^0+$/.test(segment);

/** Zeros at the end do not count, nor do those before the first word. */
const withoutZeros = (segments: string[]) =>
  segments.slice(0, segments.findLastIndex((segment) => !isZero(segment)) + 1);

/** RubyGems before 4 wrote `.pre.` for a hyphen before a word. */
function isNotRedundant(segment: string, at: number, all: string[]): boolean {
  const next = all[at + 1];
  return segment !== "pre" || next === undefined || isNumber(next);
}

function segmentKey(segment: string, at: number, all: string[]): string {
  if (!isNumber(segment)) return `${rank.word}${segment} `;
  if (isZero(segment)) {
    const next = all.slice(at).find((later) => !isZero(later));
    if (next !== undefined && !isNumber(next)) return rank.zeroBeforeWord;
  }
  return `${rank.number}${sortableNumber(segment)}`;
}
