/** The names of operations and schemas, which are also the names in generated clients. */
import type { DescEnum, DescMessage, DescMethod } from "@bufbuild/protobuf";
import { capitalized, singular, splitName } from "./text.ts";

/** Whether a path belongs to version 1. A path without a version is listed with version 2. */
export const isPathOfV1 = (path: string) => /^\/[a-z]+\/v1\//.test(path);

/**
 * Returns the name of a message or enum among the components, such as `Repo` or `CustomOverlayAccounts`.
 * Messages of version 1 have the same names, so they end in `V1`: `RepoV1`. Generators of clients name a map
 * after its schema and its property. If the values of the map are a message with that same name, the name of
 * the message ends in `Value`.
 */
export function componentName(desc: DescMessage | DescEnum): string {
  const { typeName, file } = desc;
  const { package: from } = file.proto;
  const own = typeName.slice(from.length + 1).replaceAll(".", "");
  const name = `${prefixes[from] ?? ""}${own}${isNamedAsItsMap(desc) ? "Value" : ""}`;
  return isPackageOfV1(from) ? `${name}V1` : name;
}

function isNamedAsItsMap({ typeName, parent }: DescMessage | DescEnum): boolean {
  const near = parent ? [parent, ...parent.nestedMessages] : [];
  const maps = near.flatMap(({ typeName: above, fields }) =>
    fields.flatMap(({ fieldKind, jsonName }) =>
      fieldKind === "map" ? [above, `${above}.`].map((start) => start + capitalized(jsonName)) : [],
    ),
  );
  return maps.includes(typeName);
}

/** Prefixes for the names of packages that have names in common with another package. */
const prefixes: Record<string, string> = {
  "platform.tenant": "Tenant",
  "platform.advisory": "Public",
  "platform.advisory.v2": "Public",
};

/**
 * Packages of version 1 have no version in their names, except one. The package of the token service belongs
 * to no version.
 */
const isPackageOfV1 = (name: string) =>
  name.startsWith("platform.") && !/^platform\.(.+\.v2|oidc|(uidp|capabilities)\.v1)$/.test(name);

/**
 * Returns the operationId: `listRepos`. In version 1, where methods are named after their verbs only,
 * `v1GroupsList`.
 */
export function operationIdOf({ name, localName, parent }: DescMethod, path: string): string {
  return isPathOfV1(path) ? `v1${parent.name}${name}` : localName;
}

/** Titles of methods whose names say too little. */
const summaries: Record<string, string> = {
  "platform.auth.Auth/Validate": "Validate token",
  "platform.auth.Auth/Register": "Register",
  "platform.auth.Auth/Delete": "Delete own account",
  "platform.oidc.SecurityTokenService/Exchange": "Exchange token",
  "platform.iam.Terms/ListAccepted": "List accepted terms",
  "platform.events.Identities/UpdateMetadata": "Update identity metadata",
};

/** Methods of version 1 that are named after a verb. The service is the object of the verb. */
const verbs = /^(Create|Get|List|Update|Delete|Lookup|Check|CreateBatch|BatchDelete|ListVersions)$/;

/**
 * Returns a title, such as `List repos`. The first sentence of the comment is too long for a table of
 * contents.
 */
export function summaryOf({ name, parent }: DescMethod, path: string): string {
  const own = summaries[`${parent.typeName}/${name}`];
  if (own) return own;
  if (!isPathOfV1(path) || !verbs.test(name))
    return capitalized(splitName(name)).replace(/^Lookup/, "Look up");
  const all = splitName(parent.name.replace(/^Group(?=Account)/, ""));
  if (name === "ListVersions") return `List versions of ${all}`;
  const isOne = /^(Create|Get|Update|Delete|Lookup|Check)$/.test(name);
  const verb = { CreateBatch: "Create", BatchDelete: "Delete", Lookup: "Look up" }[name] ?? name;
  return `${verb} ${isOne ? singular(all) : all}${/Batch/.test(name) ? " at once" : ""}`;
}
