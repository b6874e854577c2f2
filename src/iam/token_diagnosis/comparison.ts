/** Compares an identity with a token, field by field, and decides whether the identity accepts the token. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  CheckOutcome,
  FieldComparisonSchema,
  NearMiss,
} from "../../../schema/gen/platform/iam/diagnosis/v2/token_diagnosis_pb.js";
import type {
  Identity_ClaimMatch,
  Identity_StaticKeys,
} from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import type { Call } from "../../auth/call.ts";
import {
  audiencesOf,
  type Comparison,
  compareClaims,
  compareIssuerAndSubject,
  describeLongTexts,
} from "../../auth/claim_match.ts";
import {
  exchangeAudiences,
  staticKeysAudiences,
  staticKeysExpiry,
} from "../../auth/identity_matchers.ts";
import {
  differenceFromPattern,
  differenceOf,
  nearMissOf,
  nearMissOfPattern,
  shown,
} from "./difference.ts";
import { type Evidence, timeText } from "./evidence.ts";
import type { IdentityRow } from "./nearest.ts";

type Field = MessageInitShape<typeof FieldComparisonSchema>;

const { PASSED, FAILED } = CheckOutcome;

/** The most values of a claim in a response. */
const maxShownValues = 10;

/** The comparisons of a claim match. `audiences` are accepted if the identity names none. */
export function compareClaimMatch(
  match: Identity_ClaimMatch,
  { issuer, subject, claims }: Evidence,
  audiences: string[],
): Comparison[] {
  const first = [...compareIssuerAndSubject(match, issuer, subject)];
  // No pattern is compiled for longer claims.
  if (describeLongTexts(match, claims) !== undefined) return first;
  return [...first, ...compareClaims(match, claims, audiences)];
}

/** The comparisons of static keys, without the signature. */
export function compareStaticKeys(
  { config, now }: Call,
  keys: Identity_StaticKeys,
  row: IdentityRow,
  { issuer, subject, claims }: Evidence,
): Comparison[] {
  const audiences = staticKeysAudiences(keys, exchangeAudiences(config));
  const tokenAudiences = audiencesOf(claims);
  const expires = staticKeysExpiry(keys, row);
  const exact = (field: string, expected: string[], actual: string[], passes: boolean) => ({
    field: `static_keys.${field}`,
    isPattern: false,
    expected,
    actual,
    passes,
    refusal: "",
  });
  return [
    exact("issuer", [keys.issuer], [issuer], keys.issuer === issuer),
    exact("subject", [keys.subject], [subject], keys.subject === subject),
    exact(
      "audiences",
      audiences,
      tokenAudiences,
      tokenAudiences.some((audience) => audiences.includes(audience)),
    ),
    exact("expiration_time", [timeText(expires / 1000)], [timeText(now / 1000)], expires > now),
  ];
}

/** The comparison as a message. `claims` are the claims of the token. */
export function toField(comparison: Comparison, claims: Record<string, unknown>): Field {
  const actual = comparison.actual.filter((text) => text !== "");
  const { nearMiss, value } = comparison.passes ? noMiss : missOf(comparison, actual, claims);
  const [expected = ""] = comparison.expected;
  const difference =
    comparison.passes || value === undefined || comparison.field === "static_keys.expiration_time"
      ? []
      : comparison.isPattern
        ? differenceFromPattern(expected, value)
        : differenceOf(closestOf(comparison.expected, value), value);
  return create(FieldComparisonSchema, {
    field: comparison.field,
    isPattern: comparison.isPattern,
    expected: comparison.expected.slice(0, maxShownValues).map((text) => shown(text)),
    actual: actual.slice(0, maxShownValues).map((text) => shown(text)),
    outcome: comparison.passes ? PASSED : FAILED,
    nearMiss,
    difference,
    description: describe(comparison, nearMiss, actual),
  });
}

const noMiss = { nearMiss: NearMiss.UNSPECIFIED, value: undefined };

/** The value of the token that comes closest, and the small difference if there is one. */
function missOf(
  { field, isPattern, expected }: Comparison,
  actual: string[],
  claims: Record<string, unknown>,
) {
  const [value] = actual;
  if (value === undefined) {
    const isThere = Object.hasOwn(claims, claimOf(field));
    return { nearMiss: isThere ? NearMiss.CLAIM_TYPE : NearMiss.MISSING_CLAIM, value: undefined };
  }
  for (const text of actual.slice(0, maxShownValues)) {
    for (const other of expected.slice(0, maxShownValues)) {
      const nearMiss = isPattern ? nearMissOfPattern(other, text) : nearMissOf(other, text);
      if (nearMiss !== NearMiss.UNSPECIFIED) return { nearMiss, value: text };
    }
  }
  return { nearMiss: NearMiss.UNSPECIFIED, value };
}

/** The value with the longest common start. */
const closestOf = (values: string[], text: string): string =>
  values.toSorted((a, b) => commonStart(b, text) - commonStart(a, text))[0] ?? "";

/** The number of equal characters at the start of two texts, without regard to case. */
export function commonStart(text: string, other: string): number {
  const most = Math.min(text.length, other.length, 2048);
  let length = 0;
  while (length < most && text[length]?.toLowerCase() === other[length]?.toLowerCase()) length += 1;
  return length;
}

const fixedClaims: Record<string, string> = {
  issuer: "iss",
  subject: "sub",
  audience: "aud",
  audiences: "aud",
};

/** The claim that a field is about. */
function claimOf(field: string): string {
  const quoted = /\[(".*")\]$/s.exec(field)?.[1];
  if (quoted !== undefined) return JSON.parse(quoted) as string;
  return fixedClaims[field.replace(/^.*\./, "").replace(/_pattern$/, "")] ?? "";
}

const misses: Partial<Record<NearMiss, string>> = {
  [NearMiss.CASE]: "They differ only in capital letters.",
  [NearMiss.TRAILING_SLASH]: "One of them ends with a slash, and the other one does not.",
  [NearMiss.SCHEME]: "Only one of them begins with https://.",
  [NearMiss.WHITESPACE]: "They differ only in spaces, tabs or line breaks.",
  [NearMiss.PARTIAL_MATCH]:
    "The pattern matches a part of the value, but it must match all of it from the first to the last character.",
  [NearMiss.GLOB]: "The pattern is a regular expression: write .* where any text can stand.",
  [NearMiss.CLAIM_TYPE]: "Only strings, numbers and booleans can match, and no lists or objects.",
};

function describe(
  { field, isPattern, passes, expected }: Comparison,
  miss: NearMiss,
  actual: string[],
) {
  if (field === "static_keys.expiration_time")
    return passes
      ? "The static keys are not expired."
      : "The static keys of the identity are expired.";
  const claim = claimOf(field).slice(0, 100);
  if (passes) return `The claim ${claim} matches.`;
  if (miss === NearMiss.MISSING_CLAIM) return `The token has no claim ${claim}.`;
  const several = expected.length > 1 ? "none of the accepted values" : "not the required value";
  const what = isPattern ? "does not match the pattern" : `is ${several}`;
  const isLong = isPattern && actual.some((text) => text.length > 1024);
  const note = isLong ? "A pattern is tried on at most 1024 characters." : misses[miss];
  return `The claim ${claim} ${what}.${note ? ` ${note}` : ""}`;
}
