/** The names of groups and repositories, for uids in answers about access. */
import { useQuery } from "@tanstack/preact-query";
import { useClient } from "../data/platform.tsx";
import { parentOf, shortUid } from "../data/uids.ts";

/** A URL has room for about so many uids. */
const maxNames = 100;

/** Returns a function from a uid to its name. A uid without a name that the person can see becomes short. */
export function useNames(uids: readonly string[]): (uid: string) => string {
  const client = useClient();
  const ids = [...new Set(uids)].filter(Boolean).toSorted().slice(0, maxNames);
  const { data } = useQuery({
    queryKey: ["names", ids],
    queryFn: async () => {
      const groups = await client.groups.list({ ids, pageSize: maxNames }).all();
      const names = new Map(groups.map(({ uid, name }) => [uid, name]));
      const others = ids.filter((uid) => !names.has(uid) && parentOf(uid) !== "");
      const repos =
        others.length === 0
          ? []
          : await client.repos
              .list({ ids: others })
              .all()
              .catch(() => []);
      for (const { uid, name } of repos) names.set(uid, name);
      return names;
    },
    enabled: ids.length > 0,
    staleTime: 300_000,
  });
  return (uid) => data?.get(uid) ?? shortUid(uid);
}
