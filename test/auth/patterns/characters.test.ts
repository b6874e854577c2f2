/** The characters of one element of a pattern, compared with the library. */
import { RE2JS } from "@bufbuild/re2";
import { describe, expect, test } from "vitest";
import { type CharacterSet, readCharacters } from "../../../src/auth/patterns/characters.ts";
import { PatternCursor } from "../../../src/auth/patterns/cursor.ts";

const read = (text: string, fold = false): CharacterSet =>
  readCharacters(new PatternCursor(text), { fold, dotAll: false, multiline: false });

const ascii = Array.from({ length: 0x80 }, (_, rune) => rune);
const others = [0x80, 0xe9, 0x100, 0x17f, 0x212a, 0x3b1, 0xffff, 0x10000, 0x1f600, 0x10ffff];
const shown = (runes: number[]) => runes.map((one) => one.toString(16)).join(" ");

const posix = [
  ...["alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct"],
  ...["space", "upper", "word", "xdigit"],
];

describe("an element has exactly the characters that the library matches:", () => {
  test.each([
    ...posix.flatMap((name) => [`[[:${name}:]]`, `[[:^${name}:]]`, `[^[:${name}:]]`]),
    ...["\\d", "\\D", "\\s", "\\S", "\\w", "\\W", "[\\d\\D]", "[^\\w.]", "[\\Wa]"],
    ...["\\a", "\\f", "\\n", "\\r", "\\t", "\\v", "\\.", "\\\\", "\\-", "[\\n\\]]"],
    ...["\\x41", "\\x{e9}", "\\x{1F600}", "\\x{10FFFF}", "\\0", "\\07", "\\012", "\\101", "\\177"],
    ...["[a-f]", "[^a-f]", "[a-]", "[-a]", "[]a]", "[^]a]", "[+--]", "[a\\-f]", "[\\x41-\\x{e9}]"],
    ...["[\\101-\\103]", "[a-cx-z[:digit:]]", "[\u{1f600}-\u{1f602}]", "[^\\n]", "[[]", "[a^]"],
    ...["a", "é", "\u{1f600}", ".", "[.]", "[\\x00-\\x{10FFFF}]", "[^\\x00-\\x{10FFFE}]"],
  ])("%s", (element) => {
    const library = new RE2JS(element);
    const set = read(element);
    const runes = [...ascii, ...others];
    const expected = runes.filter((rune) => library.testExact(String.fromCodePoint(rune)));
    expect(shown(runes.filter((rune) => set.mayHave(rune)))).toBe(shown(expected));
    expect(set.tables).toEqual([]);
  });

  test.each(["a", "Z", "k", "S", "5", "[a-f]", "[^a-k]", "[^s]", "[[:upper:]]", "\\x4b", "\u212a"])(
    "%s without regard to case, in ASCII",
    (element) => {
      const library = new RE2JS(`(?i)${element}`);
      const set = read(element, true);
      const expected = ascii.filter((rune) => library.testExact(String.fromCodePoint(rune)));
      expect(shown(ascii.filter((rune) => set.mayHave(rune)))).toBe(shown(expected));
    },
  );
});

test("the dot has the line feed only with the flag for that", () => {
  const dot = (dotAll: boolean) =>
    readCharacters(new PatternCursor("."), { fold: true, dotAll, multiline: false });
  const missing = (set: CharacterSet) => [...ascii, ...others].filter((rune) => !set.mayHave(rune));
  expect(missing(dot(false))).toEqual([0x0a]);
  expect(missing(dot(true))).toEqual([]);
});

test("a folded set may have every character beyond ASCII", () => {
  const set = read("a", true);
  expect(others.filter((rune) => !set.mayHave(rune))).toEqual([]);
  expect(set.mayHave(0x7f)).toBe(false);
});

test.for([
  ["\\pN", "N"],
  ["\\PL", "L"],
  ["\\p{Lu}", "Lu"],
  ["\\P{^Greek}", "Greek"],
  ["[a\\p{Han}]", "Han"],
] as const)("%s needs the Unicode class %s, and may have every character", ([element, name]) => {
  const set = read(element);
  expect(set.tables).toEqual([name]);
  expect([...ascii, ...others].every((rune) => set.mayHave(rune))).toBe(true);
});

test.for([
  ["a", false, 2],
  ["a", true, 7],
  ["[a-c]", false, 2],
  ["[a-c]", true, 15],
  ["[a-cx]", false, 3],
  ["[\\x00-\\x40]", true, 2],
  ["[\\x00-\\x41]", true, 7],
  ["[\\x{1e943}-\\x{10ffff}]", true, 7],
  ["[\\x{1e944}-\\x{10ffff}]", true, 2],
  ["[\\x41-\\x{1e943}]", true, 2],
  ["\\d", false, 3],
  ["\\s", false, 7],
  ["[\\d\\w]", false, 11],
  ["\\d", true, 3],
  ["\\pN", false, 801],
  ["\\pN", true, 1401],
  [".", false, 3],
  [".", true, 3],
] as const)("the bound on the ranges of %s, folded: %s, is %i", ([element, fold, ranges]) => {
  expect(read(element, fold).ranges).toBe(ranges);
});

test.for([
  ["abc", "a", 1],
  ["\u{1f600}b", "\u{1f600}", 2],
  ["\\x41b", "A", 4],
  ["\\x{41}b", "A", 6],
  ["\\1017", "A", 4],
  ["\\08", "\0", 2],
  ["[a-c]d", "b", 5],
  ["[]-a]d", "]", 5],
  ["[abc", "c", 4],
  ["\\p{Lu", "a", 5],
  ["\\pLu", "a", 3],
] as const)("the first element of %j has %j, and its end is at %i", ([pattern, one, end]) => {
  const cursor = new PatternCursor(pattern);
  const set = readCharacters(cursor, { fold: false, dotAll: false, multiline: false });
  expect(set.mayHave(one.codePointAt(0) ?? -1)).toBe(true);
  expect(Math.min(cursor.position, pattern.length)).toBe(end);
});
