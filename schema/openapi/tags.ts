/** The headings of the document: a tag for each resource, in groups by domain, version 2 first. */
import type { DescMethod } from "@bufbuild/protobuf";
import { commentOf } from "../describe/protos.ts";
import type { Tag } from "./form.ts";
import { isPathOfV1 } from "./names.ts";
import { capitalized, splitName } from "./text.ts";

/** Titles of groups by the first segment of a path. */
const groups: Record<string, string> = {
  iam: "IAM",
  registry: "Registry",
  vulnerabilities: "Vulnerabilities",
  libraries: "Libraries",
  advisory: "Public advisories",
  events: "Events",
  ping: "Ping",
  sts: "Tokens",
  auth: "Account",
};

/** Services of version 2 whose resource is another one's, or is not said by their name. */
const resources: Record<string, string> = {
  AdvisoryExports: "Advisories",
  SecurityAdvisory: "PublicAdvisories",
  SecurityToken: "Tokens",
  Auth: "Tokens",
};

/** Of version 1: its registry is one service, and some resources have another name since. */
const resourcesOfV1: [RegExp, string, string][] = [
  [/^\/registry\/v1\/(repos\/\{\w+\}$|repos$|repocount)/, "Repos", "Repos, with their readmes."],
  [
    /^\/registry\/v1\/(tags|eoltags|repotagssummary)/,
    "Tags",
    "Tags, their history, and those at the end of their life.",
  ],
  [
    /^\/registry\/v1\/(repos\/|digestcount)/,
    "Images",
    "Images: architectures, size, configuration, SBOM, and what a scan found.",
  ],
  [/^\/registry\/v1\/vuln_reports/, "VulnReports", ""],
  [/^\/iam\/v1\/account_associations/, "AccountAssociations", ""],
  [/^\/iam\/v1\/identities/, "Identities", "Identities, and what people tell about themselves."],
  [/^\/advisory\/v1\//, "PublicAdvisories", ""],
  [/^\/auth\/v1\//, "Account", ""],
];

/** The tag of an operation. */
export function tagOf({ parent }: DescMethod, path: string): Tag {
  const [, domain = ""] = path.split("/");
  const group = groups[domain] ?? capitalized(domain);
  const isV1 = isPathOfV1(path);
  const own = parent.name.replace(/Service$/, "");
  const [, name, text] = isV1
    ? (resourcesOfV1.find(([form]) => form.test(path.replaceAll(/=\**/g, ""))) ?? ["", own, ""])
    : ["", resources[own] ?? own, ""];
  const title = capitalized(splitName(name));
  const description = text || commentOf(parent);
  if (!isV1) return { name, title, description, group };
  return { name: `${name}V1`, title: `${title} (v1)`, description, group: `Version 1: ${group}` };
}

/** The order of the groups' titles. */
export const groupTitles = [
  ...["IAM", "Provisioning", "Registry", "Registry host", "Vulnerabilities", "Libraries"],
  ...["Public advisories", "Events", "Tokens", "Account", "Ping"],
];

/** Tags that are read first in their group; the others follow in any order. */
const first = [
  ...["Groups", "Identities", "Roles", "RoleBindings", "GroupInvites", "IdentityProviders"],
  ...["Repos", "Tags", "Images", "Manifests", "Advisories"],
];

/** Where a tag stands in its group. */
export const tagRank = (name: string) => {
  const place = first.indexOf(name.replace(/V1$/, ""));
  return place === -1 ? first.length : place;
};
