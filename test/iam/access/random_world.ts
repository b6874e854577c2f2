/** Random organizations with every kind of row that decides about access, written to D1 in bulk. */
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { sql } from "../../world/platform.ts";
import { randomNumbers } from "../../world/random.ts";

/** The capabilities that the roles of these organizations choose from. */
export const someCapabilities = [
  Capability.CAP_REPO_LIST,
  Capability.CAP_REPO_DELETE,
  Capability.CAP_TAG_LIST,
  Capability.CAP_IAM_GROUPS_LIST,
];

/** The capabilities of those who may ask about others. */
export const askCapabilities = [
  Capability.CAP_IAM_ROLE_BINDINGS_LIST,
  Capability.CAP_IAM_IDENTITY_LIST,
  Capability.CAP_IAM_ROLES_LIST,
  Capability.CAP_IAM_IDENTITY_PROVIDERS_LIST,
];

export interface Role {
  uid: string;
  capabilities: number[];
}

export interface Binding {
  uid: string;
  group: string;
  identity: string;
  role: Role;
  accepted: boolean;
}

export interface Mapping {
  uid: string;
  provider: string;
  externalGroup: string;
  scope: string;
  role: Role;
}

export interface Provider {
  uid: string;
  group: string;
  provisions: boolean;
  /** The people who have come in through the provider, and those whom it has as active users. */
  seen: string[];
  active: string[];
}

/** One organization. `people` come from outside, and `bots` belong to its groups. */
export interface World {
  uid: string;
  groups: string[];
  /** Repositories in these groups. A role can be on one. */
  repos: string[];
  people: { uid: string; hasIssuer: boolean }[];
  bots: string[];
  roles: Role[];
  bindings: Binding[];
  mappings: Mapping[];
  providers: Provider[];
  /** An identity of the organization that may ask about others everywhere in it. */
  admin: string;
}

/** Pseudorandom choices from a seed, so that a failure can be repeated. */
export function newRandom(seed: number) {
  const next = randomNumbers(seed);
  const below = (count: number) => Math.floor(next() * count);
  return {
    below,
    isLikely: (share: number) => next() < share,
    pick<T>(list: readonly T[]): T {
      const one = list[below(list.length)];
      if (one === undefined) throw new Error("nothing to pick from");
      return one;
    },
    some: <T>(list: readonly T[], share = 0.5) => list.filter(() => next() < share),
    hex: (digits: number) => Array.from({ length: digits }, () => below(16).toString(16)).join(""),
  };
}

export type Random = ReturnType<typeof newRandom>;

function newGroups(random: Random, uid: string): string[] {
  const groups = [uid];
  const count = random.below(6);
  for (let made = 0; made < count; made += 1) {
    const parent = random.pick(groups.filter((group) => group.length <= 40 + 17 * 3));
    groups.push(`${parent}/${random.hex(16)}`);
  }
  return groups;
}

function newProviders(random: Random, groups: string[], people: string[]): Provider[] {
  return Array.from({ length: random.below(3) }, () => {
    const group = random.pick(groups);
    const seen = random.some(people, 0.6);
    return {
      uid: `${group}/${random.hex(16)}`,
      group,
      provisions: random.isLikely(0.6),
      seen,
      active: random.some(seen),
    };
  });
}

function newBindings(
  random: Random,
  {
    groups,
    repos,
    roles,
    people,
    bots,
  }: Omit<World, "bindings" | "mappings" | "providers" | "admin">,
) {
  const taken = new Set<string>();
  const everyone = [...people.map(({ uid }) => uid), ...bots];
  return Array.from({ length: random.below(9) }, (): Binding | undefined => {
    const [group, identity, role] = [
      random.pick([...groups, ...repos]),
      random.pick(everyone),
      random.pick(roles),
    ];
    const key = `${identity} ${group} ${role.uid}`;
    if (taken.has(key)) return undefined;
    taken.add(key);
    // Stored rows, because a call creates no role binding above its identity or next to it.
    const accepted = identity.includes("/") || random.isLikely(0.7);
    return { uid: `${group}/${random.hex(16)}`, group, identity, role, accepted };
  }).filter((one) => one !== undefined);
}

