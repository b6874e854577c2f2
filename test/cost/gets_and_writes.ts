/** Gets and writes of version 2. The resources to update or delete are in rows.ts. */
import { OWNER_ROLE } from "../../schema/tables/iam/roles.ts";
import { samplePublicKey } from "../world/sample_key.ts";
import { below } from "../world/uids.ts";
import type { CostCase } from "./case.ts";
import { digestOf, imageRepoUid, organizationOf, ruledRepoUid } from "./rows.ts";

const organization = organizationOf("5");
const { root, team, inner, third } = organization;
const image = imageRepoUid(organization);
const ruled = ruledRepoUid(organization);
const provider = below(team, "provider-1");

const get = (name: string, path: string, more: Partial<CostCase> = {}): CostCase => ({
  name,
  kind: "Get",
  path,
  ...more,
});

export const getCases: CostCase[] = [
  get("GetRepo", `/registry/v2/repos/${image}`),
  get("GetRepo, first call of a day", `/registry/v2/repos/${image}`, {
    kind: "first call of a day",
    who: "newcomer",
  }),
  get("GetRepo, three grants", `/registry/v2/repos/${image}`, { who: "member" }),
  get("GetRepoReadme", `/registry/v2/repos/${image}/readme`),
  get("GetRepoReadme, full", `/registry/v2/repos/${image}/readme?view=REPO_README_VIEW_FULL`),
  get("GetTag", `/registry/v2/tags/${below(image, "tag-1")}`),
  get("GetImageHold", `/registry/v2/imageHolds/${below(image, "hold-1")}`),
  get("GetTrustPolicy", `/registry/v2/trustPolicies/${below(third, "trust-20")}`),
  get("GetTagRule", `/registry/v2/tagRules/${below(third, "rule-20")}`),
  ...Object.entries({ "without rules": image, "with ten rules": ruled }).map(([what, repo]) => ({
    ...get(`CheckTag ${what}`, `/registry/v2/tagRules/${repo}:check`),
    ...{ method: "POST", body: { tag: "1.0", moveTo: digestOf("tag 7") } },
  })),
  get("GetSize", `/registry/v2/repos/${image}/digests/${digestOf("tag 7")}/size`),
  get("GetArchitectures", `/registry/v2/repos/${image}/digests/${digestOf("tag 8")}/architectures`),
  get(
    "BatchGetImageSummaries of two images",
    `/registry/v2/imageSummaries/${image}:batchGet?digests=${digestOf("tag 7")}&digests=${digestOf("tag 8")}`,
  ),
  get("GetManifest", `/registry/v2/manifests/${below(image, "manifest-7")}`),
  get("GetSbom", `/registry/v2/sboms/${below(image, "sbom-7")}`),
  get("GetSbom, full", `/registry/v2/sboms/${below(image, "sbom-7")}?view=SBOM_VIEW_FULL`),
  get("GetVulnReport", `/registry/v2/vulnReports/${below(image, "report-7")}`),
  get(
    "GetVulnReport, full",
    `/registry/v2/vulnReports/${below(image, "report-7")}?view=VULN_REPORT_VIEW_FULL`,
  ),
  get("GetUsage", `/registry/v2/usages/${root}`),
  get("GetGroup", `/iam/v2/groups/${team}`),
  get("GetIdentity", `/iam/v2/identities/${below(team, "identity-1")}`),
  get(
    "LookupIdentity",
    "/iam/v2/identities:lookupIdentity?issuer=https://issuer.example&subject=subject-1",
  ),
  get("GetRole", `/iam/v2/roles/${below(team, "role-1")}`),
  get("GetRole, built-in", `/iam/v2/roles/${OWNER_ROLE}`),
  get("GetRoleBinding", `/iam/v2/roleBindings/${below(team, "binding-1")}`),
  get("GetGroupInvite", `/iam/v2/groupInvites/${below(team, "invite-1")}`),
  get("GetIdentityProvider", `/iam/v2/identityProviders/${provider}`),
  get("GetAccountAssociation", `/iam/v2/accountAssociations/${below(team, "group-1")}`),
  get("GetKey", `/iam/v2/keys/${below(below(team, "identity-1"), "key-1")}`),
  get(
    "GetExternalGroupRoleMapping",
    `/iam/v2/externalGroupRoleMappings/${below(provider, "mapping-1")}`,
  ),
  get(
    "ExplainAccess",
    `/iam/v2/access:explain?identity_uid=${below(team, "identity-1")}&capability=CAP_REPO_LIST&resource_uid=${image}`,
  ),
  {
    ...get("TestPermissions of two resources", "/iam/v2/access:testPermissions"),
    ...{ method: "POST", body: { resourceUids: [image, team] } },
  },
  get("GetSubscription", `/events/v2/subscriptions/${below(team, "subscription-1")}`),
  get("GetAdvisory", `/vulnerabilities/v2/advisories/${below(team, "advisory-1")}`),
  get("GetMatching", `/vulnerabilities/v2/matchings/${team}`),
];

