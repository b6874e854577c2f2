/** A small organization with random groups, identities, roles, bindings and mappings, and random writes to it. */
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { step } from "../../contract/fixtures.ts";
import { newOrganization, newUser, type Organization } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { randomNumbers } from "../../world/random.ts";
import { newIdentityProvider } from "../identity_providers/openid_provider.ts";

/** The capabilities of the random roles. */
export const pool = [
  Capability.CAP_REPO_LIST,
  Capability.CAP_REPO_CREATE,
  Capability.CAP_TAG_LIST,
  Capability.CAP_TAG_CREATE,
  Capability.CAP_IAM_GROUPS_LIST,
] as const;

export interface SmallWorld {
  organization: Organization;
  random: () => number;
  groups: string[];
  providers: string[];
  people: string[];
}

export const oneOf = <T>({ random }: SmallWorld, items: readonly T[]): T => {
  const one = items[Math.floor(random() * items.length)];
  if (one === undefined) throw new Error("nothing to choose from");
  return one;
};

export const someCapabilities = (world: SmallWorld): number[] => {
  const some = pool.filter(() => world.random() < 0.5);
  return some.length > 0 ? some : [pool[0]];
};

const insertIdentity = `insert into identities (uid, name, last_seen_time, create_time, update_time,
  relationship_type, relationship) values (?, ?, 1, 1, 1, ?, ?)`;

/** Creates the organization. The same seed makes the same choices. */
export async function newSmallWorld(seed: number): Promise<SmallWorld> {
  const organization = await newOrganization("small");
  const world: SmallWorld = {
    ...{ organization, random: randomNumbers(seed) },
    ...{ groups: [organization.uid], providers: [], people: [] },
  };
  for (let at = 0; at < 6; at++) {
    const above = world.groups.filter((group) => group.length < 40 + 3 * 17);
    const uid = `${oneOf(world, above)}/${step()}`;
    const insert = "insert into groups (uid, name, create_time, update_time) values (?, ?, 1, 1)";
    await sql(insert, uid, `group-${at}`);
    world.groups.push(uid);
  }
  for (let at = 0; at < 3; at++) world.people.push((await newUser()).uid);
  for (let at = 0; at < 4; at++) {
    const subject = { issuer: "https://issuer.example", subject: `s-${step()}` };
    const match = JSON.stringify({ case: "claimMatch", value: subject });
    const [type, relationship] = at % 2 === 0 ? [1, match] : [0, null];
    await sql(
      insertIdentity,
      `${oneOf(world, world.groups)}/${step()}`,
      `bot ${at}`,
      type,
      relationship,
    );
  }
  for (let at = 0; at < 4; at++) {
    await sql(
      "insert into roles (uid, name, capabilities, create_time, update_time) values (?, ?, ?, 1, 1)",
      `${oneOf(world, at < 3 ? [organization.uid] : world.groups)}/${step()}`,
      `role ${at}`,
      JSON.stringify(someCapabilities(world)),
    );
  }
  for (let at = 0; at < 2; at++) {
    const uid = oneOf(world, world.groups.slice(0, 3));
    world.providers.push((await newIdentityProvider({ ...organization, uid })).uid);
  }
  for (let at = 0; at < 14; at++) await insertBinding(world);
  for (let at = 0; at < 5; at++) await insertMapping(world);
  return world;
}

export interface Rows {
  groups: string[];
  identities: { uid: string; relationship: string | null }[];
  roles: { uid: string; capabilities: number[] }[];
  bindings: { uid: string; parent: string; identity: string; role: string; accepted: number }[];
  mappings: { uid: string; parent: string; external: string; role: string; scope: string }[];
}

/** All rows of the organization that decide about access, in the order in which they were created. */
export async function readRows({ organization, people }: SmallWorld): Promise<Rows> {
  const { uid } = organization;
  const within = [uid, `${uid}0`];
  const named = `uid in (${people.map((one) => `'${one}'`).join()}) or`;
  const [groups, identities, roles, bindings, mappings] = await Promise.all([
    sql<{ uid: string }>(
      "select uid from groups where uid >= ? and uid < ? order by rowid",
      ...within,
    ),
    sql<Rows["identities"][number]>(
      `select uid, relationship from identities where ${named} uid >= ? and uid < ? order by rowid`,
      ...within,
    ),
    sql<{ uid: string; capabilities: string }>(
      "select uid, capabilities from roles where uid >= ? and uid < ? or parent = '' order by rowid",
      ...within,
    ),
    sql<Rows["bindings"][number]>(
      `select uid, parent, identity_uid as identity, role_uid as role, accepted
       from role_bindings where uid >= ? and uid < ? order by rowid`,
      ...within,
    ),
    sql<Rows["mappings"][number]>(
      `select uid, parent, external_group_id as external, role_uid as role, scope
       from external_group_role_mappings where uid >= ? and uid < ? order by rowid`,
      ...within,
    ),
  ]);
  return {
    groups: groups.map((one) => one.uid),
    roles: roles.map((one) => ({ ...one, capabilities: JSON.parse(one.capabilities) })),
    ...{ identities, bindings, mappings },
  };
}

/** A binding of any age: bindings above the home of an identity, and those that wait for a person, are stored too. */
async function insertBinding(world: SmallWorld): Promise<void> {
  const { identities, roles } = await readRows(world);
  await sql(
    `insert or ignore into role_bindings (uid, identity_uid, role_uid, accepted, create_time, update_time)
     values (?, ?, ?, ?, 1, 1)`,
    `${oneOf(world, world.groups)}/${step()}`,
    oneOf(world, identities).uid,
    oneOf(
      world,
      roles.filter(({ uid }) => uid.length > 40),
    ).uid,
    world.random() < 0.8 ? 1 : 0,
  );
}

async function insertMapping(world: SmallWorld): Promise<void> {
  const { roles } = await readRows(world);
  await sql(
    `insert or ignore into external_group_role_mappings
       (uid, external_group_id, role_uid, scope, create_time, update_time) values (?, ?, ?, ?, 1, 1)`,
    `${oneOf(world, world.providers)}/${step()}`,
    oneOf(world, ["developers", "admins"]),
    oneOf(
      world,
      roles.filter(({ uid }) => uid.length === 57),
    ).uid,
    world.organization.uid,
  );
}
