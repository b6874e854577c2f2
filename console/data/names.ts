/** The names of resources for their uids. Names that are needed at the same moment are requested together. */
import { useQueries, useQuery } from "@tanstack/preact-query";
import type { Client } from "../../client/index.ts";
import { useClient } from "./platform.tsx";

import { shownName } from "./shown_name.ts";
import { parentOf, pathOf } from "./uids.ts";

/** Resources with a name that other resources refer to. */
export type Named =
  | "groups"
  | "identities"
  | "identityProviders"
  | "repos"
  | "roles"
  | "trustPolicies";

/** A URL has room for about so many uids. */
const maxUids = 60;
/** How long a batch waits for further uids, in milliseconds. */
const pause = 5;
/** Names change rarely. In milliseconds. */
const staleTime = 300_000;

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

/** An empty text if there is no such resource, or the person cannot see it. */
async function readName(client: Client, kind: Named, uid: string): Promise<string> {
  const { uids, names } = joinBatch(client, kind);
  uids.add(uid);
  return (await names).get(uid) ?? "";
}

/** The key begins with the kind, so a change of such a resource also changes its name. */
const nameQuery = (client: Client, kind: Named, uid: string) => ({
  queryKey: [kind, "name", uid],
  queryFn: () => readName(client, kind, uid),
  enabled: uid !== "",
  staleTime,
});

/** The name of a resource. Empty while it is unknown, and if the person cannot see it. */
export function useKnownName(kind: Named, uid: string): string {
  const client = useClient();
  const { data } = useQuery(nameQuery(client, kind, uid));
  return data ?? "";
}

/** The name of a resource. While it is unknown, and if the person cannot see it, it is a part of the uid. */
export function useName(kind: Named, uid: string): string {
  const name = useKnownName(kind, uid);
  return uid === "" ? "" : shownName(name, uid);
}

/** The names from the organization to the group, such as `["acme.example", "payments"]`. Unknown ones are parts of the uid. */
export function useGroupPath(uid: string): string[] {
  const client = useClient();
  const uids = pathOf(uid);
  const names = useQueries({ queries: uids.map((step) => nameQuery(client, "groups", step)) });
  return uids.map((step, index) => shownName(names[index]?.data, step));
}

/** A function from the uid of a group or repository to its name. A uid without a name that the person can see becomes short. */
export function useNames(uids: readonly string[]): (uid: string) => string {
  const client = useClient();
  const asked = [...new Set(uids)].filter(Boolean);
  const names = useQueries({
    queries: asked.map((uid) => ({
      queryKey: ["groups", "name of group or repository", uid],
      queryFn: async () => {
        const name = await readName(client, "groups", uid);
        if (name !== "" || parentOf(uid) === "") return name;
        return readName(client, "repos", uid).catch(() => "");
      },
      staleTime,
    })),
  });
  const nameByUid = new Map(asked.map((uid, index) => [uid, names[index]?.data]));
  return (uid) => shownName(nameByUid.get(uid), uid);
}
