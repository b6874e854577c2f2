/** The conditions that a token must meet for an identity to accept it. */
import type { IdentityClaimMatch, IdentityStaticKeys } from "../../client/index.ts";
import type { Relationship } from "./kinds.ts";

/** How a value is compared: it is equal, it matches a pattern as a whole, or it is one of the given values. */
export type Comparison = "exact" | "pattern" | "one-of";

/** One thing that must hold. */
export interface Condition {
  /** The name of the compared value, for people: `issuer`, `subject`, `claim repository_id`. */
  subject: string;
  /** The name in the token, such as `iss`. */
  claim?: string;
  comparison: Comparison;
  /** The values. `one-of` has several, the others one. */
  values: string[];
  /** Whether the identity does not say it, and the rule of the platform applies. */
  isDefault?: boolean;
}

interface Matcher {
  exact: string | undefined;
  pattern: string | undefined;
}

function condition(subject: string, { exact, pattern }: Matcher, claim?: string): Condition[] {
  const named = { subject, ...(claim === undefined ? {} : { claim }) };
  if (exact) return [{ ...named, comparison: "exact", values: [exact] }];
  return pattern ? [{ ...named, comparison: "pattern", values: [pattern] }] : [];
}

/** The audiences that an exchange accepts if an identity names none: the issuer of the platform, and its host. */
const defaultAudiences = (issuerUrl: string): string[] => [issuerUrl, new URL(issuerUrl).host];

const defaultAudience = (issuerUrl: string): Condition => ({
  subject: "audience",
  claim: "aud",
  comparison: "one-of" as const,
  isDefault: true,
  values: defaultAudiences(issuerUrl),
});

function conditionsOfClaims(match: IdentityClaimMatch, issuerUrl: string): Condition[] {
  const { claims = {}, claimPatterns = {} } = match;
  const audience = condition(
    "audience",
    { exact: match.audience, pattern: match.audiencePattern },
    "aud",
  );
  return [
    ...condition("issuer", { exact: match.issuer, pattern: match.issuerPattern }, "iss"),
    ...condition("subject", { exact: match.subject, pattern: match.subjectPattern }, "sub"),
    ...(audience.length > 0 ? audience : [defaultAudience(issuerUrl)]),
    ...Object.entries(claims).map(([claim, value]): Condition => {
      return { subject: `claim ${claim}`, claim, comparison: "exact", values: [value] };
    }),
    ...Object.entries(claimPatterns).map(([claim, value]): Condition => {
      return { subject: `claim ${claim}`, claim, comparison: "pattern", values: [value] };
    }),
  ];
}

const conditionsOfKeys = (
  { issuer, subject, audiences: [audience] = [] }: IdentityStaticKeys,
  issuerUrl: string,
): Condition[] => [
  ...condition("issuer", { exact: issuer, pattern: undefined }, "iss"),
  ...condition("subject", { exact: subject, pattern: undefined }, "sub"),
  ...(audience === undefined
    ? [defaultAudience(issuerUrl)]
    : condition("audience", { exact: audience, pattern: undefined }, "aud")),
];

/** The conditions of a relationship, in the order in which people think of them. None if it accepts no token. */
export function conditionsOf(relationship: Relationship, issuerUrl: string): Condition[] {
  const { claimMatch, staticKeys, awsIdentity } = relationship;
  if (claimMatch) return conditionsOfClaims(claimMatch, issuerUrl);
  if (staticKeys) return conditionsOfKeys(staticKeys, issuerUrl);
  if (!awsIdentity) return [];
  const { awsAccount, arn, arnPattern, userId, userIdPattern } = awsIdentity;
  return [
    ...condition("account", { exact: awsAccount, pattern: undefined }),
    ...condition("ARN", { exact: arn, pattern: arnPattern }),
    ...condition("user id", { exact: userId, pattern: userIdPattern }),
  ];
}

/**
 * Whether a call can send the token itself. Otherwise it must be exchanged first, and the exchange must name the
 * identity.
 */
export function acceptsBearer({ claimMatch }: Relationship): boolean {
  if (!claimMatch) return false;
  const {
    issuer,
    subject,
    audience,
    audiencePattern,
    claims = {},
    claimPatterns = {},
  } = claimMatch;
  const isExact = issuer !== undefined && subject !== undefined;
  const hasMore =
    audience !== undefined ||
    audiencePattern !== undefined ||
    Object.keys({ ...claims, ...claimPatterns }).length > 0;
  return isExact && !hasMore;
}

/** The public keys in a JSON Web Key Set, or undefined if the text is none. */
export function readKeys(text: string): { kid?: string; kty?: string; alg?: string }[] | undefined {
  try {
    const { keys } = JSON.parse(text) as { keys?: unknown };
    return Array.isArray(keys)
      ? (keys as { kid?: string; kty?: string; alg?: string }[])
      : undefined;
  } catch {
    return undefined;
  }
}
