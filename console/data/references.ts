/** The names of images as container tools take them. */
import { useQuery } from "@tanstack/preact-query";
import type { Group } from "../../client/index.ts";
import { useClient, useSession } from "./platform.tsx";
import { lastStep, parentOf, pathOf } from "./uids.ts";

/** A part of a name that the registry accepts (OCI distribution specification, "Pulling manifests"). */
const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;

/**
 * Returns the path of a repository in the registry, such as `acme.example/team/python`. A group with a name that the
 * registry does not accept, or that the person cannot see, has the last part of its uid there. An organization has its
 * name only if it is verified.
 */
function imagePath(
  repo: { uid: string; name: string },
  groups: readonly Pick<Group, "uid" | "name" | "verified">[],
): string {
  const names = pathOf(parentOf(repo.uid)).map((uid, depth) => {
    const group = groups.find((candidate) => candidate.uid === uid);
    const isNamed = group !== undefined && component.test(group.name);
    return isNamed && (depth > 0 || group.verified) ? group.name : lastStep(uid);
  });
  return [...names, repo.name].join("/");
}

/** The reference of a repository without a tag. Undefined while the platform has not answered yet. */
export function useImageName(repo: { uid: string; name: string }): string | undefined {
  const client = useClient();
  const { addresses } = useSession();
  const ids = pathOf(parentOf(repo.uid));
  const { data, error } = useQuery({
    queryKey: ["groups", "of path", ids.at(-1)],
    queryFn: () => client.groups.list({ ids }).all(ids.length),
    staleTime: 300_000,
  });
  // Uids are valid in every reference, so a person who cannot see the groups gets those.
  if (data === undefined && error === null) return undefined;
  return `${addresses.registryAudience}/${imagePath(repo, data ?? [])}`;
}
