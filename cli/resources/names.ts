/** Finds resources by uid, by name, by a path of names, or by `repo:tag`. */
import { uidPattern } from "../../client/request.ts";
import { refusedFailure, usageFailure } from "../failure.ts";
import { type CatalogResource, catalog, nounOf, resourceNamed, valuesOf } from "./catalog.ts";
import type { JsonObject } from "./flags.ts";
import { findPeople, ownUid } from "./people.ts";
import type { PlatformClient } from "./platform.ts";

export const isUid = (text: string) => uidPattern.test(text);

/** Returns the uid of the parent, or undefined for an organization. */
export const parentOf = (uid: string): string | undefined =>
  uid.includes("/") ? uid.slice(0, uid.lastIndexOf("/")) : undefined;

/** Returns the uids from the organization down to the uid itself. */
export const uidPath = (uid: string): string[] => {
  const above = parentOf(uid);
  return above ? [...uidPath(above), uid] : [uid];
};

/** Returns the organization that a uid belongs to. */
export const organizationOf = (uid: string) => uid.slice(0, 40);

/**
 * Where to look for names: below a group or a repository, which the command line calls `displayName`. With
 * `allowsOtherPlaces`, a match elsewhere is also accepted. With `isExplicit`, the user named the place, so a path of
 * names cannot lead out of it.
 */
export type SearchPlace = {
  below?: string | undefined;
  displayName?: string | undefined;
  allowsOtherPlaces?: boolean;
  isExplicit?: boolean;
};

/** Returns a resource of the catalog by its name, which must exist. */
export function requireResourceNamed(name: string): CatalogResource {
  const resource = resourceNamed(name);
  if (!resource) throw new Error(`no resource ${name}`);
  return resource;
}

/** Finds a resource by uid or name. Throws NOT_FOUND and AMBIGUOUS Failures that say what to do. */
export async function findResource(
  platform: PlatformClient,
  resource: CatalogResource,
  text: string,
  scope: SearchPlace = {},
): Promise<JsonObject> {
  const { get } = resource.methods;
  if (isUid(text) && get) return platform.call(get.rpc, { uid: text });
  if (resource.name === "repoReadme" && get) {
    return platform.call(get.rpc, {
      uid: await findUid(platform, requireResourceNamed("repo"), text, scope),
    });
  }
  const row = await findResourceRow(platform, resource, text, scope);
  // A Get may return more than a row of a List.
  return get ? platform.call(get.rpc, { uid: row.uid }) : row;
}

/** Returns the row of a resource's List with this name or path of names. Throws the same Failures as `findResource`. */
export async function findResourceRow(
  platform: PlatformClient,
  resource: CatalogResource,
  text: string,
  scope: SearchPlace,
): Promise<JsonObject> {
  if (!resource.methods.list || !resource.key) throw hasNoNames(resource);
  const matches = await findRows(platform, resource, text, scope);
  if (matches.length > 1) throw await ambiguousFailure(platform, resource, text, matches);
  const [row] = matches;
  if (!row) throw notFoundFailure(resource, text, scope);
  return row;
}

/** Returns the uid of a resource by its uid or name. A uid is not checked. */
export async function findUid(
  platform: PlatformClient,
  resource: CatalogResource,
  text: string,
  scope: SearchPlace = {},
): Promise<string> {
  if (isUid(text)) return text;
  if (resource.name === "repoReadme")
    return findUid(platform, requireResourceNamed("repo"), text, scope);
  return String((await findResourceRow(platform, resource, text, scope)).uid);
}

async function findRows(
  platform: PlatformClient,
  resource: CatalogResource,
  text: string,
  scope: SearchPlace,
): Promise<JsonObject[]> {
  if (resource.name === "tag") return namedTags(platform, resource, text, scope);
  if (resource.name === "identity" && text === "me") return [{ uid: await ownUid(platform) }];
  const here = await search(platform, resource, text, scope);
  if (resource.name === "identity" && here.length === 0)
    return findPeople(platform, text, scope.isExplicit ? scope.below : undefined);
  const slash = text.indexOf("/");
  if (here.length > 0 || slash < 0 || resource.parent !== "group") return here;
  // In a path of names, the part before the last slash of a group is its parent. Names of other resources may contain
  // slashes.
  const isGroup = resource.name === "group";
  const split = isGroup ? text.lastIndexOf("/") : slash;
  const groups = await findRows(platform, requireResourceNamed("group"), text.slice(0, split), {
    below: scope.below,
    allowsOtherPlaces: true,
  });
  const allowed = groups.filter(
    ({ uid }) => !scope.isExplicit || isWithin(String(uid), scope.below),
  );
  const rest = text.slice(split + 1);
  const inside = await Promise.all(
    allowed.map(async ({ uid }) => {
      const below = String(uid);
      if (isGroup) return search(platform, resource, rest, { below });
      return findRows(platform, resource, rest, { below, isExplicit: true });
    }),
  );
  const rows = [...new Map(inside.flat().map((row) => [row.uid, row])).values()];
  const direct = rows.filter((row) => allowed.some(({ uid }) => parentOf(String(row.uid)) === uid));
  return isGroup || direct.length > 0 ? direct : rows;
}

const isWithin = (uid: string, above = "") => `${uid}/`.startsWith(`${above}/`);

async function namedTags(
  platform: PlatformClient,
  resource: CatalogResource,
  text: string,
  scope: SearchPlace,
): Promise<JsonObject[]> {
  const colon = text.lastIndexOf(":");
  if (colon < 0) return search(platform, resource, text, scope);
  const repo = await findUid(platform, requireResourceNamed("repo"), text.slice(0, colon), scope);
  return search(platform, resource, text.slice(colon + 1), { below: repo });
}

