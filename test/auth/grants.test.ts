/** The access that a binding, a role and the place of an identity give, starting with the next call. */
import { beforeAll, describe, expect, test } from "vitest";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  type Persona,
  randomName,
  roleUid,
} from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";

let organization: Organization;
let owner: string;
beforeAll(async () => {
  organization = await newOrganization();
  owner = organization.owner.token;
});

const newGroup = (parent: string) =>
  createResource(`/iam/v2/groups/${parent}`, owner, { name: randomName("group") });
const newRepo = (parent: string) =>
  createResource(`/registry/v2/repos/${parent}`, owner, { name: randomName("repo") });
const bind = (group: string, identityUid: string, roleUid: string) =>
  createResource(`/iam/v2/roleBindings/${group}`, owner, { identityUid, roleUid });

const statusOf = async (path: string, { token }: Persona) =>
  (await callRest(path, { token })).status;
const repoStatus = (repo: { uid: string }, who: Persona) =>
  statusOf(`/registry/v2/repos/${repo.uid}`, who);
const listed = async (who: Persona, query = "") => {
  const { body } = await callRest(`/registry/v2/repos${query}`, { token: who.token });
  return (body.repos ?? []).map((repo: { uid: string }) => repo.uid);
};

describe("at the next call", () => {
  test("a new binding counts, and a deleted binding does not", async () => {
    const repo = await newRepo(organization.uid);
    const bot = await newIdentity(organization, undefined);
    expect(await repoStatus(repo, bot)).toBe(403);
    for (let round = 0; round < 3; round += 1) {
      const binding = await bind(organization.uid, bot.uid, await roleUid("viewer"));
      expect(await repoStatus(repo, bot)).toBe(200);
      const path = `/iam/v2/roleBindings/${binding.uid}`;
      expect((await callRest(path, { method: "DELETE", token: owner })).status).toBe(200);
      expect(await repoStatus(repo, bot)).toBe(403);
    }
  });

  test("a binding counts with its new role or identity", async () => {
    const repo = await newRepo(organization.uid);
    const [one, other] = [
      await newIdentity(organization, undefined),
      await newIdentity(organization, undefined),
    ];
    const { uid } = await bind(organization.uid, one.uid, await roleUid("viewer"));
    const patch = (body: unknown) =>
      callRest(`/iam/v2/roleBindings/${uid}`, { method: "PATCH", token: owner, body });
    expect(await repoStatus(repo, one)).toBe(200);
    expect((await patch({ identityUid: other.uid })).status).toBe(200);
    expect([await repoStatus(repo, one), await repoStatus(repo, other)]).toEqual([403, 200]);
    expect((await patch({ roleUid: await roleUid("advisories.viewer") })).status).toBe(200);
    expect(await repoStatus(repo, other)).toBe(403);
  });

  test("an added capability of a custom role counts, and a removed one does not", async () => {
    const repo = await newRepo(organization.uid);
    const capabilities = ["CAP_REPO_LIST"];
    const role = await createResource(`/iam/v2/roles/${organization.uid}`, owner, {
      name: randomName("role"),
      capabilities,
    });
    const bot = await newIdentity(organization, undefined);
    await bind(organization.uid, bot.uid, role.uid);
    const change = (body: unknown) =>
      callRest(`/iam/v2/roles/${role.uid}`, { method: "PATCH", token: owner, body });
    const describeRepo = async () =>
      (
        await callRest(`/registry/v2/repos/${repo.uid}`, {
          method: "PATCH",
          token: bot.token,
          body: { description: "d" },
        })
      ).status;
    expect(await describeRepo()).toBe(403);
    await change({ capabilities: [...capabilities, "CAP_REPO_UPDATE"] });
    expect(await describeRepo()).toBe(200);
    await change({ capabilities });
    expect(await describeRepo()).toBe(403);
    expect(await repoStatus(repo, bot)).toBe(200);
  });

  test("the token of a deleted identity is UNAUTHENTICATED", async () => {
    const repo = await newRepo(organization.uid);
    const bot = await newIdentity(organization, "viewer");
    expect(await repoStatus(repo, bot)).toBe(200);
    const path = `/iam/v2/identities/${bot.uid}`;
    expect((await callRest(path, { method: "DELETE", token: owner })).status).toBe(200);
    for (const at of [`/registry/v2/repos/${repo.uid}`, "/registry/v2/repos", `/iam/v2/roles`]) {
      const { status, body } = await callRest(at, { token: bot.token });
      expect(status).toBe(401);
      expect(body.message).toContain("identity of the token no longer exists");
    }
    expect(await sql("select uid from role_bindings where identity_uid = ?", bot.uid)).toEqual([]);
  });
});

