/** The flags that say where a resource is looked for or made. */
import { type Command, Option } from "commander";
import { usageFailure } from "../failure.ts";
import { type CatalogResource, hasScope } from "./catalog.ts";
import type { JsonObject } from "./flags.ts";
import { findUid, requireResourceNamed, type SearchPlace } from "./names.ts";
import type { PlatformClient } from "./platform.ts";

export type PlaceOptions = { group?: string; repo?: string; identityProvider?: string };

/** Help of a flag that names a group. */
export const groupHelp = "name, path of names or uid of the group (default: PLATFORM_GROUP)";

/** Adds the flags by which one resource is found by its name. */
export function addPlaceOptions(command: Command, { name, key, parent }: CatalogResource): Command {
  if (key?.field !== "name" || name === "artifact") return command;
  if (parent === "repo" || name === "repoReadme") {
    command.option("--repo <repo>", "name or uid of the repo that it is in");
  }
  return command.option("-g, --group <group>", groupHelp);
}

/** Where a resource is looked for. */
export async function searchPlaceOf(
  platform: PlatformClient,
  resource: CatalogResource,
  { group, repo }: PlaceOptions,
): Promise<SearchPlace> {
  const isAsked =
    group !== undefined || (resource.key?.field === "name" && resource.name !== "artifact");
  const place = isAsked ? await searchPlaceIn(platform, group) : {};
  // The usual group is not below itself, and built-in roles are below none.
  const allowsOtherPlaces = group === undefined && ["group", "role"].includes(resource.name);
  if (repo === undefined) return { ...place, allowsOtherPlaces };
  return {
    below: await findUid(platform, requireResourceNamed("repo"), repo, place),
    displayName: repo,
  };
}

/** Adds the flags that say what a resource is made in. */
export function addParentOptions(command: Command, { name, parent }: CatalogResource): Command {
  command.option("-g, --group <group>", groupHelp);
  if (parent === "repo") command.option("--repo <repo>", "name or uid of the repo to make it in");
  if (parent === "identity-provider") {
    command.option("--identity-provider <name|uid>", "the identity provider to make it in");
  }
  if (parent === "group") {
    command.addOption(new Option("--parent <group>", "the same as --group").conflicts("group"));
  }
  if (name === "group") {
    const option = new Option("--organization", "make an organization, below no group");
    command.addOption(option.conflicts(["group", "parent"]));
  }
  return command;
}

export type ParentOptions = PlaceOptions & { parent?: string; organization?: boolean };

/** The uid of what a resource is made in; empty for an organization. Throws a USAGE Failure. */
export async function parentUid(
  platform: PlatformClient,
  resource: CatalogResource,
  options: ParentOptions,
): Promise<string> {
  const group = options.group ?? options.parent;
  if (options.organization) return "";
  if (resource.parent === "group" || resource.parent === undefined) {
    return requireGroup(platform, group);
  }
  const named = resource.parent === "repo" ? options.repo : options.identityProvider;
  if (named === undefined)
    throw usageFailure(`Say which ${resource.parent} with --${resource.parent}.`);
  return findUid(
    platform,
    requireResourceNamed(resource.parent),
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

/** Adds the flags that say which part of the hierarchy is listed. */
export function addScopeOptions(command: Command, resource: CatalogResource): Command {
  if (!hasScope(resource)) return command;
  command.option("-g, --group <group>", "all below this group: its name, path of names or uid");
  if (resource.parent === "repo") command.option("--repo <repo>", "name or uid of the repo");
  return command
    .option("--children", "only what is directly in the group")
    .option("--ancestors-of <uid>", "only what lies above this uid")
    .option("--in-root", "only what lies in no group")
    .option("--uid <uid...>", "only these uids");
}

/** The filter by place of a List; PLATFORM_GROUP counts where nothing else is said. */
export async function scopeOf(
  platform: PlatformClient,
  resource: CatalogResource,
  { group, repo, children, ancestorsOf, inRoot, uid }: ScopeOptions,
): Promise<JsonObject> {
  if (!hasScope(resource)) return {};
  const others: JsonObject = {
    ...(ancestorsOf === undefined ? {} : { ancestorsOf }),
    ...(inRoot ? { inRoot } : {}),
    ...(uid ? { ids: uid } : {}),
  };
  const isElsewhere = Object.keys(others).length > 0;
  // Built-in roles lie in no group: they are listed unless a group is asked for.
  const usesUsual = !isElsewhere && resource.name !== "role";
  const place = group !== undefined || usesUsual ? await searchPlaceIn(platform, group) : {};
  const { below } = place;
  if (repo !== undefined) {
    const childrenOf = await findUid(platform, requireResourceNamed("repo"), repo, place);
    return { uidp: { ...others, childrenOf } };
  }
  if (children)
    return { uidp: { ...others, childrenOf: below ?? (await requireGroup(platform, group)) } };
  if (below === undefined) return isElsewhere ? { uidp: others } : {};
  return { uidp: { ...others, descendantsOf: below } };
}

/** The group that a command is about: as asked for, PLATFORM_GROUP, or undefined. */
export async function groupOption(
  platform: PlatformClient,
  asked: string | undefined,
): Promise<string | undefined> {
  const text = asked ?? (process.env.PLATFORM_GROUP || undefined);
  return text === undefined ? undefined : findUid(platform, requireResourceNamed("group"), text);
}

/** The place of that group. */
export async function searchPlaceIn(
  platform: PlatformClient,
  asked: string | undefined,
): Promise<SearchPlace> {
  return {
    below: await groupOption(platform, asked),
    displayName: asked ?? process.env.PLATFORM_GROUP,
    isExplicit: asked !== undefined,
  };
}

/** The group that a command cannot do without: as groupOf, or the only one that the caller sees. Throws a USAGE Failure if that is not one. */
export async function requireGroup(
  platform: PlatformClient,
  asked: string | undefined,
): Promise<string> {
  const group = await groupOption(platform, asked);
  if (group !== undefined) return group;
  const { list } = requireResourceNamed("group").methods;
  if (!list) throw new Error("groups have no List");
  const roots = await platform.rows(list.rpc, { uidp: { inRoot: true }, orderBy: "name" }, 20);
  const seen = roots.length > 0 ? roots : await platform.rows(list.rpc, { orderBy: "name" }, 20);
  const [only] = seen;
  if (only && seen.length === 1) return String(only.uid);
  const names = seen.map(({ name }) => String(name)).join(", ");
  throw usageFailure(
    `Which group? Say it with --group, or in PLATFORM_GROUP.${names ? ` You see ${names}.` : " You see none."}`,
  );
}
