/** A whole list in the browser, for pages that search, group or sort its rows. It is read in the background. */
import { useInfiniteQuery } from "@tanstack/preact-query";
import { useEffect, useMemo } from "preact/hooks";
import type { Listing, Page } from "../../client/index.ts";
import type { Position, RowWindow } from "./rows.ts";

/** The rows that have arrived. */
export interface AllRows<Row> {
  rows: readonly Row[];
  /** Whether the first page is on its way. */
  isLoading: boolean;
  /** Whether more rows are on their way. */
  isReading: boolean;
  /** Whether the list has more rows than the limit. They are not read. */
  isCut: boolean;
  error: Error | null;
  retry(): void;
}

/** How a whole list is read. */
export interface WholeList<Row> {
  /** Everything that the requests contain. */
  key: readonly unknown[];
  /** The lists, which are read one after the other. */
  lists: readonly ((position: Position) => Listing<Row>)[];
  /** The most rows that are read. */
  limit: number;
  /** Whether the requests can be sent. The default is true. */
  enabled?: boolean;
}

const pageSize = 200;

/** Where the next page begins: the index of the list, and a page token. */
interface NextPage {
  index: number;
  pageToken: string;
}

export function useAllRows<Row>({
  key,
  lists,
  limit,
  enabled = true,
}: WholeList<Row>): AllRows<Row> {
  const query = useInfiniteQuery({
    queryKey: [...key, "all"],
    queryFn: async ({ pageParam: { index, pageToken } }): Promise<Page<Row>> => {
      const list = lists[index];
      if (!list) return { rows: [], skipped: 0 };
      return list(pageToken === "" ? { pageSize } : { pageSize, pageToken }).page();
    },
    initialPageParam: { index: 0, pageToken: "" } satisfies NextPage,
    getNextPageParam: ({ nextPageToken }, _, { index }): NextPage | undefined => {
      if (nextPageToken) return { index, pageToken: nextPageToken };
      return index + 1 < lists.length ? { index: index + 1, pageToken: "" } : undefined;
    },
    enabled,
    staleTime: 60_000,
  });
  const { data, error, hasNextPage, isFetching, isPending, fetchNextPage } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const isCut = hasNextPage && rows.length >= limit;
  const isNext = hasNextPage && !isCut && !isFetching && error === null;
  useEffect(() => {
    if (isNext) void fetchNextPage();
  }, [isNext, fetchNextPage]);
  return {
    rows,
    isLoading: isPending && enabled,
    isReading: hasNextPage && !isCut && error === null,
    isCut,
    error,
    retry: () => void (data === undefined ? query.refetch() : fetchNextPage()),
  };
}

/** The rows that a table shows, of all rows that have arrived. They can be filtered, sorted or grouped. */
export const windowOf = <Row>(
  rows: readonly Row[],
  { isLoading, isReading, error, retry }: Omit<AllRows<unknown>, "rows">,
): RowWindow<Row> => ({
  count: rows.length + (isReading ? 1 : 0),
  isComplete: !isReading,
  row: (index) => rows[index],
  show() {},
  isLoading,
  error,
  retry,
});
