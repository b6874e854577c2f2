/** Patterns of identities: RE2 syntax, in which matching takes time linear in the text. */
import { RE2JS } from "@bufbuild/re2";

/** Greatest size of a compiled pattern, in instructions. A larger one matches nothing. */
export const patternLimit = 512;

/** A compiled pattern. */
export interface Pattern {
  /** In instructions. */
  size: number;
  /** Whether it matches the text from its first character to its last. */
  matches(text: string): boolean;
}

/** Throws an Error that says what is wrong with it, such as a backreference or lookaround. */
export function compilePattern(pattern: string): Pattern {
  const compiled = new RE2JS(pattern);
  return {
    size: compiled.re2().prog.numInst(),
    matches: (text) => compiled.testExact(text),
  };
}
