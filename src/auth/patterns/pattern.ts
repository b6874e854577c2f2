/** Patterns of identities: RE2 syntax, in which matching takes time linear in the text. */
import { RE2JS } from "@bufbuild/re2";
import { findExcess } from "./bounds.ts";

/** Greatest length of a text that a pattern is tried on, in characters. */
export const maxTextLength = 1024;

/** A compiled pattern. */
export interface Pattern {
  /** Whether it matches the text from its first character to its last. */
  matches(text: string): boolean;
}

/**
 * Throws an Error that says what is wrong with it, such as a backreference or lookaround. A pattern
 * beyond the bounds is not compiled. The outcome is not to be kept: it grows with each text it matches.
 */
export function compilePattern(pattern: string): Pattern {
  const excess = findExcess([{ field: "the pattern", pattern }]);
  if (excess) throw new Error(excess.description);
  const compiled = new RE2JS(pattern);
  return { matches: (text) => compiled.testExact(text) };
}
