/** Lists of version 1, which return all rows at once, and its reads of images. */

import { below } from "../world/uids.ts";
import type { CostCase } from "./case.ts";
import { digestOf, imageRepoUid, organizationOf, rowsPerResource } from "./rows.ts";

const organization = organizationOf("5");
const { team } = organization;
const image = imageRepoUid(organization);
const digest = digestOf("tag 7");

const lists: Record<string, string> = {
  "Registry/ListRepos": "/registry/v1/repos",
  "Groups/List": "/iam/v1/groups",
  "Identities/List": "/iam/v1/identities",
  "Roles/List": "/iam/v1/roles",
  "RoleBindings/List": "/iam/v1/rolebindings",
  "GroupInvites/List": "/iam/v1/group_invites",
  "IdentityProviders/List": "/iam/v1/identityProviders",
  "Subscriptions/List": "/events/v1/subscriptions",
};

const whole = (rpc: string, path: string, uid: string): CostCase => ({
  name: `v1 ${rpc} of ${rowsPerResource / 3} children`,
  kind: "List of version 1",
  path: `${path}?uidp.children_of=${uid}`,
});

const one = (rpc: string, path: string, uid: string): CostCase => ({
  name: `v1 ${rpc} of one id`,
  kind: "Get",
  path: `${path}?id=${uid}`,
});

const read = (name: string, path: string): CostCase => ({ name: `v1 ${name}`, kind: "Get", path });

export const firstVersionCases: CostCase[] = [
  ...Object.entries(lists).map(([rpc, path]) => whole(rpc, path, team)),
  {
    ...whole("Registry/ListTags", "/registry/v1/tags", image),
    name: "v1 Registry/ListTags of a repo",
  },
  one("Registry/ListRepos", "/registry/v1/repos", image),
  one("Groups/List", "/iam/v1/groups", team),
  one("Identities/List", "/iam/v1/identities", below(team, "identity-1")),
  one("RoleBindings/List", "/iam/v1/rolebindings", below(team, "binding-1")),
  read("Registry/GetSize", `/registry/v1/repos/${image}/digests/${digest}/size`),
  read(
    "Registry/GetArchs",
    `/registry/v1/repos/${image}/digests/${digestOf("tag 8")}/architectures`,
  ),
  read("Registry/GetRepoTagsSummary", `/registry/v1/repotagssummary/${image}`),
  read("Registry/GetManifestDigestCount", `/registry/v1/digestcount/${team}`),
  read("Registry/GetRepoCountBySource", `/registry/v1/repocountbysource/${image}`),
  read("Registry/ListTagHistory", `/registry/v1/tags/${below(image, "tag-1")}/history`),
  {
    ...read("Registry/ListEolTags", `/registry/v1/eoltags?uidp.descendants_of=${image}`),
    kind: "List of version 1",
  },
  {
    ...read(
      "Vulnerabilities/ListVulnReports of a digest",
      `/registry/v1/vuln_reports?repo_id=${image}&digest=${digest}`,
    ),
    kind: "List of version 1",
  },
  {
    ...read(
      "Vulnerabilities/ListVulnReports of a repo",
      `/registry/v1/vuln_reports?repo_id=${image}`,
    ),
    kind: "List of version 1",
  },
  read(
    "Advisories/ListAdvisoryEvents",
    `/vulnerabilities/v1/advisories/${below(team, "advisory-1")}/events`,
  ),
];
