/** What operations and schemas are called: the names that generated clients get. */
import type { DescEnum, DescMessage, DescMethod } from "@bufbuild/protobuf";
import { capitalized, singular, splitName } from "./text.ts";

/** Version 1 by its path; what has no version in its path belongs to none, and stands with 2. */
export const isPathOfV1 = (path: string) => /^\/[a-z]+\/v1\//.test(path);

/**
 * The name of a message or enum among the components: `Repo`, `CustomOverlayAccounts`, and of
 * version 1, which has the same names, `RepoV1`. Generators of clients call a map by its schema and its
 * property; a message of that name, whose values the map holds, gets `Value` behind it.
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
      fieldKind === "map" ? [above, `${above}.`].map((one) => one + capitalized(jsonName)) : [],
    ),
  );
  return maps.includes(typeName);
}

/** Packages whose names another one has too. */
const prefixes: Record<string, string> = {
  "platform.tenant": "Tenant",
  "platform.advisory": "Public",
  "platform.advisory.v2": "Public",
};

/** Packages of version 1 carry no version, but for one; that of the token service stands alone. */
const isPackageOfV1 = (name: string) =>
  name.startsWith("platform.") && !/^platform\.(.+\.v2|oidc|(uidp|capabilities)\.v1)$/.test(name);

/** `listRepos`; of version 1, where methods are called by their verbs, `v1GroupsList`. */
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

/** Methods of version 1 that are a verb, whose object is the service. */
const verbs = /^(Create|Get|List|Update|Delete|Lookup|Check|CreateBatch|BatchDelete|ListVersions)$/;

/** `List repos`: a title, as the comment's first sentence is too long for a table of contents. */
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
