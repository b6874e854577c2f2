/** Random patterns in RE2 syntax, some from its grammar and some from random characters. */
import fc from "fast-check";

const plain = fc.constantFrom(...("abkszAKS019-/:é\u017f\u212a😀".match(/./gu) ?? []));
const escaped = fc.constantFrom(
  ...["\\.", "\\-", "\\n", "\\x41", "\\x{6b}", "\\x{1F600}", "\\101", "\\0", "\\12", "\\*", "\\]"],
);
const group = fc.constantFrom(
  ...[
    "\\d",
    "\\D",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "\\pN",
    "\\PL",
    "\\p{Lu}",
    "\\p{^Greek}",
    "\\P{Han}",
  ],
);
const posix = fc.constantFrom("[:alpha:]", "[:^digit:]", "[:punct:]", "[:word:]", "[:^ascii:]");
const range = fc.constantFrom(
  "a-z",
  "A-Z",
  "0-9",
  "a-k",
  "+-Z",
  "\\x00-\\x7f",
  "é-ɏ",
  "😀-😂",
  "\\.-/",
);
const member = fc.oneof(plain, escaped, group, posix, range);
const bracketed = fc
  .tuple(fc.constantFrom("[", "[^", "[]", "[^]", "[-"), fc.array(member, { maxLength: 4 }))
  .map(([start, members]) => `${start}${members.join("")}${start.includes("]") ? "" : "x"}]`);
const place = fc.constantFrom("^", "$", "\\A", "\\z", "\\b", "\\B", "(?i)", "(?-i)", "(?ims-U)");
const quoted = fc.constantFrom("\\Qa{9}|*\\E", "\\Q\\E", "\\Q[\\E");
const repetition = fc.constantFrom(
  ...[
    "*",
    "+",
    "?",
    "*?",
    "{0}",
    "{1}",
    "{2}",
    "{3,}",
    "{0,}",
    "{1,}",
    "{0,5}",
    "{2,7}?",
    "{,3}",
    "{9",
  ],
);
const opening = fc.constantFrom("(", "(?:", "(?i:", "(?s-i:", "(?m:");

const { pattern } = fc.letrec<{ atom: string; part: string; sequence: string; pattern: string }>(
  (tie) => ({
    atom: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.oneof(plain, plain, fc.constant("."), escaped, group, bracketed, place, quoted),
      fc.tuple(opening, tie("pattern")).map(([start, inner]) => `${start}${inner})`),
    ),
    part: fc.tuple(tie("atom"), fc.option(repetition)).map(([atom, again]) => atom + (again ?? "")),
    sequence: fc.array(tie("part"), { maxLength: 4 }).map((parts) => parts.join("")),
    pattern: fc.array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((all) => all.join("|")),
  }),
);

/** Patterns from the grammar. The library still refuses some, such as a repetition of nothing. */
export const grammar: fc.Arbitrary<string> = pattern;

/** Texts of characters with a meaning in patterns. The library refuses most of them. */
export const anyText: fc.Arbitrary<string> = fc.string({
  unit: fc.constantFrom(
    ..."()[]{}|*+?\\^$.,:-=<>019aAkpPQEdwxzisU",
    ...["(?i)", "(?:", "\\Q", "\\E", "\\p{Lu}", "[:alpha:]", "{2,3}", "\\x{41}", "[^", "a-z"],
  ),
  maxLength: 14,
});
