/** Reads the characters of a pattern in RE2 syntax from its text, without compiling it. */
import type { PatternCursor } from "./cursor.ts";

/** The flags at a position of a pattern, as `(?i)`, `(?s)` and `(?m)` set them. */
export interface Flags {
  fold: boolean;
  dotAll: boolean;
  multiline: boolean;
}

/** The set of characters that one element of a pattern can match. */
export interface CharacterSet {
  /** An upper bound of the ranges that the library builds for the set, in each of its steps. */
  ranges: number;
  /** The names of its Unicode classes, such as `Lu`. For each, the library reads all of Unicode. */
  tables: string[];
  /**
   * Whether the set contains the code point. If a Unicode class or case folding is involved, only false is
   * certain.
   */
  mayHave(rune: number): boolean;
}

/** The first and last code point of a range. */
type CodePointRange = readonly [first: number, last: number];

const digit: CodePointRange = [0x30, 0x39];
const upper: CodePointRange = [0x41, 0x5a];
const lower: CodePointRange = [0x61, 0x7a];
const space: CodePointRange = [0x20, 0x20];
const word = [digit, upper, [0x5f, 0x5f], lower] as const;

const perlGroups: Record<string, readonly CodePointRange[]> = {
  d: [digit],
  s: [[0x09, 0x0a], [0x0c, 0x0d], space],
  w: word,
};

const posixGroups: Record<string, readonly CodePointRange[]> = {
  alnum: [digit, upper, lower],
  alpha: [upper, lower],
  ascii: [[0x00, 0x7f]],
  blank: [[0x09, 0x09], space],
  cntrl: [
    [0x00, 0x1f],
    [0x7f, 0x7f],
  ],
  digit: [digit],
  graph: [[0x21, 0x7e]],
  lower: [lower],
  print: [[0x20, 0x7e]],
  punct: [
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ],
  space: [[0x09, 0x0d], space],
  upper: [upper],
  word,
  xdigit: [digit, [0x41, 0x46], [0x61, 0x66]],
};

const lastRune = 0x10ffff;
/** The first and the last code point that equals another one if case is ignored. */
const folding = { first: 0x41, last: 0x1e943 };
/** The most code points that equal each other if case is ignored. */
const maxFoldOrbit = 4;
/** The number of ranges of a Unicode class. It is more than any class has, with or without case folding. */
const tableRanges = { plain: 800, folded: 1400 };

/** The library folds the case of a range one code point at a time. */
function rangesOf(first: number, last: number, fold: boolean): number {
  if (!fold || (first <= folding.first && last >= folding.last)) return 1;
  const folded = Math.min(last, folding.last) - Math.max(first, folding.first) + 1;
  return folded > 0 ? 2 + maxFoldOrbit * folded : 1;
}

/**
 * The code points that a folded set contains if it contains this one. Undefined if they are not listed here.
 */
function foldVariants(rune: number): number[] | undefined {
  if (rune > 0x7f) return undefined;
  const text = String.fromCharCode(rune);
  const others = [text.toLowerCase(), text.toUpperCase()].map((letter) => letter.charCodeAt(0));
  // The long s and the kelvin sign equal letters of ASCII if case is ignored.
  const foreign = { s: [0x017f], k: [0x212a] }[text.toLowerCase()] ?? [];
  return [rune, ...others, ...foreign];
}

const isInRanges = (ranges: readonly CodePointRange[], rune: number): boolean =>
  ranges.some(([first, last]) => rune >= first && rune <= last);

/** A set that is built from ranges and groups. */
class CharacterSetBuilder {
  private readonly single: CodePointRange[] = [];
  private readonly groups: { members: readonly CodePointRange[]; isNegated: boolean }[] = [];
  private readonly tables: string[] = [];
  private ranges = 1;
  private readonly fold: boolean;

  constructor(fold: boolean) {
    this.fold = fold;
  }

  addRange(first: number, last = first): this {
    this.single.push([first, last]);
    this.ranges += rangesOf(first, last, this.fold);
    return this;
  }

