/** The sizes of the repositories below a group. */
import { useQuery } from "@tanstack/preact-query";
import { useClient } from "../data/platform.tsx";

/** The repositories whose sizes are read at most, the largest first. A page has 200. */
const maxRepos = 1_000;

interface Sizes {
  /** Bytes by the uid of the repository. A repository without content is left out. */
  bytes: ReadonlyMap<string, number>;
  /** The smallest size that was read, if there are more repositories. */
  below: number | undefined;
}

/** An empty uid asks nothing. */
export function useRepoSizes(group: string) {
  const client = useClient();
  return useQuery({
    queryKey: ["repos", "sizes", group],
    queryFn: async (): Promise<Sizes> => {
      const usages = await client.usages.listRepoUsages({ group, pageSize: 200 }).all(maxRepos + 1);
      const read = usages.slice(0, maxRepos);
      const bytes = new Map(read.map((usage) => [usage.uid ?? "", Number(usage.bytes)]));
      const below = usages.length > maxRepos ? Number(read.at(-1)?.bytes ?? 0) : undefined;
      return { bytes, below };
    },
    enabled: group !== "",
    staleTime: 60_000,
  });
}
