/** The name of an image in references, such as `registry.example.com/example.com/python`. */
import { useQuery } from "@tanstack/preact-query";
import type { Group } from "../../client/index.ts";
import { useClient, useSession } from "../data/platform.tsx";

/** The form of a part of a name (OCI distribution specification, "Pulling manifests"). */
const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;

/**
 * Returns the path of a repository in the registry. A group that is unknown, or whose name cannot be part of it, stands
 * with the last step of its uid. An organization that is not verified stands with its uid.
 */
export function imagePath(group: string, repo: string, groups: readonly Group[]): string {
  const steps = group.split("/");
  const parts = steps.map((step, index) => {
    const uid = steps.slice(0, index + 1).join("/");
    const found = groups.find((one) => one.uid === uid);
    const isName = found && component.test(found.name) && (index > 0 || found.verified);
    return isName ? found.name : step;
  });
  return [...parts, repo].join("/");
}

/** The host of the registry, and the path of a repository there. Undefined while it is on its way. */
export function useImageName(repoUid: string, repo: string) {
  const client = useClient();
  const { addresses } = useSession();
  const group = repoUid.split("/").slice(0, -1);
  const uids = group.map((_, index) => group.slice(0, index + 1).join("/"));
  const { data, error } = useQuery({
    queryKey: ["groups", "path", repoUid],
    queryFn: () => client.groups.list({ ids: uids }).all(uids.length),
    staleTime: 300_000,
  });
  // Uids work in every reference, also for people who may not see the names of groups.
  const groups = data ?? (error ? [] : undefined);
  if (!groups) return undefined;
  return {
    host: new URL(addresses.registry).host,
    path: imagePath(uids.at(-1) ?? "", repo, groups),
  };
}