  addGroup(members: readonly CodePointRange[], isNegated: boolean): this {
    this.groups.push({ members, isNegated });
    for (const [first, last] of members) this.ranges += 1 + rangesOf(first, last, this.fold);
    return this;
  }

  addTable(name: string): this {
    this.tables.push(name);
    this.ranges += this.fold ? tableRanges.folded : tableRanges.plain;
    return this;
  }

  toSet(isNegated = false): CharacterSet {
    const { tables, ranges, fold } = this;
    const parts = [{ members: this.single, isNegated: false }, ...this.groups];
    const mayHave = (rune: number) => {
      const same = fold ? foldVariants(rune) : [rune];
      if (tables.length > 0 || !same) return true;
      const isIn = parts.some(
        (part) => same.some((variant) => isInRanges(part.members, variant)) !== part.isNegated,
      );
      return isIn !== isNegated;
    };
    return { ranges, tables, mayHave };
  }
}

/** A literal character. */
export const literalCharacter = (rune: number, { fold }: Flags): CharacterSet =>
  new CharacterSetBuilder(fold).addRange(rune).toSet();

const namedGroup = /\[:(\^?)([a-z]+):\]/y;
const hexadecimal = /x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/y;
const octal = /0[0-7]{0,2}|[1-7][0-7]{1,2}/y;
const controls: Record<string, number> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** The code point of an escape. The cursor is after the backslash. */
function readEscape(cursor: PatternCursor): number {
  const hex = cursor.match(hexadecimal);
  if (hex) return Number.parseInt(hex[1] ?? hex[2] ?? "", 16);
  const eight = cursor.match(octal);
  if (eight) return Number.parseInt(eight[0], 8);
  const rune = cursor.take();
  return controls[String.fromCodePoint(Math.max(0, rune))] ?? rune;
}

/** Adds a class such as `\d`, `\PN` or `\p{Lu}` if one comes next. The cursor is before the backslash. */
function readGroup(cursor: PatternCursor, members: CharacterSetBuilder): boolean {
  const perl = cursor.match(/\\([dswDSW])/y)?.[1];
  if (perl) {
    const name = perl.toLowerCase();
    members.addGroup(perlGroups[name] ?? [], perl !== name);
    return true;
  }
  if (!cursor.match(/\\[pP]/y)) return false;
  const name = cursor.skip("{")
    ? cursor.takeUntil("}")
    : String.fromCodePoint(Math.max(0, cursor.take()));
  members.addTable(name.replace("^", ""));
  return true;
}

function readMember(cursor: PatternCursor): number {
  return cursor.skip("\\") ? readEscape(cursor) : cursor.take();
}

/** A class in brackets. The cursor is after the opening bracket. */
function readClass(cursor: PatternCursor, fold: boolean): CharacterSet {
  const members = new CharacterSetBuilder(fold);
  const isNegated = cursor.skip("^");
  for (
    let isFirst = true;
    !cursor.isDone && (isFirst || !cursor.startsWith("]"));
    isFirst = false
  ) {
    const [, sign, name = ""] = cursor.match(namedGroup) ?? [];
    if (sign !== undefined) {
      members.addGroup(posixGroups[name] ?? [], sign === "^");
      continue;
    }
    if (readGroup(cursor, members)) continue;
    const first = readMember(cursor);
    const isRange = cursor.startsWith("-") && !cursor.startsWith("-]");
    if (isRange) cursor.skip("-");
    members.addRange(first, isRange ? readMember(cursor) : first);
  }
  cursor.skip("]");
  return members.toSet(isNegated);
}

/** The set that comes next: a class, a dot, an escape or a literal character. */
export function readCharacters(cursor: PatternCursor, flags: Flags): CharacterSet {
  if (cursor.skip("[")) return readClass(cursor, flags.fold);
  if (cursor.skip(".")) {
    const any = new CharacterSetBuilder(false);
    return flags.dotAll
      ? any.addRange(0, lastRune).toSet()
      : any.addRange(0, 0x09).addRange(0x0b, lastRune).toSet();
  }
  const members = new CharacterSetBuilder(flags.fold);
  if (readGroup(cursor, members)) return members.toSet();
  return literalCharacter(readMember(cursor), flags);
}
