/** The groups below an organization. A small tree is read at once, and a large one group by group. */
import { useInfiniteQuery, useQuery } from "@tanstack/preact-query";
import type { Group } from "../../client/index.ts";
import { groupPaths } from "../data/choices.ts";
import { useClient } from "../data/platform.tsx";
import { parentOf } from "../data/uids.ts";

/** A tree with more groups than one page is read group by group. */
const pageSize = 200;
/** Groups that a search shows at most. */
const maxFound = 50;

/** The groups directly below a group. */
export interface Children {
  /** In the order of their names. Undefined while they are on their way. */
  groups: readonly Group[] | undefined;
  /** Requests more of them. Undefined if there are no more. */
  more: (() => void) | undefined;
  error: Error | null;
  retry: () => void;
}

/** The first groups below the root, in the order of their names. They are all if there is no next page. */
function useWholeTree(root: string) {
  const client = useClient();
  return useQuery({
    queryKey: ["groups", "tree", root],
    queryFn: () => client.groups.list({ descendantsOf: root, orderBy: "name", pageSize }).page(),
    enabled: root !== "",
    staleTime: 60_000,
  });
}

/** The groups directly below a group of the tree of `root`. */
export function useChildren(root: string, uid: string, isOpen: boolean): Children {
  const client = useClient();
  const whole = useWholeTree(root);
  const isWhole = whole.data !== undefined && whole.data.nextPageToken === undefined;
  const query = useInfiniteQuery({
    queryKey: ["groups", "children", uid],
    queryFn: ({ pageParam }) =>
      client.groups.list({ childrenOf: uid, orderBy: "name", pageSize, ...pageParam }).page(),
    initialPageParam: {} as { pageToken?: string },
    getNextPageParam: ({ nextPageToken }) =>
      nextPageToken === undefined ? undefined : { pageToken: nextPageToken },
    enabled: isOpen && whole.data !== undefined && !isWhole,
    staleTime: 60_000,
  });
  if (isWhole) {
    const groups = whole.data.rows.filter((group) => parentOf(group.uid) === uid);
    return { groups, more: undefined, error: null, retry() {} };
  }
  const failed = whole.error ? whole : query;
  return {
    groups: query.data?.pages.flatMap(({ rows }) => rows),
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    error: failed.error,
    retry: () => void failed.refetch(),
  };
}

/** A group that a search has found, and the names of the groups above it. */
export interface FoundGroup extends Group {
  path: string;
}

/** The groups of the tree with this text in their name. In a large tree, those whose name begins with it. */
export function useFoundGroups(root: string, text: string) {
  const client = useClient();
  const { data: whole } = useWholeTree(root);
  return useQuery({
    queryKey: ["groups", "found", root, text, whole?.nextPageToken === undefined],
    queryFn: async (): Promise<FoundGroup[]> => {
      const wanted = text.toLowerCase();
      const matches = whole?.nextPageToken
        ? await client.groups
            .list({ descendantsOf: root, namePrefix: text, pageSize: maxFound })
            .all(maxFound)
        : (whole?.rows ?? []).filter(({ name }) => name.includes(wanted)).slice(0, maxFound);
      const paths = await groupPaths(client, matches);
      return matches.map((group) => ({ ...group, path: paths.get(group.uid) ?? "" }));
    },
    enabled: text !== "" && whole !== undefined,
  });
}
