/** Lists of version 2, with every scope, order and filter that clients use. */

import { below } from "../world/uids.ts";
import { type CostCase, pageSize } from "./case.ts";
import { eventLists } from "./events.ts";
import { findingLists } from "./finding_lists.ts";
import { imageLists } from "./image_lists.ts";
import type { Listed, Query } from "./listed.ts";
import { manyGrantLists } from "./many_grants.ts";
import { digestOf, imageRepoUid, organizationOf, startTime } from "./rows.ts";

const { root, team, third } = organizationOf("5");
const image = imageRepoUid(organizationOf("5"));

const since = new Date(startTime + 140 * 3_600_000).toISOString();
const shown = { include_referrers: "true", include_dates: "true", include_epochs: "true" };

/** The beginning of many names, in capitals, in both directions. */
const prefixes = (name_prefix: string): Record<string, Query> => ({
  name_prefix: { name_prefix },
  "name_prefix by name desc": { name_prefix, order_by: "name desc" },
});

/** A List of resources with a name. */
const named = (rpc: string, path: string, parent: string, name: string, more = {}): Listed => ({
  ...{ rpc, path, orders: ["name"], parent, filters: { name: { name } }, ...more },
});

const resources: Listed[] = [
  {
    rpc: "ListRepos",
    path: "/registry/v2/repos",
    orders: ["name"],
    filters: { name: { name: "repo-1" } },
    pages: prefixes("REPO-1"),
  },
  {
    rpc: "ListTags",
    path: "/registry/v2/tags",
    orders: ["name"],
    parent: image,
    filters: {
      name: { name: "7.0" },
      digest: { digest: digestOf("tag 7") },
      "all classes": shown,
      "all classes by name": { ...shown, order_by: "name" },
    },
    examining: {
      updated_since: { updated_since: since },
      "updated_since by update_time desc": { updated_since: since, order_by: "update_time desc" },
      unsigned: { unsigned: "true" },
    },
    pages: {
      ...prefixes("1"),
      "name_prefix and all classes": { name_prefix: "1", ...shown },
    },
  },
  named("ListImageHolds", "/registry/v2/imageHolds", image, "hold-7"),
  {
    rpc: "ListTagRules",
    path: "/registry/v2/tagRules",
    orders: ["name"],
    parent: third,
    // By uid, the rules of a parent are sorted. An organization has at most 200.
    rowsOfOne: 10,
    filters: { name: { name: "rule-20" } },
  },
  named("ListTrustPolicies", "/registry/v2/trustPolicies", third, "trust-20", { rowsOfOne: 10 }),
  {
    rpc: "ListSboms",
    path: "/registry/v2/sboms",
    orders: [],
    times: ["update_time"],
    parent: image,
    filters: { digest: { digest: digestOf("tag 7") } },
  },
  {
    rpc: "ListVulnReports",
    path: "/registry/v2/vulnReports",
    orders: [],
    times: ["scan_time"],
    parent: image,
    filters: {
      digest: { digest: digestOf("tag 7") },
      scanned_since: { scanned_since: since },
    },
  },
  ...findingLists(image, since),
  {
    rpc: "ListEndOfLifeTags",
    path: "/registry/v2/endOfLifeTags",
    orders: ["deprecated_time"],
    times: [],
    parent: image,
    // Its repository and its storage, the three identities that pull it, and its replacement.
    rowsOfOne: 10,
    filters: {
      "all classes": shown,
      "all classes by deprecated_time": { ...shown, order_by: "deprecated_time" },
      "patterns and pulled_since": { repo: "no*", tag: "no*", pulled_since: since },
    },
  },
  {
    rpc: "ListGroups",
    path: "/iam/v2/groups",
    orders: ["name"],
    filters: { name: { name: "group-1" } },
    pages: prefixes("GROUP-"),
  },
  {
    rpc: "ListIdentities",
    path: "/iam/v2/identities",
    orders: ["name", "last_used_time"],
    filters: {
      name: { name: "identity-1" },
      "a relationship type": { relationship_type: "RELATIONSHIP_TYPE_CLAIM_MATCH" },
    },
    pages: {
      ...prefixes("IDENTITY-"),
      "a relationship type that none has": { relationship_type: "RELATIONSHIP_TYPE_AWS_IDENTITY" },
      unused_since: { unused_since: since },
      "expires_after and expires_before": {
        expires_after: "2100-01-01T00:00:00Z",
        expires_before: "2200-01-01T00:00:00Z",
      },
    },
  },
  {
    rpc: "ListRoles",
    path: "/iam/v2/roles",
    orders: ["name"],
    filters: { name: { name: "role-1" } },
    pages: prefixes("ROLE-"),
  },
  {
    rpc: "ListRoleBindings",
    path: "/iam/v2/roleBindings",
    orders: ["identity", "role", "last_used_time"],
    pages: { unused_since: { unused_since: since }, group: { group: team } },
    filters: {
      identity: { identity: below(team, "identity-1") },
      role: { role: below(team, "role-1") },
    },
  },
  { rpc: "ListGroupInvites", path: "/iam/v2/groupInvites", orders: ["expiration_time"] },
  {
    rpc: "ListIdentityProviders",
    path: "/iam/v2/identityProviders",
    orders: ["name"],
    filters: { name: { name: "provider-1" } },
  },
  {
    rpc: "ListAccountAssociations",
    path: "/iam/v2/accountAssociations",
    orders: ["name"],
    filters: { name: { name: "association-1" } },
  },
  {
    rpc: "ListExternalGroupRoleMappings",
    path: "/iam/v2/externalGroupRoleMappings",
    orders: ["external_group_id", "role_uid"],
    parent: below(team, "provider-1"),
    pages: { identity_provider_uid: { identity_provider_uid: below(team, "provider-1") } },
  },
  {
    ...{ rpc: "ListKeys", path: "/iam/v2/keys", parent: below(team, "identity-1") },
    ...{ orders: ["name", "expire_time"], times: ["create_time"] },
    filters: { name: { name: "key-1" } },
  },
  { rpc: "ListSubscriptions", path: "/events/v2/subscriptions", orders: [] },
  {
    rpc: "ListAdvisories",
    path: "/vulnerabilities/v2/advisories",
    orders: ["advisory_id", "artifact_name", "aliases", "delete_time"],
    filters: {
      advisory_ids: { advisory_ids: "ADV-1" },
      artifact_names: { artifact_names: "package-1" },
      component_names: { component_names: "component-1" },
      aliases: { aliases: "CVE-2026-1" },
      origin: { origin: "origin-1" },
    },
    examining: {
      query: { query: "package-14" },
      event_types: { event_types: "EVENT_TYPE_FILTER_FIXED" },
    },
  },
];

