import { beforeEach, describe, expect, test } from "vitest";
import { GroupsService, OrgKind } from "../../../schema/gen/platform/iam/v2/groups_pb.js";
import { plantedDigest } from "../../paging/tree.ts";
import {
  createResource,
  makeOperator,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  randomName,
  roleUid,
} from "../../world/personas.ts";
import { callRest, clientOf, requestInfo, sql, tokenFor } from "../../world/platform.ts";
import { violatedField } from "../../world/resource_calls.ts";
import { identityProviderBody } from "../identity_providers/openid_provider.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const post = (path: string, body: unknown, as = token) => callRest(path, { token: as, body });
const get = (path: string, as = token) => callRest(path, { token: as });
const patch = (path: string, body: unknown) => callRest(path, { method: "PATCH", token, body });
const remove = (path: string) => callRest(path, { method: "DELETE", token });

async function nest(depth: number): Promise<string[]> {
  const path = [organization.uid];
  for (let level = 1; level <= depth; level += 1) {
    path.push(
      (await createResource(`/iam/v2/groups/${path.at(-1)}`, token, { name: `l${level}` })).uid,
    );
  }
  return path;
}

describe("an organization", () => {
  test.each(["/iam/v2/groups", "/iam/v2/groups/"])(
    "can be created by a user at %s",
    async (path) => {
      const user = await newUser();
      const name = randomName("made");
      const { status, body } = await post(path, { name, description: "d" }, user.token);
      expect(status).toBe(200);
      expect(body).toEqual({
        uid: expect.stringMatching(/^[0-9a-f]{40}$/),
        name,
        description: "d",
        verified: false,
        keysDisabled: false,
        status: "ORG_STATUS_READY",
        createTime: body.updateTime,
        updateTime: expect.any(String),
        etag: expect.any(String),
      });
      expect((await get(`/iam/v2/groups/${body.uid}`, user.token)).body).toEqual(body);
    },
  );

  test("belongs to its creator from the start, through a role binding", async () => {
    const { body } = await get(`/iam/v2/roleBindings?uidp.children_of=${organization.uid}`);
    expect(body.roleBindings).toHaveLength(1);
    expect(body.roleBindings[0]).toMatchObject({
      identity: { uid: organization.owner.uid },
      group: { uid: organization.uid },
      role: { name: "owner" },
    });
  });

  test("cannot be created by an identity of a group, or with a narrowed token", async () => {
    const before = await sql("select count(*) as n from groups where name = 'never made'");
    const bot = await newIdentity(organization, "owner");
    const narrowed = await tokenFor(organization.owner.uid, { scopes: [organization.uid] });
    const fewer = await tokenFor(organization.owner.uid, { capabilities: [103] });
    for (const as of [bot.token, narrowed, fewer]) {
      const { status, body } = await post("/iam/v2/groups", { name: "never made" }, as);
      expect([status, body.code]).toEqual([403, 7]);
    }
    expect((await callRest("/iam/v2/groups", { body: { name: "never made" } })).status).toBe(401);
    expect(await sql("select count(*) as n from groups where name = 'never made'")).toEqual(before);
  });

  test("can have the name of others until it is verified", async () => {
    const other = await newUser();
    const { status } = await post("/iam/v2/groups", { name: organization.name }, other.token);
    expect(status).toBe(200);
  });

  test("cannot be created as verified", async () => {
    const refused = await post("/iam/v2/groups", { name: randomName("v"), verified: true });
    expect(refused.status).toBe(403);
  });
});

