/** The storage of an organization, and its limit. */
import { useQuery } from "@tanstack/preact-query";
import { useClient } from "./platform.tsx";
import { rootOf } from "./uids.ts";

/** The usage of the organization that a group belongs to. An empty uid asks nothing. */
export function useOrganizationUsage(group: string) {
  const client = useClient();
  const uid = rootOf(group);
  return useQuery({
    queryKey: ["usage", uid],
    queryFn: () => client.usages.getUsage({ uid }),
    enabled: uid !== "",
  });
}
