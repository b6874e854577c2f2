/** The holders of capabilities, from the roles that the platform lists for each capability. */
import type { AccessEntry, AccessState } from "../../client/index.ts";

/** An identity or the members of an external group, and the roles that give them a capability. */
export interface Holder {
  /** The uid of the identity, or the mark of the external group. */
  key: string;
  /** Absent for an external group. */
  identity?: { uid: string; name: string };
  externalGroup?: string;
  /** The name of the SCIM group that the external group is, if the identity provider provisions it. */
  scimGroup?: string;
  /** The role bindings and role mappings, the nearest group first. Each appears once. */
  entries: AccessEntry[];
  /** The state of the best way: `ACCESS_STATE_EFFECTIVE` if the holder has all the capabilities now. */
  state: AccessState;
}

/** The holders that are in every list. There is one list for each capability. */
export function holdersOf(lists: readonly AccessEntry[][]): Holder[] {
  const [first = new Map<string, AccessEntry[]>(), ...others] = lists.map((entries) =>
    Map.groupBy(entries, holderKey),
  );
  return [...first].flatMap(([key, own]) => {
    const more = others.map((list) => list.get(key));
    if (more.some((list) => list === undefined)) return [];
    const all = [own, ...more.map((list) => list ?? [])];
    const unique = new Map(all.flat().map((entry) => [entryKey(entry), entry]));
    const [
      { identityUid, identityName = "", externalGroupId, scimGroupName } = own[0] as AccessEntry,
    ] = own;
    return [
      {
        key,
        ...(identityUid
          ? { identity: { uid: identityUid, name: identityName } }
          : {
              externalGroup: externalGroupId ?? "",
              ...(scimGroupName && { scimGroup: scimGroupName }),
            }),
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

const entryKey = ({ roleBindingUid, externalGroupRoleMappingUid }: AccessEntry) =>
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
