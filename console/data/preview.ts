/** Asks the platform who would gain and lose access by a change, without making it. */
import { type QueryKey, useQuery } from "@tanstack/preact-query";
import type { AccessChanges } from "../../client/index.ts";

/** What a change would do. */
export interface AccessPreview extends AccessChanges {
  /** Whether the person would have to accept the role first. */
  pending?: boolean;
}

/**
 * The changes of a call with `validateOnly`. The key must contain everything that the call contains. Without a call, it
 * asks nothing. Its error is the refusal that the real call would get.
 */
export function useAccessPreview(
  key: QueryKey,
  call: (() => Promise<{ accessChanges?: AccessChanges; pending?: boolean }>) | undefined,
) {
  return useQuery({
    queryKey: ["preview", ...key],
    queryFn: async (): Promise<AccessPreview> => {
      const { accessChanges, pending = false } = (await call?.()) ?? {};
      return { ...(accessChanges ?? { hasMore: false, hidden: false }), pending };
    },
    enabled: call !== undefined,
    // Access changes at any time, so each dialog asks again.
    staleTime: 0,
    gcTime: 0,
  });
}

/** Why a change cannot be confirmed before its preview is there. */
export function previewRefusal({ data, error }: ReturnType<typeof useAccessPreview>) {
  if (error) return "The platform refuses this change.";
  return data === undefined ? "The preview is on its way." : undefined;
}
