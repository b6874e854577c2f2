/** Finds the image that a command names, in any of the ways in which people write it. */
import { Failure } from "../failure.ts";
import { requireMethod } from "../resources/catalog.ts";
import { isUid, organizationOf, requireResourceNamed } from "../resources/names.ts";
import type { PlatformClient } from "../resources/platform.ts";
import { type ImageReference, readReference, withoutHost } from "./image_reference.ts";
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

/** Returns the name of a repository with its namespace: the verified name of its organization, otherwise the uid. */
async function nameInRegistry(platform: PlatformClient, text: string): Promise<string> {
  const uid = await findRepo(platform, text);
  const organization = organizationOf(uid);
  const [{ name }, [group]] = await Promise.all([
    platform.call(requireMethod(requireResourceNamed("repo"), "get").rpc, { uid }),
    platform.rows(
      requireMethod(requireResourceNamed("group"), "list").rpc,
      { uidp: { ids: [organization] } },
      1,
    ),
  ]);
  return `${group?.verified ? group.name : organization}/${name}`;
}
