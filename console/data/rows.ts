/** The rows of a list in a window: a table asks for the rows that it shows, and the pages with them are requested. */
import { useInfiniteQuery, useQueries } from "@tanstack/preact-query";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Listing, Page } from "../../client/index.ts";

/** The rows that a table can show. */
export interface RowWindow<Row> {
  /** The number of rows, as far as it is known. */
  count: number;
  /** Whether `count` is the number of all rows. */
  isComplete: boolean;
  /** A row, or undefined while its page is on its way. */
  row(index: number): Row | undefined;
  /** Says which rows are on the screen. The pages with them are then requested. */
  show(first: number, last: number): void;
  isLoading: boolean;
  error: Error | null;
  retry(): void;
}

/** How a list is read. Its place decides about the cache, so it must contain everything that the request contains. */
export interface RowSource<Row> {
  key: readonly unknown[];
  /** Lists the rows. `position` is part of the request: page size, and what to skip or the page token. */
  list(position: {
    pageSize: number;
    skip?: number;
    pageToken?: string;
  }): Pick<Listing<Row>, "page">;
  /** Whether the request can be sent. The default is true. */
  enabled?: boolean;
}

/** A page of rows has a round number, so that scrolling back finds it in the cache. */
const pageSize = 100;

/**
 * The rows of a list with a total. Any row can be shown at once, however far down it is, because its page is requested
 * alone.
 */
export function useCountedRows<Row>({ key, list, enabled = true }: RowSource<Row>): RowWindow<Row> {
  const [[first, last], setShown] = useState<[number, number]>([0, 0]);
  const pages = [...new Set([0, ...pagesBetween(first, last)])];
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...key, "rows", page],
      queryFn: () => list(page === 0 ? { pageSize } : { pageSize, skip: page * pageSize }).page(),
      enabled,
    })),
  });
  const found = new Map(pages.map((page, index) => [page, results[index]]));
  const total = results.map(({ data }) => data?.totalCount).find((count) => count !== undefined);
  const show = useCallback((from: number, to: number) => {
    const [a, b] = [Math.floor(from / pageSize), Math.floor(to / pageSize)];
    setShown((before) => (before[0] === a && before[1] === b ? before : [a, b]));
  }, []);
  const failed = results.find(({ error }) => error !== null);
  return {
    count: total ?? results[0]?.data?.rows.length ?? 0,
    isComplete: true,
    row: (index) => found.get(Math.floor(index / pageSize))?.data?.rows[index % pageSize],
    show,
    isLoading: results[0]?.isPending === true && enabled,
    error: failed?.error ?? null,
    retry: () => {
      for (const { error, refetch } of results) if (error) void refetch();
    },
  };
}

function pagesBetween(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** The rows of a list without a total. The next page is requested when the last row comes near. */
export function useUncountedRows<Row>({
  key,
  list,
  enabled = true,
}: RowSource<Row>): RowWindow<Row> {
  const query = useInfiniteQuery({
    queryKey: [...key, "rows"],
    queryFn: ({ pageParam }): Promise<Page<Row>> =>
      list(pageParam === "" ? { pageSize } : { pageSize, pageToken: pageParam }).page(),
    initialPageParam: "",
    getNextPageParam: ({ nextPageToken }) => nextPageToken,
    enabled,
  });
  const rows = query.data?.pages.flatMap((page) => page.rows) ?? [];
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const lastShown = useRef(0);
  const show = (last: number) => {
    lastShown.current = last;
    if (last < rows.length - 20 || !hasNextPage) return;
    if (!isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  };
  // A page can be empty although there is a next one, and then the table shows the same rows as before.
  const pages = query.data?.pages.length ?? 0;
  useEffect(() => {
    if (pages > 0) show(lastShown.current);
  }, [pages]);
  return {
    count: rows.length + (hasNextPage ? 1 : 0),
    isComplete: !hasNextPage,
    row: (index) => rows[index],
    show: (_, last) => show(last),
    isLoading: query.isPending && enabled,
    error: query.error,
    retry: () => void (isFetchNextPageError ? fetchNextPage() : query.refetch()),
  };
}

/** The rows of several lists, one after the other, as those of one table. */
export function joinRows<Row>(parts: readonly RowWindow<Row>[]): RowWindow<Row> {
  const starts: number[] = [];
  let count = 0;
  for (const part of parts) {
    starts.push(count);
    count += part.count;
  }
  return {
    count,
    isComplete: parts.every((part) => part.isComplete),
    row(index) {
      const at = starts.findLastIndex((start) => start <= index);
      return parts[at]?.row(index - (starts[at] ?? 0));
    },
    show(first, last) {
      for (const [at, part] of parts.entries()) {
        const start = starts[at] ?? 0;
        const [from, to] = [Math.max(0, first - start), Math.min(part.count - 1, last - start)];
        if (from <= to) part.show(from, to);
      }
    },
    isLoading: parts.some(({ isLoading }) => isLoading),
    error: parts.find(({ error }) => error)?.error ?? null,
    retry() {
      for (const part of parts) if (part.error) part.retry();
    },
  };
}

/** The same rows as other values. */
export const mapRows = <From, To>(
  rows: RowWindow<From>,
  toOther: (row: From) => To,
): RowWindow<To> => ({
  ...rows,
  row(index) {
    const row = rows.row(index);
    return row === undefined ? undefined : toOther(row);
  },
});
