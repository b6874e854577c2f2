/** The flags that say where to look for a resource or where to create it. */
import { type Command, Option } from "commander";
import { usageFailure } from "../failure.ts";
import { here } from "../surroundings.ts";
import { type CatalogResource, hasScope, isAlsoInRepo, nounOf, requireMethod } from "./catalog.ts";
import type { JsonObject } from "./flags.ts";
import { findUid, requireResourceNamed, type SearchPlace } from "./names.ts";
import { addOptions } from "./options.ts";
import type { PlatformClient } from "./platform.ts";

export type PlaceOptions = {
  group?: string;
  repo?: string;
  identity?: string;
  identityProvider?: string;
};

/** Adds the flags that help to find a resource by its name. */
export function addPlaceOptions(command: Command, resource: CatalogResource): Command {
  const { name, key, parent } = resource;
  if (key?.field !== "name" || name === "artifact") return command;
  if (parent === "repo" || name === "repoReadme" || isAlsoInRepo(resource)) {
    addOptions(command, "repo");
  }
  return addOptions(command, "group");
}

/** Whether a list can be that of one repository. The rows of these groups' resources are about repositories. */
const isListedByRepo = (resource: CatalogResource) =>
  resource.parent === "repo" ||
  isAlsoInRepo(resource) ||
  ["endOfLifeTag", "finding", "package", "recordedTagMove"].includes(resource.name);

/** Returns where to look for a resource. */
export async function searchPlaceOf(
  platform: PlatformClient,
  resource: CatalogResource,
  { group, repo }: PlaceOptions,
): Promise<SearchPlace> {
  const isAsked =
    group !== undefined || (resource.key?.field === "name" && resource.name !== "artifact");
  const scope = isAsked ? await searchPlaceIn(platform, group) : {};
  // The default group is not below itself, and built-in roles are below no group.
  const allowsOtherPlaces = group === undefined && ["group", "role"].includes(resource.name);
  if (repo === undefined) return { ...scope, allowsOtherPlaces };
  return {
    below: await findUid(platform, requireResourceNamed("repo"), repo, scope),
    displayName: repo,
  };
}

/** Adds the flags that name the parent of a new resource. */
export function addParentOptions(command: Command, resource: CatalogResource): Command {
  const { name, parent } = resource;
  addOptions(command, "group");
  if (parent === "repo" || isAlsoInRepo(resource)) addOptions(command, "repo");
  if (parent === "identity") addOptions(command, "identity");
  if (parent === "identity-provider") addOptions(command, "identityProvider");
  if (parent === "group") {
    command.addOption(new Option("--parent <group>", "The same as --group.").conflicts("group"));
  }
  if (name === "group") {
    const option = new Option(
      "--as-organization",
      "Create an organization, which has no parent group.",
    );
    command.addOption(option.conflicts(["group", "parent"]));
  }
  return command;
}

export type ParentOptions = PlaceOptions & { parent?: string; asOrganization?: boolean };

/** Returns the uid of the parent, or an empty string for an organization. Throws a USAGE Failure. */
export async function parentUid(
  platform: PlatformClient,
  resource: CatalogResource,
  options: ParentOptions,
): Promise<string> {
  const group = options.group ?? options.parent;
  if (options.asOrganization) return "";
  const parent = isAlsoInRepo(resource) && options.repo !== undefined ? "repo" : resource.parent;
  if (parent === "group" || parent === undefined) return requireGroup(platform, group);
  const given: Partial<Record<typeof parent, string | undefined>> = {
    repo: options.repo,
    identity: options.identity,
    "identity-provider": options.identityProvider,
  };
  const named = given[parent];
  if (named === undefined)
    throw usageFailure(`Name the ${nounOf({ word: parent })} with --${parent}.`);
  return findUid(
    platform,
    requireResourceNamed(parent),
    named,
    await searchPlaceIn(platform, group),
  );
}

export type ScopeOptions = PlaceOptions & {
  children?: boolean;
  ancestorsOf?: string;
  inRoot?: boolean;
  uid?: string[];
};

