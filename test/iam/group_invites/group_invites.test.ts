import { beforeEach, describe, expect, test } from "vitest";
import {
  createResource,
  newOrganization,
  type Organization,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { resourceCalls, violatedField } from "../../world/resource_calls.ts";

let organization: Organization;
let token: string;
let path: string;
let viewer: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  path = `/iam/v2/groupInvites/${organization.uid}`;
  viewer = await roleUid("viewer");
});

const post = (body: object, as = token, at = path) =>
  callRest(at, { token: as, body: { roleUid: viewer, ttl: "3600s", ...body } });
const { get, patch, list } = resourceCalls("/iam/v2/groupInvites", () => token);
const invite = async (body: object = {}) => (await post(body)).body;

const newRole = (capabilities: string[], group = organization.uid) =>
  createResource(`/iam/v2/roles/${group}`, token, {
    name: `r-${randomUid()}`,
    description: "d",
    capabilities,
  });
const minutes = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 60_000;

describe("an invite", () => {
  test("is returned with its role, and later in the same form without the code", async () => {
    const role = await newRole(["CAP_TAG_LIST", "CAP_REPO_LIST"]);
    const given = { roleUid: role.uid, email: "Ann@Corp.example", singleUse: true };
    const { status, body } = await post({ ...given, uid: "ignored", keyId: "ignored" });
    expect(status).toBe(200);
    expect(body).toEqual({
      uid: expect.stringMatching(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`)),
      ...given,
      role: {
        uid: role.uid,
        name: role.name,
        description: "d",
        capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"],
      },
      code: expect.stringMatching(/^[0-9a-f]{16}\.[A-Za-z0-9_-]{43}$/),
      keyId: body.code.split(".")[0],
      expirationTime: expect.any(String),
      createTime: expect.any(String),
      updateTime: body.createTime,
      etag: expect.any(String),
    });
    expect(minutes(body.createTime, body.expirationTime)).toBe(60);
    const { code: _, ...rest } = body;
    expect((await get(body.uid)).body).toEqual(rest);
    expect((await list(`uidp.children_of=${organization.uid}`)).body.groupInvites).toEqual([rest]);
  });

  test("is shown without its role once the role is deleted", async () => {
    const role = await newRole(["CAP_REPO_LIST"]);
    const { uid } = await invite({ roleUid: role.uid });
    await callRest(`/iam/v2/roles/${role.uid}`, { method: "DELETE", token });
    const { status, body } = await get(uid);
    expect(status).toBe(200);
    expect(body).not.toHaveProperty("role");
    expect(body.roleUid).toBe(role.uid);
  });
});

test("the code is in the create's response and nowhere else", async () => {
  const { uid, code } = await invite();
  const secret = code.split(".")[1];
  const expected = [
    (await get(uid)).body,
    (await list(`uidp.children_of=${organization.uid}`)).body,
    (await patch(uid, { email: "b@c.example" })).body,
    await sql("select * from events where group_uid = ?", organization.uid),
    await sql("select * from group_invites where uid = ?", uid),
  ];
  expect(expected).toHaveLength(5);
  expect(JSON.stringify(expected)).not.toContain(secret);
});

describe("an invite is rejected", () => {
  test("for a role of another organization, or of a group below", async () => {
    const other = await newOrganization();
    const foreign = await createResource(`/iam/v2/roles/${other.uid}`, other.owner.token, {
      name: "r",
      capabilities: ["CAP_REPO_LIST"],
    });
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "below",
    });
    const below = await newRole(["CAP_REPO_LIST"], group.uid);
    for (const { uid } of [foreign, below]) {
      expect(violatedField((await post({ roleUid: uid })).body)).toBe("role_uid");
    }
    const there = await post({ roleUid: below.uid }, token, `/iam/v2/groupInvites/${group.uid}`);
    expect(there.status).toBe(200);
  });
});

describe("an update of an invite", () => {
  test("changes the named fields, and the code stays", async () => {
    const { code: _, ...before } = await invite({ email: "a@b.example" });
    const { body } = await patch(
      before.uid,
      { singleUse: true, email: "x@y.example" },
      token,
      "?updateMask=singleUse",
    );
    const { updateTime, etag } = body;
    expect(body).toEqual({ ...before, singleUse: true, updateTime, etag });
    expect(Date.parse(body.updateTime)).toBeGreaterThan(Date.parse(before.updateTime));
    const cleared = await patch(before.uid, { email: "" });
    expect(cleared.body).not.toHaveProperty("email");
    expect(cleared.body).toMatchObject({ keyId: before.keyId, singleUse: true });
  });

  test("with a ttl counts the ttl from now", async () => {
    const { uid } = await invite();
    const { body } = await patch(uid, { ttl: "86400s" });
    expect(body).not.toHaveProperty("ttl");
    expect(minutes(body.updateTime, body.expirationTime)).toBeCloseTo(24 * 60, 1);
    expect((await get(uid)).body).toEqual(body);
  });

  test.each([
    ["?updateMask=*", { roleUid: "viewer" }, "ttl"],
    ["?updateMask=ttl", {}, "ttl"],
    ["?updateMask=role_uid", {}, "role_uid"],
    ["", { email: "nobody" }, "email"],
    ["?updateMask=code_digest", {}, "update_mask"],
  ])("with %s and %j is rejected", async (query, given, field) => {
    const { uid } = await invite();
    const role = "roleUid" in given ? { roleUid: viewer } : {};
    const { status, body } = await patch(uid, { ...given, ...role }, token, query);
    expect(status).toBe(400);
    expect(violatedField(body)).toBe(field);
  });
});

describe("a list of invites", () => {
  test("is newest first, or by key id or expiry on request", async () => {
    const [first, second] = [await invite({ ttl: "7200s" }), await invite()];
    const uids = async (query: string) =>
      (await list(`uidp.descendants_of=${organization.uid}&${query}`)).body.groupInvites?.map(
        ({ uid }: { uid: string }) => uid,
      );
    expect(await uids("")).toEqual([second.uid, first.uid]);
    expect(await uids("order_by=create_time")).toEqual([first.uid, second.uid]);
    expect(await uids("order_by=expiration_time")).toEqual([second.uid, first.uid]);
    expect(await uids(`key_id=${first.keyId}`)).toEqual([first.uid]);
    expect(await uids("key_id=0")).toBeUndefined();
  });
});
