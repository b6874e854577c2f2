/** The rows of a list in a window: a table asks for the rows that it shows, and the pages with them are requested. */
import {
  type Query,
  type QueryClient,
  useInfiniteQuery,
  useQueries,
  useQueryClient,
} from "@tanstack/preact-query";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Listing, Page } from "../../client/index.ts";
import { reversed, wayTo } from "./jumps.ts";

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
  /** Reads more rows. Set while the list has more, but many in a row did not match. */
  lookFurther?: () => void;
}

/** How a list is read. Its place decides about the cache, so it must contain everything that the request contains. */
export interface RowSource<Row> {
  key: readonly unknown[];
  /**
   * Lists the rows. `position` is part of the request: page size, what to skip or the page token, and the order if the
   * source has one.
   */
  list(position: Position): Pick<Listing<Row>, "page">;
  /** The order of the rows, as in `order_by`. With it, the end of a list with a total costs no more than its beginning. */
  orderBy?: string;
  /** Whether the request can be sent. The default is true. */
  enabled?: boolean;
}

/** The part of a request that says which rows of a list to return. */
export interface Position {
  pageSize: number;
  skip?: number;
  pageToken?: string;
  orderBy?: string;
}

/** A page of rows has a round number, so that scrolling back finds it in the cache. */
const pageSize = 100;

/** How long a jump waits, in milliseconds. A person who drags the scroll bar passes pages that need no request. */
const settleTime = 250;

const stop = (timer: ReturnType<typeof setTimeout> | null) => timer !== null && clearTimeout(timer);

/** A page in the cache. */
type CountedPage<Row> = Page<Row> & { previousPageToken?: string };

/**
 * The rows of a list with a total. Any row can be shown at once, however far down it is, because its page is requested
 * alone ({@link wayTo}).
 */
export function useCountedRows<Row>(source: RowSource<Row>): RowWindow<Row> {
  const { key, enabled = true } = source;
  const queries = useQueryClient();
  const [shown, setShown] = useState<[number, number]>([0, 0]);
  const pages = [...new Set([0, ...pagesBetween(...shown)])];
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...key, "rows", page],
      queryFn: () => readPage(queries, source, page),
      enabled,
    })),
  });
  const loaded = new Map(pages.map((page, index) => [page, results[index]]));
  const total = results.map(({ data }) => data?.totalCount).find((count) => count !== undefined);
  const jump = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => () => stop(jump.current), []);
  const show = useCallback(
    (from: number, to: number) => {
      const next: [number, number] = [Math.floor(from / pageSize), Math.floor(to / pageSize)];
      stop(jump.current);
      if (shown[0] === next[0] && shown[1] === next[1]) return;
      const isNear = next[0] - shown[1] <= 2 && shown[0] - next[1] <= 2;
      if (isNear) setShown(next);
      else jump.current = setTimeout(() => setShown(next), settleTime);
    },
    [shown],
  );
  const failed = results.find(({ error }) => error !== null);
  return {
    count: total ?? results[0]?.data?.rows.length ?? 0,
    isComplete: true,
    row: (index) => loaded.get(Math.floor(index / pageSize))?.data?.rows[index % pageSize],
    show,
    isLoading: results[0]?.isPending === true && enabled,
    error: failed?.error ?? null,
    retry: () => {
      for (const { error, refetch } of results) if (error) void refetch();
    },
  };
}

/** Requests a page in the cheapest way. The page before it comes first if it is on its way too, because it leads here. */
async function readPage<Row>(
  queries: QueryClient,
  { key, list, orderBy }: RowSource<Row>,
  page: number,
): Promise<CountedPage<Row>> {
  const order = (isReversed: boolean) =>
    orderBy === undefined ? {} : { orderBy: isReversed ? reversed(orderBy) : orderBy };
  if (page === 0) return list({ pageSize, ...order(false) }).page();
  // Pages that are read again all begin in this turn.
  await undefined;
  const cached = () =>
    queries.getQueryCache().findAll({ queryKey: [...key, "rows"] }) as Query<CountedPage<Row>>[];
  const pageOf = (query: Query<CountedPage<Row>>) => Number(query.queryKey.at(-1));
  const isComing = ({ state }: Query<CountedPage<Row>>) => state.fetchStatus === "fetching";
  const sooner = cached().filter(
    (query) => [0, page - 1].includes(pageOf(query)) && isComing(query),
  );
  await Promise.allSettled(sooner.map(({ promise }) => promise));
  const known = cached().filter((query) => pageOf(query) !== page && !isComing(query));
  const first = known.find((query) => pageOf(query) === 0)?.state.data;
  const places = known.map((query) => ({
    page: pageOf(query),
    next: query.state.data?.nextPageToken,
    previous: query.state.data?.previousPageToken,
  }));
  const total = orderBy === undefined ? undefined : first?.totalCount;
  const { isReversed, skip, ...way } = wayTo(page, pageSize, places, total);
  const request = { ...way, ...(skip > 0 ? { skip } : {}), ...order(isReversed) };
  const answer = await list(request).page();
  if (!isReversed) return answer;
  const { nextPageToken, rows, ...rest } = answer;
  return {
    ...rest,
    rows: rows.toReversed(),
    ...(nextPageToken ? { previousPageToken: nextPageToken } : {}),
  };
}

function pagesBetween(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** The pages without a row that are read one after the other. Then the person decides whether to look further. */
const maxEmptyPages = 20;

/**
 * The rows of a list without a total. The next page is requested when the last row comes near. A page can be empty
 * although rows follow, because some lists filter the rows of a page after they have read it.
 */
export function useUncountedRows<Row>({
  key,
  list,
  enabled = true,
}: RowSource<Row>): RowWindow<Row> {
  const query = useInfiniteQuery({
    queryKey: [...key, "rows"],
    queryFn: async ({ pageParam }): Promise<Page<Row>> => {
      let token = pageParam;
      for (let read = 1; ; read += 1) {
        const page = await list(
          token === "" ? { pageSize } : { pageSize, pageToken: token },
        ).page();
        const { rows, nextPageToken } = page;
        if (rows.length > 0 || !nextPageToken || read === maxEmptyPages) return page;
        token = nextPageToken;
      }
    },
    initialPageParam: "",
    getNextPageParam: ({ nextPageToken }) => nextPageToken,
    enabled,
  });
  const pages = query.data?.pages ?? [];
  const rows = pages.flatMap((page) => page.rows);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const isPaused = hasNextPage && !isFetchingNextPage && pages.at(-1)?.rows.length === 0;
  return {
    count: rows.length + (hasNextPage && !isPaused ? 1 : 0),
    isComplete: !hasNextPage,
    row: (index) => rows[index],
    show(_, last) {
      if (last < rows.length - 20 || !hasNextPage || isPaused) return;
      if (!isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
    },
    isLoading: query.isPending && enabled,
    error: query.error,
    retry: () => void (isFetchNextPageError ? fetchNextPage() : query.refetch()),
    ...(isPaused ? { lookFurther: () => void fetchNextPage() } : {}),
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
      const position = starts.findLastIndex((start) => start <= index);
      return parts[position]?.row(index - (starts[position] ?? 0));
    },
    show(first, last) {
      for (const [index, part] of parts.entries()) {
        const start = starts[index] ?? 0;
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
