/** The moves of tags in the last seven days, today included. */
import { useQuery } from "@tanstack/preact-query";
import type { Client, RecordedTagMove } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";

/** A day in the reader's time zone. */
export interface DayCount {
  /** The beginning of the day. */
  start: Date;
  moves: number;
  /** Whether the day has more moves than were counted. */
  hasMore: boolean;
}

/** The most moves that one request returns. */
const pageSize = 200;

/** The beginnings of the last seven days, the oldest first. */
function weekStarts(now: Date): Date[] {
  const [year, month, today] = [now.getFullYear(), now.getMonth(), now.getDate()];
  return Array.from({ length: 7 }, (_, index) => new Date(year, month, today - 6 + index));
}

/** The beginning of the week in RFC 3339. It stays the same for a day, and so do the queries with it. */
export const weekStart = (): string => (weekStarts(new Date())[0] ?? new Date()).toISOString();

/** The newest moves. A quiet group has no more than these, and then they are counted without another request. */
export interface NewestMoves {
  moves: RecordedTagMove[];
  isComplete: boolean;
}

export function useNewestMoves(group: string) {
  const client = useClient();
  const since = weekStart();
  return useQuery({
    queryKey: ["home", "moves", group, since],
    queryFn: async (): Promise<NewestMoves> => {
      const request = { descendantsOf: group, since, pageSize };
      const { rows, nextPageToken } = await client.tagHistory.listTagMoves(request).page();
      return { moves: rows, isComplete: nextPageToken === undefined };
    },
    enabled: group !== "",
  });
}

/** The moves of each day. Only a busy group needs requests for this, one for each day. */
export function useDayCounts(group: string, newest: NewestMoves) {
  const client = useClient();
  const query = useQuery({
    queryKey: ["home", "days", group, weekStart()],
    queryFn: () => countDays(client, group),
    enabled: !newest.isComplete,
    staleTime: 60_000,
  });
  return newest.isComplete ? countMoves(newest.moves) : query.data;
}

const endOf = (start: Date) => new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1);

function countMoves(moves: readonly RecordedTagMove[]): DayCount[] {
  const times = moves.map(({ updateTime = "" }) => Date.parse(updateTime));
  return weekStarts(new Date()).map((start) => ({
    start,
    moves: times.filter((time) => time >= start.getTime() && time < endOf(start).getTime()).length,
    hasMore: false,
  }));
}

const countDays = (client: Client, group: string): Promise<DayCount[]> =>
  Promise.all(
    weekStarts(new Date()).map(async (start) => {
      const { rows, nextPageToken } = await client.tagHistory
        .listTagMoves({
          descendantsOf: group,
          pageSize,
          since: start.toISOString(),
          until: endOf(start).toISOString(),
        })
        .page();
      return { start, moves: rows.length, hasMore: nextPageToken !== undefined };
    }),
  );
