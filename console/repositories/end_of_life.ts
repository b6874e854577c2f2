/** The tags at the end of their life, in a group or in a repository. */
import { useQuery } from "@tanstack/preact-query";
import type { EndOfLifeTag } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";

/** The tags that are read at most. A page has 200. */
const maxTags = 1_000;

interface EndOfLife {
  tags: readonly EndOfLifeTag[];
  /** Whether `tags` are all. */
  isComplete: boolean;
}

/** Reads them for a scope. An empty uid asks nothing. */
export function useEndOfLife(scope: { descendantsOf: string } | { childrenOf: string }) {
  const client = useClient();
  const [uid = ""] = Object.values(scope) as string[];
  return useQuery({
    queryKey: ["tags", "end of life", scope],
    queryFn: async (): Promise<EndOfLife> => {
      const every = { includeReferrers: true, includeDates: true, includeEpochs: true };
      const request = { ...scope, ...("childrenOf" in scope ? every : {}), pageSize: 200 };
      const tags = await client.endOfLifeTags.list(request).all(maxTags + 1);
      return { tags: tags.slice(0, maxTags), isComplete: tags.length <= maxTags };
    },
    enabled: uid !== "",
    staleTime: 60_000,
  });
}
