/** Tries the patterns of an identity on texts, to warn of those that match too much. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { IdentityWarningSchema } from "../../../schema/gen/platform/iam/diagnosis/v2/token_diagnosis_pb.js";
import { mayMatch } from "../../auth/patterns/match.ts";
import { compilePattern } from "../../auth/patterns/pattern.ts";

export type Warning = MessageInitShape<typeof IdentityWarningSchema>;

/** Texts that have nothing in common. Only a pattern without any demand matches all of them. */
const unrelated = ["x", "stranger", "repo:a/b:ref:refs/heads/c", "0-1/2@3.example: 4?", "Ünïcode"];

/** Whether the pattern matches every text, or at least every text with one character or more. */
export const matchesEverything = (pattern: string): boolean => {
  if (!unrelated.every((text) => mayMatch(pattern, text))) return false;
  try {
    const compiled = compilePattern(pattern);
    return unrelated.every((text) => compiled.matches(text));
  } catch {
    return false;
  }
};

/** The first of the texts that the pattern matches. The pattern is compiled only if one of them can match. */
export function firstMatch(pattern: string, texts: string[]): string | undefined {
  const possible = texts.filter((text) => mayMatch(pattern, text));
  if (possible.length === 0) return undefined;
  try {
    const compiled = compilePattern(pattern);
    return possible.find((text) => compiled.matches(text));
  } catch {
    return undefined;
  }
}
