/** The headings of the document: one tag for each resource, in groups by domain, with version 2 first. */
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

/**
 * The resources of services in version 2 that share the resource of another service, or whose name does not
 * show it.
 */
const resources: Record<string, string> = {
  AdvisoryExports: "Advisories",
  SecurityAdvisory: "PublicAdvisories",
  SecurityToken: "Tokens",
  Auth: "Tokens",
};

/** Tags of version 1. Its registry is one service, and some of its resources now have other names. */
const resourcesOfV1: [RegExp, string, string][] = [
  [
    /^\/registry\/v1\/(repos\/\{\w+\}$|repos$|repocount)/,
    "Repos",
    "Repositories with their readmes.",
  ],
  [
    /^\/registry\/v1\/(tags|eoltags|repotagssummary)/,
    "Tags",
    "Tags, their history, and end-of-life tags.",
  ],
  [
    /^\/registry\/v1\/(repos\/|digestcount)/,
    "Images",
    "Images: architectures, size, configuration, SBOM and scan results.",
  ],
  [/^\/registry\/v1\/vuln_reports/, "VulnReports", ""],
  [/^\/iam\/v1\/account_associations/, "AccountAssociations", ""],
  [
    /^\/iam\/v1\/identities/,
    "Identities",
    "Identities, and the details that people enter about themselves.",
  ],
  [/^\/advisory\/v1\//, "PublicAdvisories", ""],
  [/^\/auth\/v1\//, "Account", ""],
];

/** Returns the tag of an operation. */
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

/** The order of the titles of groups. */
export const groupTitles = [
  "IAM",
  "Provisioning",
  "Registry",
  "Registry host",
  "Vulnerabilities",
  "Libraries",
  "Public advisories",
  "Events",
  "Tokens",
  "Account",
  "Ping",
];

/** Tags that come first in their group. The others follow in any order. */
const first = [
  "Groups",
  "Identities",
  "Roles",
  "RoleBindings",
  "GroupInvites",
  "IdentityProviders",
  "Repos",
  "Tags",
  "Images",
  "Manifests",
  "Advisories",
];

/** Returns the position of a tag in its group. */
export const tagRank = (name: string) => {
  const position = first.indexOf(name.replace(/V1$/, ""));
  return position === -1 ? first.length : position;
};
