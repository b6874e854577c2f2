/** Compares the claims of a token with the claim match of an identity (contract: identity kinds). */
import type { JWTPayload } from "jose";
import type { Identity_ClaimMatch } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { findExcess } from "../auth/patterns/bounds.ts";
import { claimMatchPatterns } from "../auth/patterns/identity_patterns.ts";
import { mayMatch } from "../auth/patterns/match.ts";
import { compilePattern, maxTextLength } from "../auth/patterns/pattern.ts";

/** The most characters in a token's audiences and claims for the patterns of an identity. */
const maxTextsLength = 4 * maxTextLength;

/**
 * Whether a pattern matches one of the texts from its first character to its last. A pattern that cannot be
 * compiled matches nothing. A pattern that exceeds the limits is not compiled and matches nothing.
 */
export function matchesFully(pattern: string, ...texts: string[]): boolean {
  const short = texts.filter((text) => text.length <= maxTextLength);
  if (short.length === 0) return false;
  try {
    const compiled = compilePattern(pattern);
    return short.some((text) => compiled.matches(text));
  } catch {
    return false;
  }
}

/**
 * Whether the identity can accept that issuer and subject, for a token whose signature is not checked yet. No
 * pattern is compiled. Only false is certain.
 */
export function mayMatchIdentity(
  match: Identity_ClaimMatch,
  issuer: string,
  subject: string,
): boolean {
  return matchesIssuerAndSubject(mayMatch, match, issuer, subject);
}

/**
 * Whether the identity accepts that issuer and subject of a verified token. An identity whose patterns exceed
 * the limits, as older releases allowed, accepts no token.
 */
export function matchesIdentity(
  match: Identity_ClaimMatch,
  issuer: string,
  subject: string,
): boolean {
  return (
    !findExcess(claimMatchPatterns(match)) &&
    matchesIssuerAndSubject(matchesFully, match, issuer, subject)
  );
}

function matchesIssuerAndSubject(
  matches: (pattern: string, text: string) => boolean,
  { iss, sub }: Identity_ClaimMatch,
  issuer: string,
  subject: string,
): boolean {
  const byIssuer = iss.case === "issuerPattern" ? matches(iss.value, issuer) : iss.value === issuer;
  if (!byIssuer) return false;
  return sub.case === "subjectPattern" ? matches(sub.value, subject) : sub.value === subject;
}

/**
 * Describes the first other claim that the identity does not accept. Undefined if it accepts all of them.
 * `audiences` are the accepted audiences of an identity that names none.
 */
export function findClaimMismatch(
  { aud, claims: exact, claimPatterns }: Identity_ClaimMatch,
  claims: JWTPayload,
  audiences: string[],
): string | undefined {
  const given = audiencesOf(claims);
  const isMatched = aud.case === "audiencePattern";
  const texts = Object.keys(claimPatterns).map((name) => claimText(claims[name]) ?? "");
  if ([...texts, ...(isMatched ? given : [])].join("").length > maxTextsLength) {
    return `the claims that the patterns of the identity match have more than ${maxTextsLength} characters together`;
  }
  if (aud.case === undefined) {
    if (!given.some((one) => audiences.includes(one))) return wrongAudiencesText(audiences);
  } else if (aud.case === "audience") {
    if (!given.includes(aud.value)) return wrongAudiencesText([aud.value]);
  } else if (!matchesFully(aud.value, ...given)) {
    return "the audience of the token does not match the pattern of the identity";
  }
  const differs = Object.keys(exact).find((name) => claimText(claims[name]) !== exact[name]);
  if (differs !== undefined)
    return `the claim ${differs} of the token does not have the value that the identity requires`;
  const strays = Object.entries(claimPatterns).find(([name, pattern]) => {
    const text = claimText(claims[name]);
    return text === undefined || !matchesFully(pattern, text);
  });
  return strays && `the claim ${strays[0]} of the token does not match the pattern of the identity`;
}

/** The error for a token that is meant for someone else. */
export const wrongAudiencesText = (audiences: string[]) =>
  `the token is not for the audience ${audiences.join(" or ")}`;

/** The `aud` claim as a list (RFC 7519 section 4.1.3). */
function audiencesOf({ aud }: JWTPayload): string[] {
  if (aud === undefined) return [];
  return Array.isArray(aud) ? aud : [aud];
}

/**
 * A claim as text. Only strings, numbers and booleans are converted, so that a list never matches by
 * accident.
 */
function claimText(claim: unknown): string | undefined {
  if (typeof claim === "string") return claim;
  return typeof claim === "number" || typeof claim === "boolean" ? String(claim) : undefined;
}
