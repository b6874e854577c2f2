/** Patterns of identities, in RE2 syntax. Matching takes time linear in the text. */
import { RE2JS } from "@bufbuild/re2";
import { findExcess } from "./bounds.ts";

/** The greatest length of a text that a pattern is tried on, in characters. */
export const maxTextLength = 1024;

/** A compiled pattern. */
export interface Pattern {
  /** Whether the pattern matches the text from its first character to its last. */
  matches(text: string): boolean;
}

/**
 * Compiles a pattern. Throws an Error that says what is wrong with it, such as a backreference or lookaround.
 * A pattern that exceeds the limits is not compiled. Do not cache the result: it grows with each text that it
 * matches.
 */
export function compilePattern(pattern: string): Pattern {
  const excess = findExcess([{ field: "the pattern", pattern }]);
  if (excess) throw new Error(excess.description);
  const compiled = new RE2JS(pattern);
  return { matches: (text) => compiled.testExact(text) };
}