const previews = [
  ["forward by version", { forward: "FORWARD_ORDER_VERSION" }],
  ["an SBOM", { requirement: { sbom: true } }],
] as const;

/** A page of tags of one repository, with their moves and what the rule needs to know. */
export const previewCases: CostCase[] = previews.map(([what, keep]) => ({
  ...get(`PreviewTagRule of ${what}`, `/registry/v2/tagRules/${image}:preview`),
  kind: "preview of a page",
  method: "POST",
  body: { tagRule: { name: "new", keep } },
}));

const write = (name: string, method: string, path: string, body?: unknown): CostCase => ({
  name,
  kind: "write",
  method,
  path,
  ...(body === undefined ? {} : { body }),
});

/** The written fields of a resource. */
interface Written {
  /** The parent of a new resource. The default is the third group. */
  parent?: string;
  made: unknown;
  /** Undefined if there is no Update. */
  changed?: unknown;
  /** The name of its rows in rows.ts. */
  kind: string;
  /** The number of the row to delete. The first row is updated. */
  deleted?: number;
}

/** A Create, an Update and a Delete of a resource. */
function writesOf(
  name: string,
  path: string,
  { parent = third, made, changed, kind, deleted = 4 }: Written,
): CostCase[] {
  const update =
    changed === undefined
      ? []
      : [write(`Update${name}`, "PATCH", `${path}/${below(team, `${kind}-1`)}`, changed)];
  return [
    write(`Create${name}`, "POST", `${path}/${parent}`, made),
    ...update,
    write(`Delete${name}`, "DELETE", `${path}/${below(team, `${kind}-${deleted}`)}`),
  ];
}

const description = { description: "changed" };
const identity = below(team, "identity-7");

/** The same write, which only validates. */
const validating = (name: string, method: string, path: string, body?: unknown): CostCase => ({
  ...write(`${name} that only validates`, method, `${path}?validateOnly=true`, body),
  kind: "write that only validates",
});

const mapped = { externalGroupId: "validated", roleUid: OWNER_ROLE, scope: root };

/** They come first, so that nothing is deleted yet. */
const validatingCases: CostCase[] = [
  validating("CreateRoleBinding", "POST", `/iam/v2/roleBindings/${team}`, {
    identityUid: below(team, "identity-7"),
    roleUid: OWNER_ROLE,
  }),
  validating("UpdateRoleBinding", "PATCH", `/iam/v2/roleBindings/${below(team, "binding-1")}`, {
    roleUid: OWNER_ROLE,
  }),
  validating("DeleteRoleBinding", "DELETE", `/iam/v2/roleBindings/${below(team, "binding-1")}`),
  validating("CreateRole", "POST", `/iam/v2/roles/${team}`, {
    name: "validated",
    capabilities: ["CAP_REPO_LIST"],
  }),
  validating("UpdateRole", "PATCH", `/iam/v2/roles/${below(team, "role-1")}`, {
    capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"],
  }),
  validating("DeleteRole", "DELETE", `/iam/v2/roles/${below(team, "role-4")}`),
  validating(
    "CreateExternalGroupRoleMapping",
    "POST",
    `/iam/v2/externalGroupRoleMappings/${provider}`,
    mapped,
  ),
  validating(
    "UpdateExternalGroupRoleMapping",
    "PATCH",
    `/iam/v2/externalGroupRoleMappings/${below(provider, "mapping-1")}`,
    mapped,
  ),
  validating(
    "DeleteExternalGroupRoleMapping",
    "DELETE",
    `/iam/v2/externalGroupRoleMappings/${below(provider, "mapping-1")}`,
  ),
  validating("CreateIdentity", "POST", `/iam/v2/identities/${team}`, { name: "validated" }),
  validating("UpdateIdentity", "PATCH", `/iam/v2/identities/${below(team, "identity-1")}`, {
    claimMatch: { issuer: "https://issuer.example", subject: "validated" },
  }),
  validating("DeleteIdentity", "DELETE", `/iam/v2/identities/${below(team, "identity-1")}`),
];

