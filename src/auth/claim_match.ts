/** Compares the claims of a token with the claim match of an identity (contract: identity kinds). */
import type { JWTPayload } from "jose";
import type { Identity_ClaimMatch } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { findExcess } from "./patterns/bounds.ts";
import { claimMatchPatterns } from "./patterns/identity_patterns.ts";
import { mayMatch } from "./patterns/match.ts";
import { compilePattern, maxTextLength } from "./patterns/pattern.ts";

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
 * the limits accepts no token.
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
  match: Identity_ClaimMatch,
  issuer: string,
  subject: string,
): boolean {
  for (const { passes } of compareIssuerAndSubject(match, issuer, subject, matches)) {
    if (!passes) return false;
  }
  return true;
}

/** The comparison of one field of a claim match with the token. */
export interface Comparison {
  /** The path of the field, such as `claim_match.subject_pattern`. */
  field: string;
  isPattern: boolean;
  /** The accepted values, of which one is enough, or the only pattern. */
  expected: string[];
  /** The values in the token. None if the claim is missing, or is a list or an object. */
  actual: string[];
  passes: boolean;
  /** The reason in the error of an exchange. */
  refusal: string;
}

/** Compares the issuer and then the subject, each when it is asked for. */
export function* compareIssuerAndSubject(
  { iss, sub }: Identity_ClaimMatch,
  issuer: string,
  subject: string,
  matches: (pattern: string, text: string) => boolean = matchesFully,
): Generator<Comparison> {
  yield compareOne("issuer", iss.case === "issuerPattern", iss.value ?? "", issuer, matches);
  yield compareOne("subject", sub.case === "subjectPattern", sub.value ?? "", subject, matches);
}

function compareOne(
  name: "issuer" | "subject",
  isPattern: boolean,
  expected: string,
  actual: string,
  matches: (pattern: string, text: string) => boolean,
): Comparison {
  return {
    field: `claim_match.${name}${isPattern ? "_pattern" : ""}`,
    isPattern,
    expected: [expected],
    actual: [actual],
    passes: isPattern ? matches(expected, actual) : expected === actual,
    refusal: `the ${name} of the token does not match the identity`,
  };
}

/**
 * Describes the first other claim that the identity does not accept. Undefined if it accepts all of them.
 * `audiences` are the accepted audiences of an identity that names none.
 */
export function findClaimMismatch(
  match: Identity_ClaimMatch,
  claims: JWTPayload,
  audiences: string[],
): string | undefined {
  const long = describeLongTexts(match, claims);
  if (long !== undefined) return long;
  for (const { passes, refusal } of compareClaims(match, claims, audiences)) {
    if (!passes) return refusal;
  }
  return undefined;
}

/** Says why the claims are too long to match. No pattern is compiled for such a token. */
export function describeLongTexts(
  { aud, claimPatterns }: Identity_ClaimMatch,
  claims: JWTPayload,
): string | undefined {
  const texts = Object.keys(claimPatterns).map((name) => claimText(claims[name]) ?? "");
  const audiences = aud.case === "audiencePattern" ? audiencesOf(claims) : [];
  if ([...texts, ...audiences].join("").length <= maxTextsLength) return undefined;
  return `the claims that the patterns of the identity match have more than ${maxTextsLength} characters together`;
}

/**
 * Compares the audience and then the other claims, each when it is asked for. Check {@link
 * describeLongTexts} first.
 */
export function* compareClaims(
  { aud, claims: exact, claimPatterns }: Identity_ClaimMatch,
  claims: JWTPayload,
  audiences: string[],
): Generator<Comparison> {
  yield compareAudience(aud, audiencesOf(claims), audiences);
  for (const [name, expected] of Object.entries(exact)) {
    const text = claimText(claims[name]);
    yield {
      field: `claim_match.claims[${JSON.stringify(name)}]`,
      isPattern: false,
      expected: [expected],
      actual: text === undefined ? [] : [text],
      passes: text === expected,
      refusal: `the claim ${name} of the token does not have the value that the identity requires`,
    };
  }
  for (const [name, pattern] of Object.entries(claimPatterns)) {
    const text = claimText(claims[name]);
    yield {
      field: `claim_match.claim_patterns[${JSON.stringify(name)}]`,
      isPattern: true,
      expected: [pattern],
      actual: text === undefined ? [] : [text],
      passes: text !== undefined && matchesFully(pattern, text),
      refusal: `the claim ${name} of the token does not match the pattern of the identity`,
    };
  }
}

function compareAudience(
  aud: Identity_ClaimMatch["aud"],
  actual: string[],
  audiences: string[],
): Comparison {
  if (aud.case === "audiencePattern") {
    return {
      field: "claim_match.audience_pattern",
      isPattern: true,
      expected: [aud.value],
      actual,
      passes: matchesFully(aud.value, ...actual),
      refusal: "the audience of the token does not match the pattern of the identity",
    };
  }
  const expected = aud.case === "audience" ? [aud.value] : audiences;
  return {
    field: "claim_match.audience",
    isPattern: false,
    expected,
    actual,
    passes: actual.some((audience) => expected.includes(audience)),
    refusal: wrongAudiencesText(expected),
  };
}

/** The error for a token that is meant for someone else. */
export const wrongAudiencesText = (audiences: string[]) =>
  `the token is not for the audience ${audiences.join(" or ")}`;

/** The `aud` claim as a list (RFC 7519 section 4.1.3). */
export function audiencesOf({ aud }: JWTPayload): string[] {
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
