/** Reads the holders of some capabilities on a resource. The platform lists roles, and a holder can have several. */
import { useInfiniteQuery } from "@tanstack/preact-query";
import type { AccessEntry, Capability, Client } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { holdersOf } from "./holder.ts";

/** Entries that are read at once for each capability. */
const batchSize = 1_000;
const pageSize = 200;

/** Where each list continues. Undefined for one that is complete. */
type Places = (string | undefined)[];

interface Batch {
  lists: AccessEntry[][];
  next: Places;
}

/** The holders of all of these capabilities on a resource, as far as they are read. */
export function useHolders(resourceUid: string, capabilities: readonly Capability[]) {
  const client = useClient();
  const query = useInfiniteQuery({
    queryKey: ["who", resourceUid, ...capabilities],
    queryFn: async ({ pageParam }): Promise<Batch> => {
      const batches = await Promise.all(
        capabilities.map((capability, index) =>
          pageParam[index] === undefined
            ? { entries: [], next: undefined }
            : readBatch(client, { resourceUid, capability }, pageParam[index]),
        ),
      );
      return {
        lists: batches.map(({ entries }) => entries),
        next: batches.map(({ next }) => next),
      };
    },
    initialPageParam: capabilities.map(() => "") as Places,
    getNextPageParam: ({ next }) => (next.some((token) => token !== undefined) ? next : undefined),
    enabled: capabilities.length > 0,
  });
  const batches = query.data?.pages ?? [];
  const lists = capabilities.map((_, index) =>
    batches.flatMap(({ lists: entries }) => entries[index] ?? []),
  );
  return { ...query, data: query.data && holdersOf(lists) };
}

async function readBatch(
  client: Client,
  question: { resourceUid: string; capability: Capability },
  token: string,
): Promise<{ entries: AccessEntry[]; next: string | undefined }> {
  const entries: AccessEntry[] = [];
  const start = token === "" ? {} : { pageToken: token };
  for await (const page of client.access.list({ ...question, pageSize, ...start }).pages()) {
    entries.push(...page.rows);
    if (entries.length >= batchSize) return { entries, next: page.nextPageToken };
  }
  return { entries, next: undefined };
}