export const writeCases: CostCase[] = [
  ...validatingCases,
  ...writesOf("Repo", "/registry/v2/repos", {
    made: { name: "new" },
    changed: description,
    kind: "repo",
  }),
  write("CreateTag", "POST", `/registry/v2/tags/${image}`, {
    name: "new",
    digest: digestOf("new"),
  }),
  write("CreateTag that moves one", "POST", `/registry/v2/tags/${image}`, {
    name: "1.0",
    digest: digestOf("moved"),
  }),
  write("CreateTag that changes nothing", "POST", `/registry/v2/tags/${image}`, {
    name: "2.0",
    digest: digestOf("tag 2"),
  }),
  write("CreateTag with ten rules", "POST", `/registry/v2/tags/${ruled}`, {
    name: "new",
    digest: digestOf("new"),
  }),
  write("DeleteManifest", "DELETE", `/registry/v2/manifests/${below(image, "manifest-5")}`),
  write("DeleteTag", "DELETE", `/registry/v2/tags/${below(image, "tag-4")}`),
  write("CreateImageHold", "POST", `/registry/v2/imageHolds/${ruled}`, {
    name: "new",
    digests: [digestOf("held")],
  }),
  write("UpdateImageHold", "PATCH", `/registry/v2/imageHolds/${below(image, "hold-1")}`, {
    digests: [digestOf("changed")],
  }),
  write("DeleteImageHold", "DELETE", `/registry/v2/imageHolds/${below(image, "hold-4")}`),
  write("CreateTrustPolicy", "POST", `/registry/v2/trustPolicies/${ruled}`, {
    ...{ name: "new", publicKeys: [samplePublicKey] },
  }),
  write("UpdateTrustPolicy", "PATCH", `/registry/v2/trustPolicies/${below(third, "trust-1")}`, {
    publicKeys: [samplePublicKey],
  }),
  write("DeleteTrustPolicy", "DELETE", `/registry/v2/trustPolicies/${below(third, "trust-4")}`),
  write("CreateTagRule", "POST", `/registry/v2/tagRules/${ruled}`, {
    name: "new",
    includeTags: ["new-*"],
    keep: { writeOnce: true },
  }),
  write("UpdateTagRule", "PATCH", `/registry/v2/tagRules/${below(ruled, "rule-1")}`, description),
  write("DeleteTagRule", "DELETE", `/registry/v2/tagRules/${below(ruled, "rule-4")}`),
  ...writesOf("Group", "/iam/v2/groups", {
    made: { name: "new" },
    changed: description,
    kind: "group",
  }),
  ...writesOf("Identity", "/iam/v2/identities", {
    made: { name: "new", claimMatch: { issuer: "https://issuer.example", subject: "new" } },
    changed: description,
    kind: "identity",
  }),
  ...writesOf("Role", "/iam/v2/roles", {
    made: { name: "new", capabilities: ["CAP_REPO_LIST"] },
    changed: description,
    kind: "role",
  }),
  ...writesOf("RoleBinding", "/iam/v2/roleBindings", {
    parent: team,
    made: { identityUid: identity, roleUid: OWNER_ROLE },
    changed: { roleUid: OWNER_ROLE },
    kind: "binding",
    // The fourth went with its identity.
    deleted: 10,
  }),
  ...writesOf("GroupInvite", "/iam/v2/groupInvites", {
    made: { roleUid: OWNER_ROLE, ttl: "3600s" },
    changed: { email: "ada@example.com" },
    kind: "invite",
  }),
  write("CreateKey", "POST", `/iam/v2/keys/${below(team, "identity-7")}`, { name: "new" }),
  write("DeleteKey", "DELETE", `/iam/v2/keys/${below(below(team, "identity-1"), "key-4")}`),
  ...writesOf("Subscription", "/events/v2/subscriptions", {
    made: { sink: "http://localhost:9000/events" },
    kind: "subscription",
  }),
  write("CreateExternalGroupRoleMapping", "POST", `/iam/v2/externalGroupRoleMappings/${provider}`, {
    externalGroupId: "new",
    roleUid: OWNER_ROLE,
    scope: root,
  }),
  write(
    "DeleteExternalGroupRoleMapping",
    "DELETE",
    `/iam/v2/externalGroupRoleMappings/${below(provider, "mapping-4")}`,
  ),
  write(
    "DeleteIdentityProvider",
    "DELETE",
    `/iam/v2/identityProviders/${below(team, "provider-4")}`,
  ),
  write(
    "UpdateAccountAssociation",
    "PATCH",
    `/iam/v2/accountAssociations/${below(team, "group-1")}`,
    description,
  ),
  write(
    "DeleteAccountAssociation",
    "DELETE",
    `/iam/v2/accountAssociations/${below(team, "group-7")}`,
  ),
  // Whether an owner stays is asked of what is changed at the organization itself. Its caller is not needed any more.
  write(
    "DeleteRoleBinding of an owner",
    "DELETE",
    `/iam/v2/roleBindings/${below(root, "binding of person")}`,
  ),
  ...["", " again"].map((again) => ({
    ...write(
      `CreateAccountAssociation with a key${again}`,
      "POST",
      `/iam/v2/accountAssociations/${inner}`,
      {
        name: "keyed",
        amazon: { account: "123456789012" },
      },
    ),
    key: "keyed",
  })),
  write("AcceptTerms", "POST", `/iam/v2/terms/${root}`, { documentIds: ["sfdpa.v1"] }),
  ...["that deletes nothing", "of one source", "of everything", "of nothing"].map((special, at) =>
    write(`PurgeAdvisories ${special}`, "POST", `/vulnerabilities/v2/advisories/${inner}:purge`, {
      force: at > 0,
      ...(at < 2 ? { source: "ADVISORY_SOURCE_VEX" } : {}),
    }),
  ),
];
