/**
 * The role bindings and access that are deleted with a group. Every other child keeps the group from being
 * deleted.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { OWNER_ROLE } from "../../../schema/tables/iam/roles.ts";
import { mapGroup, newProvider, newScimUser } from "../../issuer/login/logins.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql, tokenFor } from "../../world/platform.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const remove = (as = token, uid = organization.uid) =>
  callRest(`/iam/v2/groups/${uid}`, { method: "DELETE", token: as });

/** The kinds of children that an error names. */
async function blockedBy(as = token, uid = organization.uid): Promise<string[]> {
  const { status, body } = await remove(as, uid);
  expect(status, JSON.stringify(body)).toBe(400);
  return body.details[1].violations.map(({ description }: { description: string }) =>
    description.replace("cannot delete group with child ", ""),
  );
}

const tables = [
  ...["groups", "identities", "roles", "role_bindings", "identity_providers"],
  ...["external_group_role_mappings", "scim_users", "terms_acceptances"],
];

/** The tables with rows of the organization, including the group itself and its totals. */
async function leftOf({ uid }: Organization) {
  const rows = await Promise.all(
    tables.map(async (table) => {
      const found = await sql(
        `select 1 from ${table} where uid = ? or uid like ? || '/%'`,
        uid,
        uid,
      );
      return found.length > 0 ? [table] : [];
    }),
  );
  const totals = await sql(
    "select kind from counts where ancestor = ? and (children <> 0 or descendants <> 0)",
    uid,
  );
  return [...rows.flat(), ...totals];
}

const newRole = async (capabilities: string[]) =>
  (
    await createResource(`/iam/v2/roles/${organization.uid}`, token, {
      name: randomName("role"),
      capabilities,
    })
  ).uid;

const bind = (identityUid: string, role: string, group = organization.uid) =>
  createResource(`/iam/v2/roleBindings/${group}`, token, { identityUid, roleUid: role });

describe("an identity of the organization", () => {
  test("that owns it is deleted with it, so the last owner can delete it", async () => {
    const bot = await newIdentity(organization, "owner");
    await sql(
      "delete from role_bindings where parent = ? and identity_uid = ?",
      organization.uid,
      organization.owner.uid,
    );
    expect((await remove(bot.token)).status).toBe(200);
    expect(await leftOf(organization)).toEqual([]);
    expect((await remove(bot.token)).status).toBe(401);
  });

  test("is deleted with it by any caller if it is an owner, and a sibling that is not an owner is not", async () => {
    await newIdentity(organization, "owner");
    const viewer = await newIdentity(organization, "viewer");
    const unbound = await newIdentity(organization, undefined);
    for (const { uid } of [viewer, unbound]) {
      expect(await blockedBy()).toEqual(["identities"]);
      await callRest(`/iam/v2/identities/${uid}`, { method: "DELETE", token });
    }
    expect((await remove()).status).toBe(200);
    expect(await leftOf(organization)).toEqual([]);
  });

  test("that owns only a group below, or has a pending binding, prevents the deletion", async () => {
    const { uid: group } = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "g",
    });
    const bot = await newIdentity(organization, undefined);
    await bind(bot.uid, OWNER_ROLE, group);
    const waiting = await newIdentity(organization, "owner");
    await sql("update role_bindings set accepted = 0 where identity_uid = ?", waiting.uid);
    expect((await remove(token, group)).status).toBe(200);
    expect(await blockedBy()).toEqual(["identities"]);
    await callRest(`/iam/v2/identities/${bot.uid}`, { method: "DELETE", token });
    expect(await blockedBy()).toEqual(["identities"]);
  });

  test("that the caller's token was exchanged from is deleted with it, without any binding", async () => {
    const first = await newIdentity(organization, undefined);
    const second = await newIdentity(organization, "owner");
    const chain = [{ sub: first.uid }, { sub: second.uid }];
    expect(await blockedBy()).toEqual(["identities"]);
    const assumed = await tokenFor(second.uid, { chain } as never);
    expect((await remove(assumed)).status).toBe(200);
    expect(await leftOf(organization)).toEqual([]);
  });
});

