/** Which identity an AWS principal may act as (contract: identity kinds, AWS token). */
import {
  type Identity_AWSIdentity,
  Identity_AWSIdentitySchema,
} from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { invalidArgument } from "../aip/errors.ts";
import { messageOf } from "../aip/well_formed.ts";
import { awsPatterns } from "../auth/identity_patterns.ts";
import { excessOf } from "../auth/pattern_bounds.ts";
import {
  type AwsCaller,
  askAws,
  type Binding,
  checkSignedRequest,
  type SignedRequest,
} from "./aws_request.ts";
import { matchesWhole } from "./claim_match.ts";
import { notTheirs, type Row } from "./identity.ts";

/** The issuer that tokens made for an AWS principal name as their actor's. */
const awsIssuer = "https://sts.amazonaws.com";

/**
 * The claims of a new token for the AWS principal that has signed the request. `find` reads the
 * identity; AWS is asked only when there is one that stands for a principal of AWS. Throws
 * INVALID_ARGUMENT where no identity is named, PERMISSION_DENIED, UNAVAILABLE.
 */
export async function assumedByAws(
  request: SignedRequest,
  binding: Binding,
  find: () => Promise<Row | undefined>,
): Promise<{ act: Record<string, string> }> {
  const { config, identity } = binding;
  if (identity === "") throw invalidArgument("identity", "identity is required with an AWS token");
  const headers = checkSignedRequest(request, binding);
  const matcher = matcherOf(await find());
  if (!matcher) throw notTheirs(identity);
  const caller = await askAws(config, headers);
  if (!isNamed(matcher, caller)) throw notTheirs(identity);
  const { account, arn } = caller;
  const act = { iss: awsIssuer, sub: arn, aud: config.issuerUrl };
  return { act: { ...act, "aws-acct": account, "aws-arn": arn } };
}

function matcherOf(row: Row | undefined): Identity_AWSIdentity | undefined {
  if (row?.relationship?.case !== "awsIdentity") return undefined;
  return messageOf(Identity_AWSIdentitySchema, row.relationship.value);
}

/**
 * Account, ARN and user id, all three. A matcher that is not there matches nothing, and neither do
 * patterns beyond the bounds.
 */
function isNamed(matcher: Identity_AWSIdentity, { account, arn, userId }: AwsCaller): boolean {
  const { awsAccount, awsArn, awsUserId } = matcher;
  if (awsAccount !== account || excessOf(awsPatterns(matcher))) return false;
  const byArn =
    awsArn.case === "arnPattern" ? matchesWhole(awsArn.value, arn) : awsArn.value === arn;
  const byUserId =
    awsUserId.case === "userIdPattern"
      ? matchesWhole(awsUserId.value, userId)
      : awsUserId.value === userId;
  return byArn && byUserId;
}
