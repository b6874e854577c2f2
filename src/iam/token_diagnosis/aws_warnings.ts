/** Warns of AWS identities that accept more principals than one. */
import { IdentityWarningKind as Kind } from "../../../schema/gen/platform/iam/diagnosis/v2/token_diagnosis_pb.js";
import { Identity_AWSIdentitySchema } from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import { messageFromStored } from "../../aip/well_formed.ts";
import type { IdentityRow } from "./nearest.ts";
import { firstMatch, type Warning } from "./probes.ts";

/** The id of a role or user, which AWS never gives to another one, and the session of a role. */
const strangeUserIds = ["AROASTRANGER000000000:session", "AIDASTRANGER000000000"];

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html */
export function warnOfAws({ relationship }: IdentityRow): Warning[] {
  if (relationship?.case !== "awsIdentity") return [];
  const { awsAccount, awsArn, awsUserId } = messageFromStored(
    Identity_AWSIdentitySchema,
    relationship.value,
  );
  const isAnyId =
    awsUserId.case === "userIdPattern" && firstMatch(awsUserId.value, strangeUserIds) !== undefined;
  if (!isAnyId) return [];
  const arns = [
    `arn:aws:sts::${awsAccount}:assumed-role/stranger/session`,
    `arn:aws:iam::${awsAccount}:user/stranger`,
  ];
  const arn = awsArn.case === "arnPattern" ? firstMatch(awsArn.value, arns) : undefined;
  if (arn !== undefined) {
    const description =
      "The patterns match every role or user of the account. Write the name of the role in the ARN.";
    const field = "aws_identity.arn_pattern";
    return [{ kind: Kind.EVERY_PROJECT, field, description, sample: arn }];
  }
  const description =
    "The pattern matches every user id. If the role or user is deleted, another one can get its name, and has the same ARN. Write the unique id, such as AROA…, which AWS never uses again.";
  const field = "aws_identity.user_id_pattern";
  return [{ kind: Kind.NAME_CAN_BE_REUSED, field, description }];
}