describe("a role of the organization", () => {
  test("that lets someone delete the group is deleted too, with all their access there", async () => {
    const bot = await newIdentity(organization, undefined);
    await bind(bot.uid, await newRole(["CAP_IAM_GROUPS_DELETE"]));
    await bind(bot.uid, await newRole(["CAP_REPO_LIST"]));
    expect((await remove(bot.token)).status).toBe(200);
    expect(await leftOf(organization)).toEqual([]);
  });

  test("that no one has, or only someone who cannot delete the group, prevents the deletion", async () => {
    const role = await newRole(["CAP_REPO_LIST"]);
    expect(await blockedBy()).toEqual(["roles"]);
    const { uid: group } = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "g",
    });
    const bot = await newIdentity(organization, undefined, { group });
    expect((await blockedBy()).sort()).toEqual(["groups", "roles"]);
    await callRest(`/iam/v2/identities/${bot.uid}`, { method: "DELETE", token });
    await remove(token, group);
    expect(await blockedBy()).toEqual(["roles"]);
    await callRest(`/iam/v2/roles/${role}`, { method: "DELETE", token });
    expect((await remove()).status).toBe(200);
  });
});

describe("an identity provider of the organization", () => {
  const issuer = "https://id.example";
  const personOf = async (provider: string, claims: object = {}) => {
    const { uid } = organization.owner;
    const chain = [{ sub: uid, idp: provider }];
    return tokenFor(uid, { idp: provider, chain, scopes: [organization.uid], ...claims } as never);
  };

  test("of the caller's login is deleted with its mappings, users and roles, and another prevents the deletion", async () => {
    const role = await newRole(["CAP_REPO_LIST"]);
    const mapped = await newRole(["CAP_TAG_LIST"]);
    const provider = await newProvider(organization.uid, { issuer, default_role: role });
    const other = await newProvider(organization.uid, { issuer });
    await mapGroup(provider, "staff", mapped, organization.uid);
    await newScimUser(provider, "ada");
    const login = await personOf(provider);
    expect(await blockedBy(login)).toEqual(["identity providers"]);
    await callRest(`/iam/v2/identityProviders/${other}`, { method: "DELETE", token });
    expect((await blockedBy()).sort()).toEqual(["identity providers", "roles"]);
    expect((await remove(login)).status).toBe(200);
    expect(await leftOf(organization)).toEqual([]);
    expect((await remove(login)).status).toBe(401);
  });

  test("whose mapping alone gives the caller access is deleted with it", async () => {
    const provider = await newProvider(organization.uid, { issuer });
    const role = await newRole(["CAP_IAM_GROUPS_DELETE"]);
    await mapGroup(provider, "admins", role, organization.uid);
    await sql("delete from role_bindings where parent = ?", organization.uid);
    const login = await personOf(provider, { groups: ["admins"] });
    expect((await remove(login)).status).toBe(200);
    expect(await leftOf(organization)).toEqual([]);
  });

  test("that is deleted with it ends the refresh tokens of the people who signed in through it", async () => {
    const provider = await newProvider(organization.uid, { issuer });
    const { uid } = organization.owner;
    await sql("insert into sign_ins values (?, ?, 1, 1)", provider, uid);
    await sql(
      `insert into refresh_tokens (digest, family, identity_uid, identity_provider_uid, claims, create_time, expire_time)
       values (?, 'family', ?, ?, '{}', 1, 9e12)`,
      provider,
      uid,
      provider,
    );
    expect((await remove(await personOf(provider))).status).toBe(200);
    expect(await sql("select 1 from sign_ins where identity_provider_uid = ?", provider)).toEqual(
      [],
    );
  });
});

