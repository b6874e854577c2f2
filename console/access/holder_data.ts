/** The holders of some capabilities on a resource. The platform lists roles, and a holder can have several. */
import { useInfiniteQuery } from "@tanstack/preact-query";
import type { AccessEntry, AccessState, Capability, Client } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";

/** Entries that are read at once for each capability. */
const batchSize = 1_000;
const pageSize = 200;

/** An identity or the members of an external group, and the roles that give them a capability. */
export interface Holder {
  /** The uid of the identity, or the mark of the external group. */
  key: string;
  /** Absent for an external group. */
  identity?: { uid: string; name: string };
  externalGroup?: string;
  /** The role bindings and role mappings, the nearest group first. Each appears once. */
  entries: AccessEntry[];
  /** The state of the best way: `ACCESS_STATE_EFFECTIVE` if the holder has all the capabilities now. */
  state: AccessState;
}

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
      const found = await Promise.all(
        capabilities.map((capability, at) =>
          pageParam[at] === undefined
            ? { entries: [], next: undefined }
            : readBatch(client, { resourceUid, capability }, pageParam[at]),
        ),
      );
      return { lists: found.map(({ entries }) => entries), next: found.map(({ next }) => next) };
    },
    initialPageParam: capabilities.map(() => "") as Places,
    getNextPageParam: ({ next }) => (next.some((place) => place !== undefined) ? next : undefined),
    enabled: capabilities.length > 0,
  });
  const batches = query.data?.pages ?? [];
  const lists = capabilities.map((_, at) => batches.flatMap(({ lists: some }) => some[at] ?? []));
  return { ...query, data: query.data && holdersOf(lists) };
}

async function readBatch(
  client: Client,
  question: { resourceUid: string; capability: Capability },
  place: string,
): Promise<{ entries: AccessEntry[]; next: string | undefined }> {
  const entries: AccessEntry[] = [];
  const start = place === "" ? {} : { pageToken: place };
  for await (const page of client.access.list({ ...question, pageSize, ...start }).pages()) {
    entries.push(...page.rows);
    if (entries.length >= batchSize) return { entries, next: page.nextPageToken };
  }
  return { entries, next: undefined };
}

/** The holders that are in every list. There is one list for each capability. */
export function holdersOf(lists: readonly AccessEntry[][]): Holder[] {
  const [first = new Map<string, AccessEntry[]>(), ...others] = lists.map((entries) =>
    Map.groupBy(entries, holderKey),
  );
  return [...first].flatMap(([key, found]) => {
    const more = others.map((list) => list.get(key));
    if (more.some((list) => list === undefined)) return [];
    const all = [found, ...more.map((list) => list ?? [])];
    const unique = new Map(all.flat().map((entry) => [entryKey(entry), entry]));
    const [{ identityUid, identityName = "", externalGroupId } = found[0] as AccessEntry] = found;
    return [
      {
        key,
        ...(identityUid
          ? { identity: { uid: identityUid, name: identityName } }
          : { externalGroup: externalGroupId ?? "" }),
        entries: [...unique.values()],
        state: worst(all.map(best)),
      },
    ];
  });
}

/** The identity, or the external group and its identity provider. */
const holderKey = ({
  identityUid,
  externalGroupRoleMappingUid = "",
  externalGroupId,
}: AccessEntry) =>
  identityUid || `${externalGroupRoleMappingUid.replace(/\/[^/]*$/, "")} ${externalGroupId}`;

export const entryKey = ({ roleBindingUid, externalGroupRoleMappingUid }: AccessEntry) =>
  roleBindingUid || externalGroupRoleMappingUid || "";

const order: AccessState[] = [
  "ACCESS_STATE_EFFECTIVE",
  "ACCESS_STATE_PENDING",
  "ACCESS_STATE_BLOCKED",
  "ACCESS_STATE_OUT_OF_REACH",
  "ACCESS_STATE_UNSPECIFIED",
];

const rank = (state: AccessState = "ACCESS_STATE_UNSPECIFIED") => order.indexOf(state);
const byRank = (states: readonly AccessState[], sign: number) =>
  states.toSorted((a, b) => sign * (rank(a) - rank(b)))[0] ?? "ACCESS_STATE_UNSPECIFIED";

/** The best state among the ways to one capability. */
const best = (entries: readonly AccessEntry[]) =>
  byRank(
    entries.map(({ state }) => state ?? "ACCESS_STATE_UNSPECIFIED"),
    1,
  );

/** The worst state among the capabilities, which are all needed. */
const worst = (states: readonly AccessState[]) => byRank(states, -1);
