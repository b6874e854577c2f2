/** Asks the platform who would gain and lose access by a change, without making it. */
import { type QueryKey, useQuery } from "@tanstack/preact-query";
import type { AccessChanges } from "../../client/index.ts";

/**
 * The changes of a call with `validateOnly`. The key must contain everything that the call contains. Without a call, it
 * asks nothing. Its error is the refusal that the real call would get.
 */
export function useAccessPreview(
  key: QueryKey,
  call: (() => Promise<{ accessChanges?: AccessChanges }>) | undefined,
) {
  return useQuery({
    queryKey: ["preview", ...key],
    queryFn: async () => {
      const { accessChanges } = (await call?.()) ?? {};
      return accessChanges ?? { hasMore: false, hidden: false };
    },
    enabled: call !== undefined,
    // Access changes at any time, so each dialog asks again.
    staleTime: 0,
    gcTime: 0,
  });
}
