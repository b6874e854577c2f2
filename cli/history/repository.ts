/** Finds the repository of an image that a command names. */
import { usageFailure } from "../failure.ts";
import { findUid, isUid, requireResourceNamed } from "../resources/names.ts";
import type { PlatformClient } from "../resources/platform.ts";
import { searchPlaceIn } from "../resources/where.ts";

/** A tag of a repository, which need not exist. `name` is the name that the user gave, without the host. */
export interface NamedTag {
  repoUid: string;
  name: string;
  tag: string;
}

/**
 * Finds the repository of `NAMESPACE/NAME:TAG`, with or without the registry's host in front. NAMESPACE is the name or
 * the uid of an organization, or is left out if the name is unique. The default tag is `latest`. Throws a Failure.
 */
export async function findNamedTag(platform: PlatformClient, text: string): Promise<NamedTag> {
  const image = withoutHost(platform, text);
  const colon = image.lastIndexOf(":");
  const name = colon < 0 ? image : image.slice(0, colon);
  const tag = colon < 0 ? "latest" : image.slice(colon + 1);
  if (image.includes("@") || name === "" || tag === "")
    throw usageFailure(`${text} does not name a tag. Write a name and a tag, such as python:3.12.`);
  return { repoUid: await findRepo(platform, name), name, tag };
}

/** Returns a name in the registry without its host in front. */
function withoutHost({ account }: PlatformClient, text: string): string {
  const host = `${new URL(account.registryUrl).host}/`;
  return text.startsWith(host) ? text.slice(host.length) : text;
}

/**
 * Returns the uid of the repository with a name in the registry, such as `acme.example/python`, with or without the
 * registry's host in front. Throws a Failure.
 */
export async function findRepo(platform: PlatformClient, text: string): Promise<string> {
  const name = withoutHost(platform, text);
  const repo = requireResourceNamed("repo");
  const slash = name.indexOf("/");
  const namespace = name.slice(0, Math.max(slash, 0));
  if (isUid(namespace) && !isUid(name))
    return findUid(platform, repo, name.slice(slash + 1), {
      ...{ below: namespace, displayName: namespace, isExplicit: true },
    });
  return findUid(platform, repo, name, await searchPlaceIn(platform, undefined));
}