async function search(
  platform: PlatformClient,
  resource: CatalogResource,
  text: string,
  scope: SearchPlace,
): Promise<JsonObject[]> {
  const { key, methods } = resource;
  if (!key || !methods.list) return [];
  // A List ignores an empty filter, so every resource would match.
  if (text === "") throw emptyName(resource);
  const { rpc, input } = methods.list;
  const filter = { ...(await filterOf(input)), [key.filter]: key.isList ? [text] : text };
  const hasScope = catalog().messages[input]?.some((field) => field.name === "uidp");
  const { below } = scope;
  const scoped = hasScope && below !== undefined;
  const request = scoped ? { ...filter, uidp: { descendantsOf: below } } : filter;
  const matches = await platform.rows(rpc, request, key.isPart ? 2000 : 200);
  const rows = matches.filter((row) => row[key.field] === text);
  if (rows.length > 0 || !scoped || !allowsOtherPlaces(resource, scope)) return rows;
  return search(platform, resource, text, {});
}

/** Returns the required filters of a List with all of their values. */
async function filterOf(input: string): Promise<JsonObject> {
  const fields = (catalog().messages[input] ?? []).filter(
    ({ isRequired, kind, many }) => isRequired && kind === "enum" && many === "list",
  );
  return Object.fromEntries(
    fields.map(({ name, type = "" }) => [name, valuesOf(type).map((value) => value.name)]),
  );
}

const hasNoNames = ({ words, methods }: CatalogResource) =>
  usageFailure(
    `You can only name ${words} by uid.${methods.list ? `\nTo find the uid, run: platformctl list ${words}` : ""}`,
  );

const emptyName = (resource: CatalogResource) =>
  usageFailure(
    `The name of the ${nounOf(resource)} is empty. If it comes from a variable, check that the variable is set.`,
  );

/** Whether a match elsewhere is accepted. Built-in roles belong to no group. */
const allowsOtherPlaces = ({ name }: CatalogResource, scope: SearchPlace) =>
  scope.allowsOtherPlaces || name === "role";

function notFoundFailure(resource: CatalogResource, text: string, scope: SearchPlace) {
  const { words, name } = resource;
  // If the search was not limited to a place, the message does not name one.
  const below = allowsOtherPlaces(resource, scope) ? undefined : (scope.displayName ?? scope.below);
  const where = below ? ` in ${below}` : "";
  const next = name === "tag" && !text.includes(":") ? "REPO:TAG, or --repo REPO" : "";
  const hints = [
    next ? `Name the tag with its repository: ${next}` : "",
    `To list them, run: platformctl list ${words}${below && name !== "tag" ? ` --group ${below}` : ""}`,
  ];
  return refusedFailure(
    "NOT_FOUND",
    [
      `There is no ${nounOf(resource)} ${JSON.stringify(text)}${where} that you can see.`,
      ...hints.filter(Boolean),
    ].join("\n"),
  );
}

async function ambiguousFailure(
  platform: PlatformClient,
  { name, words, parent: kind }: CatalogResource,
  text: string,
  rows: JsonObject[],
) {
  const uids = rows.map((row) => String(row.uid));
  const names = await readNames(
    platform,
    uids.map((uid) => parentOf(uid) ?? ""),
  );
  const lines = uids.map((uid) => {
    const parent = names.get(parentOf(uid) ?? "");
    return `  ${uid}${parent ? `  in ${parent}` : ""}`;
  });
  const [row] = rows;
  const above = names.get(parentOf(String(row?.uid)) ?? "");
  const path = kind === "group" && above ? `, or a path such as ${above}/${row?.name}` : "";
  const other = name === "tag" ? ", or REPO:TAG" : path;
  return refusedFailure(
    "AMBIGUOUS",
    `${rows.length} ${words} are named ${JSON.stringify(text)}. Use one of these uids instead${other}:\n${lines.join("\n")}`,
  );
}

/** Returns the names of groups and repositories by uid, if the caller may see them. */
export async function readNames(
  platform: PlatformClient,
  uids: string[],
): Promise<Map<string, string>> {
  const ids = [...new Set(uids)].filter(isUid).slice(0, 1000);
  const names = new Map<string, string>();
  if (ids.length === 0) return names;
  for (const resource of ["group", "repo"].map(requireResourceNamed)) {
    const { list } = resource.methods;
    if (!list) continue;
    const rows = await platform.rows(list.rpc, { uidp: { ids } }, ids.length).catch(() => []);
    for (const { uid, name } of rows) names.set(String(uid), String(name));
  }
  return names;
}

/** Returns the kind of resource that a field of a request names by uid, or undefined. */
export function referencedResource(field: string): CatalogResource | undefined {
  const others: Record<string, string> = {
    actorUid: "identity",
    artifactId: "artifact",
    defaultRole: "role",
    exemptRoleUid: "role",
    group: "group",
    identity: "identity",
    role: "role",
    scope: "group",
    // Those of a key can also be groups, by their uids.
    scopes: "repo",
  };
  const name = others[field];
  if (name !== undefined) return requireResourceNamed(name);
  return field.endsWith("Uid") ? resourceNamed(field.slice(0, -3)) : undefined;
}

/** The uid of the manifest with a digest in a repository: the first digits of the digest are its last step. */
export const manifestUidOf = (repo: string, digest: string): string =>
  `${repo}/${digest.slice(digest.indexOf(":") + 1).slice(0, 16)}`;
