/** The names of groups for display. Names that are needed at the same moment are requested together. */
import { useQueries } from "@tanstack/preact-query";
import type { Client } from "../../client/index.ts";
import { useClient } from "./platform.tsx";
import { pathOf, shortUid } from "./uids.ts";

/** A URL has room for a few hundred uids. */
const maxUids = 100;
/** Names change rarely. In milliseconds. */
const staleTime = 300_000;

type Names = ReadonlyMap<string, string>;

/** The uids that wait for the next request of a client, and what it will find. */
interface Waiting {
  uids: Set<string>;
  names: Promise<Names>;
}

const waiting = new WeakMap<Client, Waiting>();

/** The name of a group, or null if the person cannot see it. */
async function requestName(client: Client, uid: string): Promise<string | null> {
  let next = waiting.get(client);
  if (!next) {
    const uids = new Set<string>();
    const names = new Promise((resolve) => setTimeout(resolve, 0)).then(() => {
      waiting.delete(client);
      return requestNames(client, [...uids]);
    });
    next = { uids, names };
    waiting.set(client, next);
  }
  next.uids.add(uid);
  return (await next.names).get(uid) ?? null;
}

async function requestNames(client: Client, uids: string[]): Promise<Names> {
  const parts = Array.from({ length: Math.ceil(uids.length / maxUids) }, (_, at) =>
    uids.slice(at * maxUids, (at + 1) * maxUids),
  );
  const groups = await Promise.all(
    parts.map((ids) => client.groups.list({ ids, pageSize: maxUids }).all()),
  );
  return new Map(groups.flat().map(({ uid, name }) => [uid, name]));
}

/** The names from the organization to the group, such as `["example.com", "payments"]`. Unknown ones are parts of the uid. */
export function useGroupPath(uid: string): string[] {
  const client = useClient();
  const uids = pathOf(uid);
  const names = useQueries({
    queries: uids.map((one) => ({
      queryKey: ["group-names", one],
      queryFn: () => requestName(client, one),
      staleTime,
    })),
  });
  return uids.map((one, index) => names[index]?.data ?? shortUid(one));
}
