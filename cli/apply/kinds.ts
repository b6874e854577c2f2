/** The kinds of resources that files for `apply` contain, in the order in which they are written. */
import type { CatalogOperation } from "../../schema/describe/catalog.ts";
import { type CatalogResource, kebab, requireMethod } from "../resources/catalog.ts";
import { requireResourceNamed } from "../resources/names.ts";

/** A reference of a role binding to another resource, and the field with its uid. */
export type Reference = { key: "identity" | "role"; kind: KindName; field: string };

export const kindNames = ["Group", "Role", "Identity", "Repo", "RoleBinding"] as const;
export type KindName = (typeof kindNames)[number];

/** References replace the fields with uids, because a file has to work on every platform. */
export const references: Reference[] = [
  { key: "identity", kind: "Identity", field: "identityUid" },
  { key: "role", kind: "Role", field: "roleUid" },
];

/** Returns the resource of a kind. */
export const resourceOfKind = (kind: KindName): CatalogResource =>
  requireResourceNamed(kebab(kind));

/** Returns a standard method of a kind, which all of these kinds have. */
export const methodOf = (kind: KindName, method: "list" | "create" | "update"): CatalogOperation =>
  requireMethod(resourceOfKind(kind), method);

/** Whether resources of a kind have a name. Role bindings are known by what they connect. */
export const hasName = (kind: KindName) => kind !== "RoleBinding";
