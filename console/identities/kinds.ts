/** The kinds of identities, by what they accept. */
import type { Identity, RelationshipType, ServicePrincipal } from "../../client/index.ts";
import { isPerson } from "../data/uids.ts";
import { capitalized } from "../elements/badge.tsx";

/** The kind of an identity: it decides who can assume it. */
export type Kind =
  | "claimMatch"
  | "staticKeys"
  | "awsIdentity"
  | "servicePrincipal"
  | "person"
  | "none";

/** The members of an identity that say which tokens it accepts. */
export type Relationship = Pick<
  Identity,
  "claimMatch" | "staticKeys" | "awsIdentity" | "servicePrincipal"
>;

export const kindNames: Record<Kind, string> = {
  claimMatch: "Claim match",
  staticKeys: "Static keys",
  awsIdentity: "AWS",
  servicePrincipal: "Service principal",
  person: "Person",
  none: "No relationship",
};

/** Returns the kind of a relationship. */
export function relationshipKind(relationship: Relationship): Exclude<Kind, "person"> {
  if (relationship.claimMatch) return "claimMatch";
  if (relationship.staticKeys) return "staticKeys";
  if (relationship.awsIdentity) return "awsIdentity";
  return relationship.servicePrincipal ? "servicePrincipal" : "none";
}

export const kindOf = (identity: Identity): Kind =>
  isPerson(identity.uid) ? "person" : relationshipKind(identity);

/** The kinds that a list can be filtered by: the value in the address, the filter and the text. */
export const kindFilters: readonly (readonly [string, RelationshipType, string])[] = [
  ["claim-match", "RELATIONSHIP_TYPE_CLAIM_MATCH", kindNames.claimMatch],
  ["static-keys", "RELATIONSHIP_TYPE_STATIC", kindNames.staticKeys],
  ["aws", "RELATIONSHIP_TYPE_AWS_IDENTITY", kindNames.awsIdentity],
  ["service-principal", "RELATIONSHIP_TYPE_SERVICE_PRINCIPAL", kindNames.servicePrincipal],
];

/** Issuers that many organizations use, by a part of their URL. */
const knownIssuers: readonly (readonly [string, string])[] = [
  ["token.actions.githubusercontent.com", "GitHub Actions"],
  ["//gitlab.com", "GitLab"],
  ["agent.buildkite.com", "Buildkite"],
  ["app.terraform.io", "HCP Terraform"],
  ["oidc.circleci.com", "CircleCI"],
  ["api.bitbucket.org", "Bitbucket"],
  ["tokens.sts.global.api.aws", "AWS"],
  ["sts.windows.net", "Azure"],
  ["accounts.google.com", "Google"],
  ["kubernetes.default.svc", "Kubernetes"],
];

/** The name of a well-known issuer, from its URL or a pattern of it. */
export const issuerName = (issuer: string): string | undefined =>
  knownIssuers.find(([part]) => issuer.replaceAll("\\", "").includes(part))?.[1];

/** The name of a service of the operator: `SERVICE_PRINCIPAL_CATALOG_SYNCER` as `Catalog syncer`. */
export const principalName = (principal: ServicePrincipal): string =>
  capitalized(principal.replace("SERVICE_PRINCIPAL_", ""));

/** All services of the operator that an identity can be for. */
export const principals: readonly ServicePrincipal[] = [
  "SERVICE_PRINCIPAL_COSIGNED",
  "SERVICE_PRINCIPAL_INGESTER",
  "SERVICE_PRINCIPAL_CATALOG_SYNCER",
  "SERVICE_PRINCIPAL_APKO_BUILDER",
  "SERVICE_PRINCIPAL_ENTITLEMENT_SYNCER",
  "SERVICE_PRINCIPAL_TENANT_SCANNER",
  "SERVICE_PRINCIPAL_SEDIMENTOLOGY",
  "SERVICE_PRINCIPAL_SKILLUP",
  "SERVICE_PRINCIPAL_MATERIALIZER",
  "SERVICE_PRINCIPAL_MICROFLOW",
  "SERVICE_PRINCIPAL_GUARDENER",
  "SERVICE_PRINCIPAL_MICROVM",
  "SERVICE_PRINCIPAL_SKILLS",
];
