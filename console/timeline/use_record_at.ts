/** The record of the tag that was current at a moment, also if the picture has not loaded it yet. */
import { useQuery } from "@tanstack/preact-query";
import { useClient } from "../data/platform.tsx";
import type { HistoryLoader, TagName } from "./history_loader.ts";
import { Records, type TagRecord } from "./records.ts";

/** The record of a moment, as far as it is known. */
export interface FoundRecord {
  /** Undefined if the tag did not exist yet, or the record is on its way. */
  record: TagRecord | undefined;
  isOnItsWay: boolean;
}

/** Finds the record. `time` is in milliseconds since 1970 UTC. Undefined asks nothing. */
export function useRecordAt(
  loader: HistoryLoader,
  { repo, name }: TagName,
  time: number | undefined,
): FoundRecord {
  const client = useClient();
  const { records, state, firstTime } = loader;
  const index = time === undefined ? -1 : records.indexAt(time);
  const isBefore = time !== undefined && firstTime !== undefined && time < firstTime;
  const isUnknown = time !== undefined && index < 0 && state !== "complete" && !isBefore;
  const { data, isPending } = useQuery({
    queryKey: ["record at", repo, name, isUnknown ? time : "known"],
    queryFn: async () => {
      const list = (request: object) =>
        client.tagHistory
          .listTagMoves({ childrenOf: repo, tag: name, pageSize: 1, ...request })
          .page();
      const after = new Date((time ?? 0) + 1).toISOString();
      const [next, current] = await Promise.all([
        list({ since: after, orderBy: "update_time" }),
        list({ until: after }),
      ]);
      const records = new Records();
      records.append([...next.rows, ...current.rows]);
      return current.rows.length === 0 ? null : (records.get(next.rows.length) ?? null);
    },
    enabled: isUnknown,
    staleTime: 60_000,
  });
  if (!isUnknown) return { record: records.get(index), isOnItsWay: false };
  return { record: data ?? undefined, isOnItsWay: isPending };
}