function casesOf({
  rpc,
  path,
  orders,
  filters = {},
  pages = {},
  parent = team,
  times = ["create_time", "update_time"],
  rowsOfOne,
  examining = {},
}: Listed): CostCase[] {
  const page = (what: string, query: Query, more: Partial<CostCase> = {}): CostCase => ({
    name: `${rpc} ${what}`,
    kind:
      "uidp.descendants_of" in query || "uidp.children_of" in query ? "List under a scope" : "List",
    path: `${path}?${new URLSearchParams({ page_size: String(pageSize), ...query })}`,
    ...(rowsOfOne ? { rowsOfOne } : {}),
    ...more,
  });
  const ofRoot = { "uidp.descendants_of": root };
  const ofParent = { "uidp.children_of": parent };
  const member = { who: "member" } as const;
  const withFilter = (name: string, query: Query, more: Partial<CostCase> = {}) => [
    page(`of the root with ${name}`, { ...ofRoot, ...query }, more),
    page(`of everything with ${name}, three grants`, query, { ...member, ...more }),
  ];
  const all = ["uid", ...times, ...orders];
  const [time = "uid"] = times;
  return [
    ...all.map((order_by) => page(`of the root by ${order_by}`, { ...ofRoot, order_by })),
    ...all.map((order_by) =>
      page(`of a parent by ${order_by} desc`, { ...ofParent, order_by: `${order_by} desc` }),
    ),
    page(`of the root by ${time}, second page`, { ...ofRoot, order_by: time }, { second: true }),
    page("of a group", { "uidp.descendants_of": team }),
    page("of everything", {}),
    page(`of everything by ${time}`, { order_by: time }),
    page("of everything, three grants", {}, member),
    page(`of everything by ${time}, three grants`, { order_by: time }, member),
    page("of the root, three grants", ofRoot, { ...member, kind: "List", reads: 2 }),
    ...Object.entries(pages).map(([name, query]) =>
      page(
        `of the root with ${name}`,
        { ...ofRoot, ...query },
        // The ids of a vulnerability are read first.
        name === "vulnerability" ? { kind: "List" } : {},
      ),
    ),
    ...Object.entries(pages)
      .filter(([name]) => name.startsWith("name_prefix"))
      .flatMap(([name, query]) => [
        page(`of a parent with ${name}, second page`, { ...ofParent, ...query }, { second: true }),
        page(`of everything with ${name}, three grants`, query, member),
      ]),
    ...Object.entries(filters).flatMap(([name, query]) => withFilter(name, query)),
    ...Object.entries(examining).flatMap(([name, query]) =>
      withFilter(name, query, {
        examines: `${rpc}: a filter that no index has, or a total of many matches`,
        ...("vulnerability" in query ? { kind: "List" } : {}),
      }),
    ),
  ];
}

