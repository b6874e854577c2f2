/** The rows of the table of tags. */
import { useQuery } from "@tanstack/preact-query";
import type { Tag } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { type RowWindow, useCountedRows, useUncountedRows } from "../data/rows.ts";

/** The choice of the tags to show. */
export interface TagFilters {
  /** The beginning of their names. Empty for any. */
  search: string;
  includeReferrers: boolean;
  includeDates: boolean;
  includeEpochs: boolean;
}

/** The beginning of the key of all tables of tags. */
export const tagRowsKey = (repoUid: string) => ["tags", "rows of", repoUid];

/** All tags that end in a date or an epoch too. Undefined while the list has them, or until it is known. */
function useWhole(repoUid: string, { search, ...included }: TagFilters): number | undefined {
  const client = useClient();
  const asked = { childrenOf: repoUid, ...included, ...dated };
  const { data } = useQuery({
    queryKey: [...tagRowsKey(repoUid), "with dates and epochs", included.includeReferrers],
    queryFn: () => client.tags.list({ ...asked, pageSize: 1 }).page(),
    enabled: search === "" && !(included.includeDates && included.includeEpochs),
  });
  return data?.totalCount;
}

const dated = { includeDates: true, includeEpochs: true };

/**
 * The tags of a repository. If all of them end in a date or an epoch, they are shown. Otherwise `leftOut` is the number of
 * those that are not.
 */
export function useTags(repoUid: string, filters: TagFilters, wanted: string) {
  const chosen = useChosenTags(repoUid, filters, wanted);
  const whole = useWhole(repoUid, filters) ?? 0;
  const isOnlyDated = whole > 0 && !chosen.rows.isLoading && chosen.rows.count === 0;
  const others = useChosenTags(repoUid, { ...filters, ...dated }, wanted, isOnlyDated);
  if (isOnlyDated) return { ...others, leftOut: 0 };
  return { ...chosen, leftOut: Math.max(0, whole - chosen.rows.count) };
}

/** A search is sorted by name, because the platform finds the beginning of a name in that order. */
function useChosenTags(
  repoUid: string,
  { search, ...included }: TagFilters,
  wanted: string,
  enabled = true,
): { rows: RowWindow<Tag>; orderBy: string } {
  const client = useClient();
  const isSearch = search !== "";
  const orderBy = isSearch && !/^name\b/.test(wanted) ? "name" : wanted;
  const request = { childrenOf: repoUid, ...included };
  const key = [...tagRowsKey(repoUid), { ...included, orderBy }];
  const all = useCountedRows<Tag>({
    key,
    orderBy,
    list: (position) => client.tags.list({ ...request, ...position }),
    enabled: enabled && !isSearch,
  });
  const matches = useUncountedRows<Tag>({
    key: [...key, "beginning with", search],
    list: (position) => client.tags.list({ ...request, namePrefix: search, orderBy, ...position }),
    enabled: enabled && isSearch,
  });
  return { rows: isSearch ? matches : all, orderBy };
}