describe("the parent of a group", () => {
  test("can be named by uid, by the end of its uid, or by name", async () => {
    const path = await nest(3);
    const [, second = "", third = "", fourth = ""] = path;
    const ends = [
      [third, third],
      [third.slice(-16), third],
      [third.slice(41), third],
      [fourth.slice(41), fourth],
      [fourth.slice(-33), fourth],
      [encodeURIComponent(fourth.slice(41)), fourth],
      ["l1", second],
      [encodeURIComponent(organization.name), organization.uid],
    ];
    for (const [index, [named, parent]] of ends.entries()) {
      const { status, body } = await post(`/iam/v2/groups/${named}`, { name: `child${index}` });
      expect([named, status]).toEqual([named, 200]);
      expect(body.uid.slice(0, -17)).toBe(parent);
    }
  });

  test("that matches several groups is rejected, and its uid works", async () => {
    const [, one = ""] = await nest(1);
    await createResource(`/iam/v2/groups/${one}`, token, { name: "twin" });
    await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "twin" });
    const { status, body } = await post("/iam/v2/groups/twin", { name: "child" });
    expect([status, body.code]).toEqual([400, 3]);
    expect(violatedField(body)).toBe("parent");
    expect(
      await sql("select uid from groups where name = 'child' and ancestor0 = ?", organization.uid),
    ).toEqual([]);
  });

  test("is not found among the groups of others, and theirs do not hide it", async () => {
    const other = await newOrganization();
    await createResource(`/iam/v2/groups/${other.uid}`, other.owner.token, { name: "theirs" });
    expect((await post("/iam/v2/groups/theirs", { name: "child" })).status).toBe(403);
    expect((await post(`/iam/v2/groups/${other.uid.slice(-16)}`, { name: "x" })).status).toBe(403);
    await sql(
      "insert into groups (uid, name, create_time, update_time) select printf('%040x', value), 'shared', 1, 1 from json_each(?)",
      JSON.stringify(Array.from({ length: 1100 }, (_, index) => index + 1)),
    );
    const shared = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "shared",
    });
    const { body } = await post("/iam/v2/groups/shared", { name: "child" });
    expect(body.uid.slice(0, -17)).toBe(shared.uid);
  });

  test("requires the capability there, in any spelling", async () => {
    const [, group = ""] = await nest(1);
    const viewer = await newIdentity(organization, "viewer");
    for (const named of [group, group.slice(-16), "l1", "no-such-name", "%25", "l_"]) {
      expect((await post(`/iam/v2/groups/${named}`, { name: "x" }, viewer.token)).status).toBe(403);
    }
  });
});

describe("below the organization", () => {
  test("a subgroup keeps the organization's kind if a mask clears it", async () => {
    await patch(`/iam/v2/groups/${organization.uid}`, { kind: "ORG_KIND_CUSTOMER" });
    const { body } = await post(`/iam/v2/groups/${organization.uid}`, { name: "g" });
    const at = `/iam/v2/groups/${body.uid}`;
    const kind = "ORG_KIND_CUSTOMER";
    const all = await patch(`${at}?updateMask=*`, { name: "all" });
    expect([all.status, all.body.name, all.body.kind]).toEqual([200, "all", kind]);
    const client = clientOf(GroupsService, organization.owner.token);
    const group = { uid: body.uid, name: "over connect" };
    const updateMask = { paths: ["*"] };
    expect((await client.updateGroup({ group, updateMask })).kind).toBe(OrgKind.CUSTOMER);
    const other = await patch(`${at}?updateMask=*`, { name: "all", kind: "ORG_KIND_DEV" });
    expect(violatedField(other.body)).toBe("kind");
  });

  test("names are unique among siblings, and status and kind are the organization's", async () => {
    await patch(`/iam/v2/groups/${organization.uid}`, { kind: "ORG_KIND_CUSTOMER" });
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "g" });
    expect([group.kind, group.status]).toEqual(["ORG_KIND_CUSTOMER", "ORG_STATUS_READY"]);
    expect((await post(`/iam/v2/groups/${organization.uid}`, { name: "g" })).status).toBe(409);
    expect((await post(`/iam/v2/groups/${group.uid}`, { name: "g" })).status).toBe(200);
    const kind = await post(`/iam/v2/groups/${organization.uid}`, {
      name: "k",
      kind: "ORG_KIND_DEV",
    });
    expect(violatedField(kind.body)).toBe("kind");
    const changed = await patch(`/iam/v2/groups/${group.uid}`, { kind: "ORG_KIND_DEV" });
    expect(violatedField(changed.body)).toBe("kind");
    await patch(`/iam/v2/groups/${organization.uid}`, { kind: "ORG_KIND_STARTER" });
    expect((await get(`/iam/v2/groups/${group.uid}`)).body.kind).toBe("ORG_KIND_STARTER");
  });

  test("a client cannot set resource limits and status", async () => {
    const { body } = await post(`/iam/v2/groups/${organization.uid}`, {
      name: "g",
      resourceLimits: { clusters: 99 },
      status: "ORG_STATUS_SUSPENDED",
    });
    expect(body).not.toHaveProperty("resourceLimits");
    expect(body.status).toBe("ORG_STATUS_READY");
  });
});

