/** Finds the image that a command names, in any of the ways in which people write it. */
import { Failure } from "../failure.ts";
import { requireMethod } from "../resources/catalog.ts";
import { isUid, organizationOf, requireResourceNamed, uidPath } from "../resources/names.ts";
import type { PlatformClient } from "../resources/platform.ts";
import { type ImageReference, isComponent, readReference, withoutHost } from "./image_reference.ts";
import { findRepo } from "./repository.ts";

/**
 * Returns the image as the registry names it. `python` and `team/python:1.0` are names of repositories that the platform
 * knows, and so are uids. A name with a namespace that the platform does not list, such as that of a public image or of a
 * deleted repository, is used as it is. Throws a Failure.
 */
export async function readImage(
  platform: PlatformClient | undefined,
  text: string,
  host: string,
): Promise<ImageReference> {
  const path = withoutHost(text, host);
  const colon = path.lastIndexOf(":");
  const repo = colon < 0 ? path : path.slice(0, colon);
  const isUsual = !isUid(repo) && repo.includes("/");
  // The uid of an organization in front is already what the registry knows.
  const isNamedByUid = isUsual && isUid(repo.slice(0, repo.indexOf("/")));
  if (!platform || isNamedByUid || path.includes("@") || repo === "")
    return readReference(text, host);
  const name = await nameInRegistry(platform, repo).catch((error: unknown) => {
    if (isUsual && error instanceof Failure && error.code === "NOT_FOUND") return repo;
    throw error;
  });
  return readReference(`${name}${colon < 0 ? "" : path.slice(colon)}`, host);
}

/**
 * Returns the name of a repository with its namespace. The namespace is the verified name of the organization, otherwise
 * its uid, and the groups below it by their names, otherwise by the last steps of their uids.
 */
async function nameInRegistry(platform: PlatformClient, text: string): Promise<string> {
  const uid = await findRepo(platform, text);
  const groups = uidPath(uid).slice(0, -1);
  const rpcOf = (resource: string, method: "get" | "list") =>
    requireMethod(requireResourceNamed(resource), method).rpc;
  const [{ name }, rows] = await Promise.all([
    platform.call(rpcOf("repo", "get"), { uid }),
    platform.rows(rpcOf("group", "list"), { uidp: { ids: groups } }, groups.length),
  ]);
  const steps = groups.map((group) => {
    const row = rows.find((one) => one.uid === group);
    const own = `${row?.name ?? ""}`;
    const isUsable = group === organizationOf(uid) ? row?.verified : isComponent(own);
    return isUsable ? own : group.slice(group.lastIndexOf("/") + 1);
  });
  return [...steps, name].join("/");
}
