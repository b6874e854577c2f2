/** Lists of version 2 without the usual scopes and orders. */
import { type CostCase, pageSize } from "./case.ts";
import { digestOf, imageRepoUid, organizationOf, startTime } from "./rows.ts";

const { root, team } = organizationOf("5");
const image = imageRepoUid(organizationOf("5"));
const since = new Date(startTime + 140 * 3_600_000).toISOString();

/** One case for each. */
export const otherLists: CostCase[] = [
  {
    name: "ListManifests",
    kind: "List under a scope",
    path: `/registry/v2/manifests?repoUid=${image}&page_size=${pageSize}`,
  },
  {
    name: "ListTagMoves of the root",
    kind: "List under a scope",
    path: `/registry/v2/tagMoves?uidp.descendants_of=${root}&page_size=${pageSize}`,
  },
  {
    name: "ListTagMoves of a team with filters",
    kind: "List under a scope",
    path: `/registry/v2/tagMoves?uidp.descendants_of=${team}&page_size=${pageSize}&tag=no*&kinds=TAG_MOVE_KIND_DELETED&since=2020-01-01T00:00:00Z`,
  },
  {
    name: "ListTagMoves of a repository with warnings",
    kind: "List under a scope",
    path: `/registry/v2/tagMoves?uidp.children_of=${image}&page_size=${pageSize}&has_warnings=true`,
  },
  {
    name: "ListTagMoves of a digest",
    kind: "List under a scope",
    path: `/registry/v2/tagMoves?uidp.children_of=${image}&page_size=${pageSize}&digest=${digestOf("move 7")}`,
  },
  ...["Findings", "Packages"].map(
    (what): CostCase => ({
      name: `List${what} of an image`,
      kind: "List under a scope",
      path: `/registry/v2/${what.toLowerCase()}?uidp.children_of=${image}&page_size=${pageSize}&digest=${digestOf("tag 7")}`,
    }),
  ),
  {
    name: "ListTagMoves of a tag",
    kind: "List under a scope",
    path: `/registry/v2/tagMoves?uidp.children_of=${image}&page_size=${pageSize}&tag=latest`,
  },
  {
    name: "ListPastTags",
    kind: "List under a scope",
    path: `/registry/v2/pastTags?repo_uid=${image}&page_size=${pageSize}&at=${since}`,
  },
  {
    name: "ListRepoUsages",
    kind: "List under a scope",
    path: `/registry/v2/repoUsages?group=${root}&page_size=${pageSize}`,
  },
  {
    name: "ListTermsAcceptances",
    kind: "List under a scope",
    path: `/iam/v2/terms/${root}?page_size=${pageSize}`,
  },
  ...["&", "&remediated=true"].map(
    (query): CostCase => ({
      name: `ListArtifacts ${query === "&" ? "" : "remediated "}of one ecosystem`,
      kind: "List",
      path: `/libraries/v2/artifacts?ecosystems=ECOSYSTEM_PYTHON&page_size=${pageSize}${query}`,
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
      kind: "List of documents",
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
      rowsOfOne: 1,
    }),
  ),
  ...["", "by the owner of a group"].map(
    (by): CostCase => ({
      name: `ListAccess of a repository ${by}`.trim(),
      kind: "List",
      who: by === "" ? "owner" : "member",
      path: `/iam/v2/access?resource_uid=${image}&capability=CAP_REPO_LIST&page_size=${pageSize}`,
      // The role binding, its identity and its role, and the logins of its person.
      rowsOfOne: 5,
    }),
  ),
  {
    name: "ListDocuments of all",
    kind: "List of documents",
    who: "nobody",
    path: "/advisory/v2/documents",
  },
  {
    name: "ListDocuments with cves",
    kind: "List of documents",
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
