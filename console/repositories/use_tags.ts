/** The rows of the table of tags. */
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

/** A search is sorted by name, because the platform finds the beginning of a name in that order. */
export function useTags(
  repoUid: string,
  { search, ...included }: TagFilters,
  wanted: string,
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
    enabled: !isSearch,
  });
  const matches = useUncountedRows<Tag>({
    key: [...key, "beginning with", search],
    list: (position) => client.tags.list({ ...request, namePrefix: search, orderBy, ...position }),
    enabled: isSearch,
  });
  return { rows: isSearch ? matches : all, orderBy };
}