const others: CostCase[] = [
  {
    name: "ListTermsAcceptances",
    kind: "List under a scope",
    path: `/iam/v2/terms/${root}?page_size=${pageSize}`,
  },
  ...Object.entries({
    "": {},
    "by uid ": { order_by: "uid" },
    "remediated ": { remediated: "true" },
    "with query ": { query: "library-14" },
  }).map(
    ([what, query]): CostCase => ({
      name: `ListArtifacts ${what}of one ecosystem`,
      kind: "List",
      path: `/libraries/v2/artifacts?${new URLSearchParams({ ecosystems: "ECOSYSTEM_PYTHON", page_size: String(pageSize), ...query })}`,
      ...(what === "with query " ? { examines: "no index has the filter" } : {}),
    }),
  ),
  {
    name: "ListArtifacts of two ecosystems",
    kind: "List",
    path: `/libraries/v2/artifacts?ecosystems=ECOSYSTEM_PYTHON&ecosystems=ECOSYSTEM_JAVA&page_size=${pageSize}`,
  },
  {
    name: "GetArtifactCount",
    kind: "List",
    path: "/libraries/v2/artifacts/count?ecosystems=ECOSYSTEM_JAVA",
  },
  ...["id", "create_time desc"].map(
    (order): CostCase => ({
      name: `ListDocuments by ${order}`,
      kind: "List",
      who: "nobody",
      path: `/advisory/v2/documents?page_size=${pageSize}&order_by=${order}`,
    }),
  ),
  ...[
    { what: "claims", body: { claims: { iss: "https://issuer.example", sub: "subject-7" } } },
    { what: "claims of an unknown issuer", body: { claims: { iss: "https://a.example" } } },
    { what: "claims, every identity", body: { claims: { iss: "https://a.example" }, all: true } },
    { what: "no token", body: {} },
  ].map(
    ({ what, body }): CostCase => ({
      name: `DiagnoseToken of ${what}`,
      kind: "List",
      method: "POST",
      path: `/iam/v2/groups/${root}:diagnoseToken`,
      body: { ...body, pageSize },
    }),
  ),
  ...["", "by the owner of a group"].map(
    (by): CostCase => ({
      name: `ListAccess of a repository ${by}`.trim(),
      kind: "List under a scope",
      who: by === "" ? "owner" : "member",
      path: `/iam/v2/access?resource_uid=${image}&capability=CAP_REPO_LIST&page_size=${pageSize}`,
    }),
  ),
  {
    name: "ListDocuments of all",
    kind: "List",
    who: "nobody",
    path: "/advisory/v2/documents",
  },
  {
    name: "ListDocuments with cves",
    kind: "List",
    who: "nobody",
    path: `/advisory/v2/documents?page_size=${pageSize}&cves=CVE-2026-1`,
  },
  ...["id", "update_time"].map(
    (order): CostCase => ({
      name: `ListVulnerabilityMetadata by ${order}`,
      kind: "List",
      who: "nobody",
      path: `/advisory/v2/metadata?page_size=${pageSize}&order_by=${order}`,
    }),
  ),
  {
    name: "ListVulnerabilityMetadata with ids",
    kind: "List",
    who: "nobody",
    path: `/advisory/v2/metadata?page_size=${pageSize}&ids=CVE-2026-1`,
  },
];

export const listCases: CostCase[] = [
  ...resources.flatMap(casesOf),
  ...imageLists,
  ...eventLists,
  ...manyGrantLists,
  ...others,
];