test.each([
  { bindings: 300, roles: 300 },
  { bindings: 1200, roles: 30 },
])(
  "a caller has the last of $bindings bindings of $roles roles too",
  async ({ bindings, roles }) => {
    const { uid } = await newGroup(organization.uid);
    const bot = await newIdentity(organization, undefined);
    // Of all these roles, only the last one has a capability, and of all these groups, the last one has the repository.
    const role = (at: string) => `${uid} || '/' || printf('%016x', 1 + ${at})`.replace(uid, "?1");
    await sql(
      `insert into roles (uid, name, capabilities, create_time, update_time)
     select ${role("value")}, 'many ' || value, iif(value = ?2 - 1, ?3, '[]'), 1, 1
     from (with recursive n(value) as (select 0 union all select value + 1 from n where value < ?2 - 1) select value from n)`,
      ...[uid, roles, JSON.stringify([Capability.CAP_REPO_LIST])],
    );
    const groups = bindings / roles;
    const at = await Promise.all(Array.from({ length: groups }, () => newGroup(uid)));
    const sorted = at.map((one) => one.uid).sort();
    await sql(
      `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
     select "group".value || '/' || printf('%016x', n.value), ?3, ${role("n.value")}, 1, 1
     from json_each(?4) as "group", (with recursive n(value) as (
       select 0 union all select value + 1 from n where value < ?2 - 1) select value from n) as n
     where n.value < ?2 - 1 or "group".key = ?5`,
      ...[uid, roles, bot.uid, JSON.stringify(sorted), groups - 1],
    );
    const repo = await newRepo(sorted.at(-1) ?? "");
    await newRepo(sorted[0] === sorted.at(-1) ? uid : (sorted[0] ?? ""));
    expect(await listed(bot)).toEqual([repo.uid]);
  },
);

describe("a binding counts on its group and below", () => {
  test("and not above it or next to it", async () => {
    const [group, sibling] = [await newGroup(organization.uid), await newGroup(organization.uid)];
    const below = await newGroup(group.uid);
    const [here, deeper, above, beside] = await Promise.all(
      [group.uid, below.uid, organization.uid, sibling.uid].map(newRepo),
    );
    const bot = await newIdentity(organization, "viewer", { bindAt: group.uid });
    for (const [repo, status] of [
      [here, 200],
      [deeper, 200],
      [above, 403],
      [beside, 403],
    ] as const) {
      expect(await repoStatus(repo as { uid: string }, bot)).toBe(status);
    }
    expect((await listed(bot)).sort()).toEqual([here?.uid, deeper?.uid].sort());
  });

  test("and two bindings count together for RPCs that need two capabilities", async () => {
    const repo = await newRepo(organization.uid);
    const roles = await Promise.all(
      ["CAP_REPO_LIST", "CAP_MANIFEST_METADATA_LIST"].map((capability) =>
        createResource(`/iam/v2/roles/${organization.uid}`, owner, {
          name: randomName("role"),
          capabilities: [capability],
        }),
      ),
    );
    const bot = await newIdentity(organization, undefined);
    const path = `/registry/v2/repos/${repo.uid}/digests/sha256:${"0".repeat(64)}/architectures`;
    const statuses = [await statusOf(path, bot)];
    for (const role of roles) {
      await bind(organization.uid, bot.uid, role.uid);
      statuses.push(await statusOf(path, bot));
    }
    expect(statuses).toEqual([403, 403, 404]);
  });
});

describe("an identity created in a subgroup", () => {
  /** A repository in the root, in the subgroup and in its sibling, and a bot below the subgroup. */
  async function setUp() {
    const [group, sibling] = [await newGroup(organization.uid), await newGroup(organization.uid)];
    const [root, inside, beside] = [
      await newRepo(organization.uid),
      await newRepo(group.uid),
      await newRepo(sibling.uid),
    ];
    const bot = await newIdentity(organization, undefined, { group: group.uid });
    return { group, sibling, root, inside, beside, bot };
  }

  test("reaches nothing else with a binding on its subgroup", async () => {
    const { group, root, inside, beside, bot } = await setUp();
    await bind(group.uid, bot.uid, await roleUid("owner"));
    expect(await repoStatus(inside, bot)).toBe(200);
    expect(await repoStatus(root, bot)).toBe(403);
    expect(await repoStatus(beside, bot)).toBe(403);
  });

  test("cannot be bound on a sibling group, and would reach nothing there", async () => {
    const { sibling, root, beside, inside, bot } = await setUp();
    const refused = await callRest(`/iam/v2/roleBindings/${sibling.uid}`, {
      token: owner,
      body: { identityUid: bot.uid, roleUid: await roleUid("owner") },
    });
    expect(refused.status).toBe(400);
    expect(refused.body.details[1].fieldViolations[0].field).toBe("identity_uid");
    await sql(
      "insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) values (?, ?, ?, 1, 1)",
      `${sibling.uid}/${"1".repeat(16)}`,
      bot.uid,
      await roleUid("owner"),
    );
    for (const repo of [root, beside, inside]) expect(await repoStatus(repo, bot)).toBe(403);
    expect(await statusOf("/registry/v2/repos", bot)).toBe(403);
  });
});
