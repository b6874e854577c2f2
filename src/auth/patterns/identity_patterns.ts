/** The patterns in the matchers of an identity, with the paths of their fields. */
import type {
  Identity_AWSIdentity,
  Identity_ClaimMatch,
} from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import type { NamedPattern } from "./bounds.ts";

type Matcher = { case: string | undefined; value?: string | undefined };

/** The pattern of a oneof whose members are `<name>` and `<name>Pattern`. */
const patternOfMatcher = (field: string, { case: kind, value = "" }: Matcher): NamedPattern[] =>
  kind?.endsWith("Pattern") ? [{ field, pattern: value }] : [];

export function claimMatchPatterns(match: Identity_ClaimMatch): NamedPattern[] {
  const { iss, sub, aud, claimPatterns } = match;
  return [
    ...patternOfMatcher("claim_match.issuer_pattern", iss),
    ...patternOfMatcher("claim_match.subject_pattern", sub),
    ...patternOfMatcher("claim_match.audience_pattern", aud),
    ...Object.entries(claimPatterns).map(([claim, pattern]) => ({
      field: `claim_match.claim_patterns[${JSON.stringify(claim)}]`,
      pattern,
    })),
  ];
}

export const awsPatterns = ({ awsArn, awsUserId }: Identity_AWSIdentity): NamedPattern[] => [
  ...patternOfMatcher("aws_identity.arn_pattern", awsArn),
  ...patternOfMatcher("aws_identity.user_id_pattern", awsUserId),
];
