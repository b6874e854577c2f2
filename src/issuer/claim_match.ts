/** Whether a token's claims are those an identity stands for (contract: identity kinds). */
import type { JWTPayload } from "jose";
import type { Identity_ClaimMatch } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { compilePattern, patternLimit } from "../auth/pattern.ts";

/** Greatest length of a claim that a pattern is tried on. */
const textLimit = 1024;

/**
 * Whether a pattern matches the text from its first character to its last. A pattern that cannot
 * be compiled or is too large matches nothing.
 */
export function matchesWhole(pattern: string, text: string): boolean {
  if (text.length > textLimit) return false;
  try {
    const compiled = compilePattern(pattern);
    return compiled.size <= patternLimit && compiled.matches(text);
  } catch {
    return false;
  }
}

/** Whether the identity stands for that issuer and subject. */
export function isNamed(
  { iss, sub }: Identity_ClaimMatch,
  issuer: string,
  subject: string,
): boolean {
  const byIssuer =
    iss.case === "issuerPattern" ? matchesWhole(iss.value, issuer) : iss.value === issuer;
  // Asked before any signature is known to be good, so no more of it than needs be.
  if (!byIssuer) return false;
  return sub.case === "subjectPattern" ? matchesWhole(sub.value, subject) : sub.value === subject;
}

/**
 * What else of the claims the identity does not stand for, in plain words; undefined where all is
 * as it should be. `audiences` are the ones taken from a token whose identity names none.
 */
export function mismatch(
  { aud, claims: exact, claimPatterns }: Identity_ClaimMatch,
  claims: JWTPayload,
  audiences: string[],
): string | undefined {
  const given = audiencesOf(claims);
  if (aud.case === undefined) {
    if (!given.some((one) => audiences.includes(one))) return wrongAudience(audiences);
  } else if (aud.case === "audience") {
    if (!given.includes(aud.value)) return wrongAudience([aud.value]);
  } else if (!given.some((one) => matchesWhole(aud.value, one))) {
    return "the token's audience does not match the identity's pattern";
  }
  const differs = Object.keys(exact).find((name) => textOf(claims[name]) !== exact[name]);
  if (differs !== undefined) return `the token's claim ${differs} is not the identity's`;
  const strays = Object.entries(claimPatterns).find(([name, pattern]) => {
    const text = textOf(claims[name]);
    return text === undefined || !matchesWhole(pattern, text);
  });
  return strays && `the token's claim ${strays[0]} does not match the identity's pattern`;
}

/** The refusal of a token that is for somebody else. */
export const wrongAudience = (audiences: string[]) =>
  `the token is not for the audience ${audiences.join(" or ")}`;

/** The `aud` claim as a list (RFC 7519 section 4.1.3). */
export function audiencesOf({ aud }: JWTPayload): string[] {
  if (aud === undefined) return [];
  return Array.isArray(aud) ? aud : [aud];
}

/** A claim as text: strings, numbers and booleans only, so that no list matches by accident. */
function textOf(claim: unknown): string | undefined {
  if (typeof claim === "string") return claim;
  return typeof claim === "number" || typeof claim === "boolean" ? String(claim) : undefined;
}
