/** The kinds of resources that files for `apply` contain, in the order in which they are written. */
import type { CatalogOperation } from "../../schema/describe/catalog.ts";
import { type CatalogResource, kebab, requireMethod } from "../resources/catalog.ts";
import { isUid, requireResourceNamed } from "../resources/names.ts";

/** A reference to another resource, and the field with its uid. */
export type Reference = {
  key: "identity" | "role" | "exemptRole" | "trustPolicy";
  kind: KindName;
  field: string;
};

export const kindNames = [
  "Group",
  "Role",
  "Identity",
  "Repo",
  "TrustPolicy",
  "TagRule",
  "RoleBinding",
] as const;
export type KindName = (typeof kindNames)[number];

/** References replace the fields with uids, because a file has to work on every platform. */
const role: Reference = { key: "role", kind: "Role", field: "roleUid" };

/** The references of a role binding, which it connects. */
export const bindingReferences: Reference[] = [
  { key: "identity", kind: "Identity", field: "identityUid" },
  role,
];

/**
 * The references of tag rules: the role that may change a tag, and the role that gets a tag as it is. Also the trust policy
 * whose signature an image must have.
 */
const ruleReferences: Reference[] = [
  role,
  { key: "exemptRole", kind: "Role", field: "exemptRoleUid" },
  { key: "trustPolicy", kind: "TrustPolicy", field: "trustPolicyUid" },
];

/** The references that documents of a kind can have. */
export function referencesOf(kind: KindName): Reference[] {
  if (kind === "RoleBinding") return bindingReferences;
  return kind === "TagRule" ? ruleReferences : [];
}

/** Returns the resource of a kind. */
export const resourceOfKind = (kind: KindName): CatalogResource =>
  requireResourceNamed(kebab(kind));

/** Returns a standard method of a kind, which all of these kinds have. */
export const methodOf = (kind: KindName, method: "list" | "create" | "update"): CatalogOperation =>
  requireMethod(resourceOfKind(kind), method);

/** Whether a text is a uid or names joined by slashes. */
export const isGroupPath = (text: string) => isUid(text) || /^[^/\s][^/]*(\/[^/]+)*$/.test(text);

/** Whether resources of a kind have a name. Role bindings are known by what they connect. */
export const hasName = (kind: KindName) => kind !== "RoleBinding";