describe("a caller who can delete the group, and not its contents,", () => {
  /** A caller with these capabilities at a group below the organization, and a token. */
  async function newJanitor(capabilities: string[]) {
    const { uid: group } = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: randomName("g"),
    });
    const janitor = await newIdentity(organization, undefined);
    await bind(janitor.uid, await newRole(capabilities), group);
    const bot = await newIdentity(organization, undefined, { group });
    await bind(bot.uid, OWNER_ROLE, group);
    return { group, janitor, bot };
  }

  test.each(["v1", "v2"])("deletes no identity of others with it (%s)", async (version) => {
    const { group, janitor, bot } = await newJanitor(["CAP_IAM_GROUPS_DELETE"]);
    for (const path of [`identities/${bot.uid}`, `groups/${group}`]) {
      const { status } = await callRest(`/iam/${version}/${path}`, {
        method: "DELETE",
        token: janitor.token,
      });
      expect(status).toBe(path.startsWith("groups") ? 400 : 403);
    }
    expect(await blockedBy(janitor.token, group)).toEqual(["identities"]);
    const narrow = await tokenFor(organization.owner.uid, {
      capabilities: [Capability.CAP_IAM_GROUPS_DELETE],
    } as never);
    expect(await blockedBy(narrow, group)).toEqual(["identities"]);
    expect(await sql("select 1 from identities where uid = ?", bot.uid)).toHaveLength(1);
  });

  test("deletes no role of others with it, until the caller can delete roles too", async () => {
    const { group, janitor, bot } = await newJanitor([
      "CAP_IAM_GROUPS_DELETE",
      "CAP_IAM_IDENTITY_DELETE",
    ]);
    const capabilities = ["CAP_REPO_LIST"];
    const { uid: role } = await createResource(`/iam/v2/roles/${group}`, token, {
      name: "r",
      capabilities,
    });
    await bind(bot.uid, role, group);
    expect(await blockedBy(janitor.token, group)).toEqual(["roles"]);
    await bind(janitor.uid, await newRole(["CAP_IAM_ROLES_DELETE"]), group);
    expect((await remove(janitor.token, group)).status).toBe(200);
    expect(await sql("select 1 from identities where uid = ?", bot.uid)).toEqual([]);
  });
});

test("version 1 deletes it in the same way, and emits one event", async () => {
  const bot = await newIdentity(organization, "owner");
  const path = `/iam/v1/groups/${organization.uid}`;
  expect((await callRest(path, { method: "DELETE", token: bot.token })).status).toBe(200);
  expect(await leftOf(organization)).toEqual([]);
  const events = await sql<{ type: string }>(
    "select type from events where json_extract(data, '$.actor.subject') = ?",
    bot.uid,
  );
  expect(events).toEqual([{ type: "dev.vendor.api.iam.group.deleted.v1" }]);
});

test("an identity created while its group is deleted is deleted with it, or prevents the deletion", async () => {
  for (let round = 0; round < 8; round++) {
    const { uid } = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: `g${round}`,
    });
    const [made, deleted] = await Promise.all([
      callRest(`/iam/v2/identities/${uid}`, { token, body: { name: "late" } }),
      remove(token, uid),
    ]);
    const there = await sql("select 1 from groups where uid = ?", uid);
    const members = await sql("select 1 from identities where parent = ?", uid);
    expect([made.status === 200, deleted.status === 200]).toContain(true);
    expect(members.length).toBe(there.length === 0 ? 0 : 1);
  }
});

test("the owner of an organization above can delete a group and none of their own identities", async () => {
  const { uid } = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "g" });
  const bot = await newIdentity(organization, undefined, { group: uid });
  await bind(bot.uid, await roleUid("owner"), uid);
  expect((await remove(token, uid)).status).toBe(200);
  expect(await sql("select 1 from identities where uid = ?", bot.uid)).toEqual([]);
});
