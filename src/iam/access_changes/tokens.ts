/** Describes the tokens that an identity accepts, for changes of access. */
import {
  type Identity,
  ServicePrincipalSchema,
} from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import type { NamedTokens } from "./names.ts";

/** The tokens of an identity. Undefined if it accepts none from outside. */
export function tokensOf({ uid, name, relationship }: Identity): NamedTokens | undefined {
  const { case: kind, value } = relationship;
  const of = (kind: string, issuer: string, subject: string): NamedTokens => ({
    identityUid: uid,
    identityName: name,
    kind,
    issuer,
    subject,
  });
  switch (kind) {
    case "claimMatch":
      return of("claim_match", text(value.iss), text(value.sub));
    case "staticKeys":
      return of("static_keys", value.issuer, value.subject);
    case "awsIdentity":
      return of("aws_identity", value.awsAccount, text(value.awsArn));
    case "servicePrincipal":
      return of("service_principal", "", ServicePrincipalSchema.value[value]?.name ?? `${value}`);
    default:
      return undefined;
  }
}

/** The exact text of a matcher, or its pattern in slashes. */
function text({ case: kind, value }: { case: string | undefined; value?: string | undefined }) {
  return kind?.endsWith("Pattern") ? `/${value}/` : (value ?? "");
}