describe("the field verified", () => {
  const path = () => `/iam/v2/groups/${organization.uid}`;

  test("can be set only by the operator, and only on an organization", async () => {
    expect((await patch(path(), { verified: true })).status).toBe(403);
    expect((await get(path())).body.verified).toBe(false);
    await makeOperator(organization);
    expect((await patch(path(), { verified: true })).body.verified).toBe(true);
    const [, group = ""] = await nest(1);
    const refused = await patch(`/iam/v2/groups/${group}`, { verified: true });
    expect(violatedField(refused.body)).toBe("verified");
  });

  test("protects the name: a new name is rejected, and other changes are accepted", async () => {
    await makeOperator(organization);
    await patch(path(), { verified: true });
    const renamed = await patch(path(), { name: randomName("new") });
    expect([renamed.status, renamed.body.code]).toEqual([400, 9]);
    expect(renamed.body.details[0].reason).toBe("FAILED_PRECONDITION");
    expect(renamed.body.details[1].violations[0]).toMatchObject({
      type: "VERIFIED",
      subject: organization.uid,
    });
    expect((await get(path())).body.name).toBe(organization.name);
    expect((await patch(path(), { description: "d", name: organization.name })).status).toBe(200);
  });

  test("makes a name unique among organizations", async () => {
    await makeOperator(organization);
    const owner = organization.owner.uid;
    const second = await createResource("/iam/v2/groups", token, { name: organization.name });
    await sql(
      "insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) values (?, ?, ?, 1, 1)",
      `${second.uid}/00000000000000aa`,
      owner,
      await roleUid("operator"),
    );
    expect((await patch(path(), { verified: true })).status).toBe(200);
    const refused = await patch(`/iam/v2/groups/${second.uid}`, { verified: true });
    expect([refused.status, refused.body.code]).toEqual([409, 6]);
  });
});

describe("the deletion of a group", () => {
  const children: [kind: string, path: string, body: () => object | Promise<object>][] = [
    ["groups", "/iam/v2/groups", () => ({ name: "c" })],
    ["identities", "/iam/v2/identities", () => ({ name: "c" })],
    ["roles", "/iam/v2/roles", () => ({ name: "c", capabilities: ["CAP_REPO_LIST"] })],
    ["repos", "/registry/v2/repos", () => ({ name: "c" })],
    ["identity providers", "/iam/v2/identityProviders", identityProviderBody],
    ["account associations", "/iam/v2/accountAssociations", () => ({ name: "c" })],
    [
      "group invites",
      "/iam/v2/groupInvites",
      async () => ({ roleUid: await roleUid("viewer"), ttl: "60s" }),
    ],
  ];
  const plant = async (group: string, [, path, body]: (typeof children)[number]) =>
    createResource(`${path}/${group}`, token, await body());

  test.each(children)("that has %s is rejected and names them", async (...child) => {
    const [kind] = child;
    const [, group = ""] = await nest(1);
    await plant(group, child);
    const { status, body } = await remove(`/iam/v2/groups/${group}`);
    expect(status).toBe(400);
    expect(body).toEqual({
      code: 9,
      message: `Precondition failed: cannot delete group with child ${kind}`,
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "FAILED_PRECONDITION",
          domain: "iam.platform.example",
        },
        {
          "@type": "type.googleapis.com/google.rpc.PreconditionFailure",
          violations: [
            {
              type: "RESOURCE_NOT_EMPTY",
              subject: group,
              description: `cannot delete group with child ${kind}`,
            },
          ],
        },
        requestInfo,
      ],
    });
    expect((await get(`/iam/v2/groups/${group}`)).status).toBe(200);
  });

  test("names every kind of child that prevents it", async () => {
    const [, group = ""] = await nest(1);
    for (const child of children) await plant(group, child);
    const { body } = await remove(`/iam/v2/groups/${group}`);
    const descriptions = body.details[1].violations.map(
      (one: { description: string }) => one.description,
    );
    expect(descriptions.sort()).toEqual(
      children.map(([kind]) => `cannot delete group with child ${kind}`).sort(),
    );
  });

  test("works again once the last child is deleted, and deletes its role bindings", async () => {
    const [, group = ""] = await nest(1);
    const repo = await createResource(`/registry/v2/repos/${group}`, token, { name: "r" });
    await createResource(`/registry/v2/tags/${repo.uid}`, token, {
      name: "latest",
      digest: plantedDigest(1),
    });
    await createResource(`/iam/v2/roleBindings/${group}`, token, {
      identityUid: organization.owner.uid,
      roleUid: await roleUid("viewer"),
    });
    expect((await remove(`/iam/v2/groups/${group}`)).status).toBe(400);
    expect(await sql("select uid from role_bindings where parent = ?", group)).toHaveLength(1);
    await remove(`/registry/v2/repos/${repo.uid}`);
    const gone = await remove(`/iam/v2/groups/${group}`);
    expect([gone.status, gone.body]).toEqual([200, undefined]);
    expect((await get(`/iam/v2/groups/${group}`)).status).toBe(404);
    expect(await sql("select uid from role_bindings where parent = ?", group)).toEqual([]);
    expect((await remove(`/iam/v2/groups/${group}`)).status).toBe(404);
  });

  test("works in the same way for an organization, and its owner without a remaining grant is denied", async () => {
    expect((await remove(`/iam/v2/groups/${organization.uid}`)).status).toBe(200);
    expect((await get(`/iam/v2/groups/${organization.uid}`)).status).toBe(403);
    expect(
      await sql("select uid from role_bindings where ancestor0 = ?", organization.uid),
    ).toEqual([]);
  });
});
