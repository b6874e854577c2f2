/** What pickers suggest: groups, roles and identities whose names begin with a text. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/preact-query";
import type { Client, Group, RoleBindingIdentity } from "../../client/index.ts";
import { useGroup } from "./group.ts";
import { identityName, readPeople } from "./people.ts";
import { useClient } from "./platform.tsx";
import { useSettled } from "./settled.ts";
import { isPerson, parentOf, pathOf, rootOf, shortUid } from "./uids.ts";

/** A resource that a person can choose. */
export interface Choice {
  uid: string;
  name: string;
  /** More about it on a second line, such as the group of an identity. */
  detail?: string;
}

/** Choices of one kind that a picker shows at most. */
const maxChoices = 20;

/** Reads something once for all texts. */
type ReadOnce = <Value>(key: readonly unknown[], read: () => Promise<Value>) => Promise<Value>;

/** How the choices for a text are read. The key must contain everything that decides about them. */
export interface ChoiceSource {
  key: readonly unknown[];
  read(client: Client, text: string, once: ReadOnce): Promise<Choice[]>;
}

/** Choices change rarely. In milliseconds. */
const staleTime = 60_000;

/** The choices for the text in a field, and whether they are on their way. */
export function useChoices({ key, read }: ChoiceSource, text: string) {
  const client = useClient();
  const queries = useQueryClient();
  const searched = useSettled(text.trim());
  const once: ReadOnce = (part, queryFn) =>
    queries.fetchQuery({ queryKey: ["choices", ...part], queryFn, staleTime });
  const query = useQuery({
    queryKey: ["choices", ...key, searched],
    queryFn: () => read(client, searched, once),
    placeholderData: keepPreviousData,
    staleTime,
  });
  const isBusy = query.isFetching || searched !== text.trim();
  const wanted = text.trim().toLowerCase();
  const choices = (query.data ?? []).filter(
    // Until they are there, the choices for the last text must not look like those for this one.
    ({ name, detail = "" }) => !isBusy || `${name}\n${detail}`.toLowerCase().includes(wanted),
  );
  return { choices, error: query.error, isBusy };
}

const beginsWith = (namePrefix: string) =>
  namePrefix === "" ? { orderBy: "name" } : { namePrefix };

/** The group and the groups below it. */
export const groupChoices = (group: string): ChoiceSource => ({
  key: ["groups", group],
  read: async (client, text) => {
    const request = { descendantsOf: group, ...beginsWith(text), pageSize: maxChoices };
    const [own, below] = await Promise.all([
      client.groups.list({ ids: [group] }).all(1),
      client.groups.list(request).all(maxChoices),
    ]);
    const groups = [...own.filter(({ name }) => name.startsWith(text.toLowerCase())), ...below];
    const paths = await groupPaths(client, groups);
    return groups.map(({ uid, name }) => ({ uid, name, detail: paths.get(uid) ?? "" }));
  },
});

/** The group, the groups below it, and the repositories in them. */
export const resourceChoices = (group: string): ChoiceSource => ({
  key: ["resources", group],
  read: async (client, text, once) => {
    const request = { descendantsOf: group, ...beginsWith(text), pageSize: maxChoices };
    const [groups, repos] = await Promise.all([
      groupChoices(group).read(client, text, once),
      client.repos.list(request).all(maxChoices),
    ]);
    return [
      ...groups.map((group) => ({ ...group, detail: `Group ${group.detail ?? ""}`.trim() })),
      ...repos.map(({ uid, name }) => ({ uid, name, detail: "Repository" })),
    ];
  },
});

