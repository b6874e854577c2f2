/** The group that the pages are about. Its uid is in the address, so that a link shows the same to everyone. */
import { useQuery } from "@tanstack/preact-query";
import { useLocation, useSearchParams } from "wouter-preact";
import type { Group } from "../../client/index.ts";
import { useClient } from "./platform.tsx";

/** Organizations and groups that the list shows at most. */
const maxGroups = 200;

/**
 * The organizations that the person can see, in the order of their names. For a person who only sees groups within an
 * organization, these groups.
 */
export function useOrganizations() {
  const client = useClient();
  return useQuery({
    queryKey: ["groups", "organizations"],
    queryFn: async () => {
      const roots = await client.groups.list({ inRoot: true, orderBy: "name" }).all(maxGroups);
      if (roots.length > 0) return roots;
      const all = await client.groups.list({ orderBy: "name" }).all(maxGroups);
      const isBelow = ({ uid }: Group) => all.some((one) => uid.startsWith(`${one.uid}/`));
      return all.filter((group) => !isBelow(group));
    },
    staleTime: 300_000,
  });
}

/** One group. An empty uid asks nothing. */
export function useGroup(uid: string) {
  const client = useClient();
  return useQuery({
    queryKey: ["groups", uid],
    queryFn: () => client.groups.get(uid),
    enabled: uid !== "",
    staleTime: 300_000,
  });
}

/** The group of the address: its uid, or the organization of the resource in the path. Empty if there is neither. */
export function useAskedGroup(): string {
  const [parameters] = useSearchParams();
  const [location] = useLocation();
  const [, organization = ""] = /\/([0-9a-f]{40})\/[0-9a-f]{16}/.exec(location) ?? [];
  return parameters.get("group") ?? organization;
}

/** The group of the address, otherwise the first organization. `uid` is empty until it is known. */
export function useCurrentGroup(): { uid: string; group: Group | undefined; isNone: boolean } {
  const { data: organizations } = useOrganizations();
  const asked = useAskedGroup();
  const uid = asked === "" ? (organizations?.[0]?.uid ?? "") : asked;
  const { data: group } = useGroup(uid);
  return { uid, group, isNone: organizations?.length === 0 && asked === "" };
}

/** The path of a group as text: the names from the organization to the group. Unknown names are parts of the uid. */
export function groupPath(uid: string, names: ReadonlyMap<string, string>): string {
  const parts = uid.split("/");
  return parts
    .map((part, index) => names.get(parts.slice(0, index + 1).join("/")) ?? part.slice(0, 8))
    .join(" / ");
}
