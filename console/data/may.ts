/** What the person may do. The console offers nothing else, and says why. */
import { useQuery } from "@tanstack/preact-query";
import { useMemo } from "preact/hooks";
import type { Capability } from "../../client/index.ts";
import { useClient } from "./platform.tsx";

/** Reports what the person may do on one resource. */
export interface Permissions {
  /** Undefined while the platform has not answered yet. */
  may(capability: Capability): boolean | undefined;
  /** Whether the platform has neither answered nor failed yet. */
  isPending: boolean;
}

/** Asks the platform for all capabilities of the person on a resource. An empty uid asks nothing. */
export function useMay(resourceUid: string): Permissions {
  const client = useClient();
  const { data, isPending } = useQuery({
    queryKey: ["may", resourceUid],
    queryFn: async () => {
      const { permissions = [] } = await client.access.testPermissions({
        resourceUids: [resourceUid],
      });
      return new Set(permissions[0]?.capabilities);
    },
    enabled: resourceUid !== "",
    staleTime: 60_000,
  });
  return useMemo(
    () => ({ may: (capability) => data?.has(capability), isPending }),
    [data, isPending],
  );
}
