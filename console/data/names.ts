/** The names of resources for their uids. Cells of tables ask one by one, and the names are read together. */
import { useQuery } from "@tanstack/preact-query";
import type { Client } from "../../client/index.ts";
import { useClient } from "./platform.tsx";
import { shownName } from "./shown_name.ts";

/** Resources with a name that other resources refer to. */
export type Named = "groups" | "roles" | "identityProviders";

/** A URL has room for about so many uids. */
const maxUids = 60;
/** How long a batch waits for further uids, in milliseconds. */
const pause = 5;

interface Batch {
  uids: Set<string>;
  names: Promise<ReadonlyMap<string, string>>;
}

const waiting = new Map<Named, Batch>();

function joinBatch(client: Client, kind: Named): Batch {
  const open = waiting.get(kind);
  if (open && open.uids.size < maxUids) return open;
  const uids = new Set<string>();
  const names = new Promise((resolve) => setTimeout(resolve, pause)).then(async () => {
    if (waiting.get(kind)?.uids === uids) waiting.delete(kind);
    const rows = await client[kind].list({ ids: [...uids], pageSize: maxUids }).all();
    return new Map(rows.map(({ uid, name }) => [uid, name]));
  });
  const batch = { uids, names };
  waiting.set(kind, batch);
  return batch;
}

/** The name of a resource. While it is unknown, and if the person may not see it, it is a part of the uid. */
export function useName(kind: Named, uid: string): string {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["names", kind, uid],
    queryFn: async () => {
      const { uids, names } = joinBatch(client, kind);
      uids.add(uid);
      return (await names).get(uid) ?? "";
    },
    enabled: uid !== "",
    staleTime: 300_000,
  });
  return uid === "" ? "" : shownName(data, uid);
}