/** The path of each group: the names of the groups above it, such as `acme.example / payments`. */
export async function groupPaths(
  client: Client,
  groups: readonly Group[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map(groups.map(({ uid, name }) => [uid, name]));
  const above = groups.flatMap(({ uid }) => pathOf(parentOf(uid)));
  const missing = [...new Set(above)].filter((uid) => !names.has(uid));
  // A URL has room for a few hundred uids.
  if (missing.length > 0) {
    const more = await client.groups.list({ ids: missing.slice(0, 100), pageSize: 100 }).all();
    for (const { uid, name } of more) names.set(uid, name);
  }
  const pathText = (uid: string) =>
    pathOf(parentOf(uid))
      .map((step) => names.get(step) ?? shortUid(step))
      .join(" / ");
  return new Map(groups.map(({ uid }) => [uid, pathText(uid)]));
}

/** The roles that can be bound on a group: the built-in ones, and those of the group and of the groups above it. */
export const roleChoices = (group: string): ChoiceSource => ({
  key: ["roles", group],
  read: async (client, text, once) => {
    const [builtIn, ...own] = await Promise.all([
      once(["built-in roles"], () =>
        client.roles.list({ inRoot: true, orderBy: "name", pageSize: 200 }).all(),
      ),
      ...pathOf(group).map((uid) =>
        client.roles
          .list({ childrenOf: uid, ...beginsWith(text), pageSize: maxChoices })
          .all(maxChoices),
      ),
    ]);
    const wanted = text.toLowerCase();
    const fitting = [
      ...builtIn.filter(({ name }) => name.startsWith(wanted)),
      ...builtIn.filter(({ name }) => name.includes(wanted) && !name.startsWith(wanted)),
    ];
    return [...own.toReversed().flat(), ...fitting].map(({ uid, name, description = "" }) => ({
      uid,
      name,
      detail: description || (parentOf(uid) === "" ? "Built-in role" : "Own role"),
    }));
  },
});

/** Which identities a picker suggests: those that can have a role on the group, or all of its organization. */
export type IdentityRange = "bindable" | "organization";

/** Workloads by the beginning of their name, and people by a part of their name or email address. */
export const identityChoices = (group: string, range: IdentityRange): ChoiceSource => ({
  key: ["identities", range === "bindable" ? group : rootOf(group), range],
  read: async (client, text, once) => {
    const organization = rootOf(group);
    const places =
      range === "bindable"
        ? pathOf(group).map((uid) => ({ childrenOf: uid }))
        : [{ descendantsOf: organization }];
    const [people, ...workloads] = await Promise.all([
      once(["people", organization], () => readPeople(client, organization)),
      ...places.map((scope) =>
        client.identities
          .list({ ...scope, ...beginsWith(text), pageSize: maxChoices })
          .all(maxChoices),
      ),
    ]);
    const wanted = text.toLowerCase();
    const isWanted = ({ name = "", email = "" }: RoleBindingIdentity) =>
      `${name}\n${email}`.toLowerCase().includes(wanted);
    const shown = people.filter(isWanted).slice(0, maxChoices);
    return [
      ...shown.map((person) => ({
        ...toChoice(person),
        detail: `Person ${person.email ?? ""}`.trim(),
      })),
      ...workloads
        .toReversed()
        .flat()
        .map((workload) => ({ ...toChoice(workload), detail: workload.description || "Workload" })),
    ];
  },
});

const toChoice = (identity: RoleBindingIdentity): Choice => ({
  uid: identity.uid ?? "",
  name: identityName(identity),
});

/** The identity with this uid as a choice, for a uid from the address. An empty uid is no choice. */
export function useIdentityChoice(group: string, uid: string): Choice | undefined {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["choices", "identity", uid],
    queryFn: async () => {
      if (!isPerson(uid)) return toChoice(await client.identities.get(uid));
      const people = await readPeople(client, rootOf(group));
      return toChoice(people.find((person) => person.uid === uid) ?? { uid });
    },
    enabled: uid !== "",
    staleTime,
  });
  return uid === "" ? undefined : (data ?? { uid, name: shortUid(uid) });
}

/** The role with this uid as a choice. */
export function useRoleChoice(uid: string): Choice | undefined {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["choices", "role", uid],
    queryFn: () => client.roles.get(uid),
    enabled: uid !== "",
    staleTime,
  });
  return uid === "" ? undefined : { uid, name: data?.name ?? shortUid(uid) };
}

/** The group with this uid as a choice. */
export function useGroupChoice(uid: string): Choice | undefined {
  const { data } = useGroup(uid);
  return uid === "" ? undefined : { uid, name: data?.name ?? shortUid(uid) };
}
