/** The smallest successful requests of version 1, without their place. Its messages have no rules. */
import type { JsonObject } from "@bufbuild/protobuf";

export const smallestAdvisory = { artifactName: "sample", artifactType: "apk" };
export const smallestEvent = { fixed: { fixedVersion: "1.0" } };

const identityProvider = {
  name: "sample",
  defaultRole: "0".repeat(40),
  oidc: { issuer: "https://sample.example", clientId: "sample" },
};

const digest = `sha256:${"0".repeat(64)}`;

const binding = { identity: "0".repeat(40), role: "0".repeat(40) };

export const v1Requests: Record<string, JsonObject> = {
  // Without a filter it is the whole public feed, which is that of all tests.
  "advisory.SecurityAdvisory/ListDocuments": { id: "sample" },
  "auth.Auth/GetHeadlessSession": { code: "A".repeat(43) },
  "auth.Auth/Delete": { id: "0".repeat(40) },
  "events.Subscriptions/Create": { subscription: { sink: "https://sample.example" } },
  "advisory.SecurityAdvisory/ListResolvedVulnsReports": {
    imageRefs: [{ repo: "sample" }],
    ...{ from: "2026-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" },
  },
  "libraries.Artifacts/List": { ecosystems: ["PYTHON"] },
  "libraries.Artifacts/ListVersions": { id: "0".repeat(40) },
  "libraries.Artifacts/GetArtifactCount": { ecosystems: ["PYTHON"] },
  "vulnerabilities.v1.Advisories/Create": { advisory: smallestAdvisory },
  "vulnerabilities.v1.Advisories/Update": smallestAdvisory,
  "vulnerabilities.v1.Advisories/CreateAdvisoryEvent": { advisoryEvent: smallestEvent },
  "vulnerabilities.v1.Advisories/UpdateAdvisoryEvent": smallestEvent,
  "registry.Registry/GetVulnReport": { digest },
  "registry.Vulnerabilities/ListVulnReports": { digest },
  "registry.Vulnerabilities/GetRawVulnReport": { digest },
  "registry.Vulnerabilities/ListVulnCountReports": { repo: "sample", tag: "latest" },
  "registry.Vulnerabilities/ListCumulativeVulnCountReports": { repo: "sample", tag: "latest" },
  "iam.Groups/Create": { group: { name: "sample" } },
  "iam.Groups/Update": { name: "sample" },
  "iam.Groups/RequestGroupAccess": { groupId: "0".repeat(40) },
  "registry.Registry/GetImageConfig": { digest },
  "registry.Registry/GetArchs": { digest },
  "registry.Registry/GetSize": { digest },
  "registry.Registry/GetSbom": { digest },
  "registry.Registry/GetRawSbom": { digest },
  "iam.Roles/Create": { role: { name: "sample", capabilities: ["repo.list"] } },
  "iam.Roles/Update": { name: "sample", capabilities: ["repo.list"] },
  "iam.RoleBindings/Create": { roleBinding: binding },
  "iam.RoleBindings/CreateBatch": { roleBindings: [binding] },
  "iam.RoleBindings/Update": binding,
  "iam.GroupInvites/Create": { role: "0".repeat(40), ttl: "3600s" },
  "iam.GroupInvites/CreateWithGroup": { group: "sample", ttl: "3600s" },
  "iam.Terms/AcceptTerms": { documentIds: ["sfdpa.v1"] },
  "iam.Identities/Create": { identity: { name: "sample" } },
  "iam.Identities/Update": { name: "sample" },
  "iam.Identities/Lookup": { issuer: "https://sample.example", subject: "sample" },
  "iam.IdentityProviders/Create": { identityProvider },
  "iam.IdentityProviders/Update": identityProvider,
  "iam.IdentityProviders/RegenerateScimToken": { etag: "sample" },
  "iam.IdentityProviders/SetScimEnabled": { etag: "sample", enabled: true },
  "iam.GroupAccountAssociations/Create": { name: "sample" },
  "iam.GroupAccountAssociations/Update": { name: "sample" },
  "iam.GroupAccountAssociations/Check": { accountType: "GOOGLE" },
  "iam.ExternalGroupRoleMappings/Create": {
    mapping: { externalGroupId: "sample", roleUidp: "0".repeat(40), scope: "0".repeat(40) },
  },
  "iam.ExternalGroupRoleMappings/BatchDelete": { ids: ["0".repeat(40)] },
  "registry.Registry/CreateRepo": { repo: { name: "sample" } },
  "registry.Registry/UpdateRepo": { name: "sample" },
  "registry.Registry/CreateTag": { tag: { name: "sample", digest: `sha256:${"0".repeat(64)}` } },
  "registry.Registry/UpdateTag": { name: "sample", digest: `sha256:${"0".repeat(64)}` },
};