/** A random organization. Nothing is written yet. */
export function newWorld(random: Random): World {
  const uid = random.hex(40);
  const groups = newGroups(random, uid);
  const repos = random.some(groups).map((group) => `${group}/${random.hex(16)}`);
  const people = Array.from({ length: 1 + random.below(3) }, () => ({
    uid: random.hex(40),
    hasIssuer: random.isLikely(0.7),
  }));
  const bots = Array.from(
    { length: 1 + random.below(3) },
    () => `${random.pick(groups)}/${random.hex(16)}`,
  );
  const roles = Array.from({ length: 1 + random.below(3) }, () => ({
    uid: `${random.pick(groups)}/${random.hex(16)}`,
    capabilities: [...random.some(someCapabilities), Capability.CAP_LIBRARIES_ENTITLEMENTS_LIST],
  }));
  const bindings = newBindings(random, { uid, groups, repos, people, bots, roles });
  const providers = newProviders(
    random,
    groups,
    people.map((one) => one.uid),
  );
  const mappings = providers.flatMap((provider) =>
    random.some(["admins", "readers"]).map(
      (externalGroup): Mapping => ({
        uid: `${provider.uid}/${random.hex(16)}`,
        provider: provider.uid,
        externalGroup,
        scope: uid,
        role: random.pick(roles),
      }),
    ),
  );
  const admin = `${uid}/${random.hex(16)}`;
  const asking = { uid: `${uid}/${random.hex(16)}`, capabilities: askCapabilities };
  bindings.push({
    uid: `${uid}/${random.hex(16)}`,
    group: uid,
    identity: admin,
    role: asking,
    accepted: true,
  });
  return {
    uid,
    groups,
    repos,
    people,
    bots: [...bots, admin],
    roles: [...roles, asking],
    bindings,
    mappings,
    providers,
    admin,
  };
}

const insert = (table: string, columns: string[], rows: unknown[][]) =>
  rows.length === 0
    ? Promise.resolve([])
    : sql(
        `insert into ${table} (${columns.join(", ")}) select ${columns
          .map((_, at) => `value ->> ${at}`)
          .join(", ")} from json_each(?)`,
        JSON.stringify(rows),
      );

/** Writes organizations to D1, a statement for each table. */
export async function store(worlds: World[]): Promise<void> {
  const times = ["create_time", "update_time"];
  const rowsOf = (of: (world: World) => unknown[][]) => worlds.flatMap(of);
  const byDepth = rowsOf(({ groups }) => groups.map((uid) => [uid, uid.slice(-16), 1, 1])).toSorted(
    (a, b) => String(a[0]).length - String(b[0]).length,
  );
  await insert("groups", ["uid", "name", ...times], byDepth);
  const repositories = rowsOf(({ repos }) => repos.map((uid) => [uid, uid.slice(-16), 1, 1]));
  await insert("repos", ["uid", "name", ...times], repositories);
  const people = rowsOf((world) =>
    world.people.map(({ uid, hasIssuer }) => [
      uid,
      "person",
      1,
      hasIssuer ? "https://people.example" : null,
      hasIssuer ? uid : null,
      1,
      1,
    ]),
  );
  const bots = rowsOf((world) => world.bots.map((uid) => [uid, "bot", 1, null, null, 1, 1]));
  const identity = ["uid", "name", "last_seen_time", "issuer", "subject", ...times];
  await insert("identities", identity, [...people, ...bots]);
  await insert(
    "roles",
    ["uid", "name", "capabilities", ...times],
    rowsOf(({ roles }) =>
      roles.map(({ uid, capabilities }) => [
        uid,
        uid.slice(-16),
        JSON.stringify(capabilities.toSorted((a, b) => a - b)),
        1,
        1,
      ]),
    ),
  );
  await insert(
    "role_bindings",
    ["uid", "identity_uid", "role_uid", "accepted", ...times],
    rowsOf(({ bindings }) =>
      bindings.map((one) => [one.uid, one.identity, one.role.uid, one.accepted ? 1 : 0, 1, 1]),
    ),
  );
  await insert(
    "identity_providers",
    ["uid", "name", "default_role", "issuer", "client_id", "scim_enabled", ...times],
    rowsOf(({ providers }) =>
      providers.map(({ uid, provisions }) => [
        uid,
        uid.slice(-16),
        "",
        "https://people.example",
        "client",
        provisions ? 1 : 0,
        1,
        1,
      ]),
    ),
  );
  await insert(
    "sign_ins",
    ["identity_provider_uid", "identity_uid", "create_time", "last_time"],
    rowsOf(({ providers }) =>
      providers.flatMap(({ uid, seen }) => seen.map((person) => [uid, person, 1, 1])),
    ),
  );
  await insert(
    "scim_users",
    ["uid", "user_name", "user_name_key", "active", "identity_uid", "attributes", ...times],
    rowsOf(({ providers }) =>
      providers.flatMap(({ uid, seen, active }) =>
        seen.map((person) => [
          `${uid}/${person.slice(0, 16)}`,
          person,
          person,
          active.includes(person) ? 1 : 0,
          person,
          "{}",
          1,
          1,
        ]),
      ),
    ),
  );
  await insert(
    "external_group_role_mappings",
    ["uid", "external_group_id", "role_uid", "scope", ...times],
    rowsOf(({ mappings }) =>
      mappings.map((one) => [one.uid, one.externalGroup, one.role.uid, one.scope, 1, 1]),
    ),
  );
}
