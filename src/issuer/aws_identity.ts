/** Decides which identity an AWS principal can act as (contract: identity kinds, AWS token). */
import {
  type Identity_AWSIdentity,
  Identity_AWSIdentitySchema,
} from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { invalidArgument } from "../aip/errors.ts";
import { messageFromStored } from "../aip/well_formed.ts";
import { matchesFully } from "../auth/claim_match.ts";
import { findExcess } from "../auth/patterns/bounds.ts";
import { awsPatterns } from "../auth/patterns/identity_patterns.ts";
import {
  type AwsCaller,
  askAws,
  checkSignedRequest,
  type RequestBinding,
  type SignedRequest,
} from "./aws_request.ts";
import { type IdentityRow, identityMismatch } from "./identity.ts";

/** The issuer of the actor in tokens for an AWS principal. */
const awsIssuer = "https://sts.amazonaws.com";

/**
 * The claims of a new token for the AWS principal that signed the request. `find` reads the identity. The
 * request goes to AWS only if that identity accepts AWS principals. Throws INVALID_ARGUMENT if no identity is
 * named, PERMISSION_DENIED, and UNAVAILABLE.
 */
export async function assumeByAws(
  request: SignedRequest,
  binding: RequestBinding,
  find: () => Promise<IdentityRow | undefined>,
): Promise<{ act: Record<string, string> }> {
  const { config, identity } = binding;
  if (identity === "") throw invalidArgument("identity", "identity is required with an AWS token");
  const headers = checkSignedRequest(request, binding);
  const matcher = matcherOf(await find());
  if (!matcher) throw identityMismatch(identity);
  const caller = await askAws(config, headers);
  if (!matchesCaller(matcher, caller)) throw identityMismatch(identity);
  const { account, arn } = caller;
  const act = { iss: awsIssuer, sub: arn, aud: config.issuerUrl };
  return { act: { ...act, "aws-acct": account, "aws-arn": arn } };
}

function matcherOf(row: IdentityRow | undefined): Identity_AWSIdentity | undefined {
  if (row?.relationship?.case !== "awsIdentity") return undefined;
  return messageFromStored(Identity_AWSIdentitySchema, row.relationship.value);
}

/**
 * The account, the ARN and the user id must all match. An absent matcher matches nothing, and neither do
 * patterns that exceed the limits.
 */
function matchesCaller(
  matcher: Identity_AWSIdentity,
  { account, arn, userId }: AwsCaller,
): boolean {
  const { awsAccount, awsArn, awsUserId } = matcher;
  if (awsAccount !== account || findExcess(awsPatterns(matcher))) return false;
  const byArn =
    awsArn.case === "arnPattern" ? matchesFully(awsArn.value, arn) : awsArn.value === arn;
  const byUserId =
    awsUserId.case === "userIdPattern"
      ? matchesFully(awsUserId.value, userId)
      : awsUserId.value === userId;
  return byArn && byUserId;
}