/** Adds the flags that choose the part of the hierarchy to list. */
export function addScopeOptions(command: Command, resource: CatalogResource): Command {
  if (!hasScope(resource)) return command;
  addOptions(command, "group");
  if (isListedByRepo(resource)) addOptions(command, "repo");
  if (resource.parent === "identity") addOptions(command, "identity");
  return command
    .option("--children", "List only resources directly in the group, and none below it.")
    .option(
      "--ancestors-of <uid>",
      "List only resources in the hierarchy above this uid, up to its organization.",
    )
    .option("--in-root", "List only resources that belong to no group.")
    .option("--uid <uid...>", "List only the resources with these uids.");
}

/** Returns the filter of a List by place. PLATFORM_GROUP counts if no other place is given. */
export async function scopeOf(
  platform: PlatformClient,
  resource: CatalogResource,
  { group, repo, identity, children, ancestorsOf, inRoot, uid }: ScopeOptions,
): Promise<JsonObject> {
  if (!hasScope(resource)) return {};
  const others: JsonObject = {
    ...(ancestorsOf === undefined ? {} : { ancestorsOf }),
    ...(inRoot ? { inRoot } : {}),
    ...(uid ? { ids: uid } : {}),
  };
  const isElsewhere = Object.keys(others).length > 0;
  // Built-in roles belong to no group. They are listed unless a group is given.
  const usesUsual = !isElsewhere && resource.name !== "role";
  const scope = group !== undefined || usesUsual ? await searchPlaceIn(platform, group) : {};
  const { below } = scope;
  // Other lists have filters of these names.
  if (repo !== undefined && isListedByRepo(resource)) {
    const childrenOf = await findUid(platform, requireResourceNamed("repo"), repo, scope);
    return { uidp: { ...others, childrenOf } };
  }
  if (identity !== undefined && resource.parent === "identity") {
    const childrenOf = await findUid(platform, requireResourceNamed("identity"), identity, scope);
    return { uidp: { ...others, childrenOf } };
  }
  if (children)
    return { uidp: { ...others, childrenOf: below ?? (await requireGroup(platform, group)) } };
  if (below === undefined) return isElsewhere ? { uidp: others } : {};
  return { uidp: { ...others, descendantsOf: below } };
}

/** Returns the group of a command: the given one, otherwise PLATFORM_GROUP, otherwise undefined. */
export async function groupOption(
  platform: PlatformClient,
  asked: string | undefined,
): Promise<string | undefined> {
  const text = asked ?? (here().env.PLATFORM_GROUP || undefined);
  return text === undefined ? undefined : findUid(platform, requireResourceNamed("group"), text);
}

/** Returns that group as a place to search. */
export async function searchPlaceIn(
  platform: PlatformClient,
  asked: string | undefined,
): Promise<SearchPlace> {
  return {
    below: await groupOption(platform, asked),
    displayName: asked ?? here().env.PLATFORM_GROUP,
    isExplicit: asked !== undefined,
  };
}

/**
 * Returns the group that a command requires: as groupOption, otherwise the only group that the caller sees. Throws a
 * USAGE Failure if there is not exactly one, which says the way to name it.
 */
export async function requireGroup(
  platform: PlatformClient,
  asked: string | undefined,
  way = "with --group or PLATFORM_GROUP",
): Promise<string> {
  const group = await groupOption(platform, asked);
  if (group !== undefined) return group;
  const list = requireMethod(requireResourceNamed("group"), "list");
  const roots = await platform.rows(list.rpc, { uidp: { inRoot: true }, orderBy: "name" }, 20);
  const seen = roots.length > 0 ? roots : await platform.rows(list.rpc, { orderBy: "name" }, 20);
  const [only] = seen;
  if (only && seen.length === 1) return String(only.uid);
  const names = seen.map(({ name }) => String(name)).join(", ");
  throw usageFailure(
    `Name a group ${way}.${names ? ` You can see: ${names}.` : " You cannot see any group."}`,
  );
}
