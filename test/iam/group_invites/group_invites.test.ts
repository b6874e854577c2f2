import { beforeEach, describe, expect, test } from "vitest";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { withoutDecisionId } from "../../contract/decisions.ts";
import { allCapabilities, newContractCaller } from "../../contract/fixtures.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

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
const get = (uid: string, as = token) => callRest(`/iam/v2/groupInvites/${uid}`, { token: as });
const patch = (uid: string, body: object, as = token, query = "") =>
  callRest(`/iam/v2/groupInvites/${uid}${query}`, { method: "PATCH", token: as, body });
const remove = (uid: string, as = token) =>
  callRest(`/iam/v2/groupInvites/${uid}`, { method: "DELETE", token: as });
const list = (query: string, as = token) =>
  callRest(`/iam/v2/groupInvites?${query}`, { token: as });
const invite = async (body: object = {}) => (await post(body)).body;

const newRole = (capabilities: string[], group = organization.uid) =>
  createResource(`/iam/v2/roles/${group}`, token, {
    name: `r-${randomUid()}`,
    description: "d",
    capabilities,
  });
const violation = (body: { details: { fieldViolations?: { field: string }[] }[] }) =>
  body.details[1]?.fieldViolations?.[0]?.field;
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

  test("prevents the deletion of the group until it is deleted", async () => {
    const { uid } = await invite();
    const group = { method: "DELETE", token };
    expect(
      (await callRest(`/iam/v2/groups/${organization.uid}`, group)).body.details[1],
    ).toMatchObject({
      violations: [{ type: "RESOURCE_NOT_EMPTY" }],
    });
    expect((await remove(uid)).status).toBe(200);
    expect((await callRest(`/iam/v2/groups/${organization.uid}`, group)).status).toBe(200);
  });

  test("no longer exists after it was deleted", async () => {
    const { uid } = await invite();
    expect((await remove(uid)).status).toBe(200);
    expect((await get(uid)).status).toBe(404);
    expect((await remove(uid)).status).toBe(404);
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
  test.each([
    ["without a ttl", { ttl: undefined }, "ttl"],
    ["with a ttl of nothing", { ttl: "0s" }, "ttl"],
    ["with a negative ttl", { ttl: "-1s" }, "ttl"],
    ["that outlives ten years", { ttl: "315360001s" }, "ttl"],
    ["with no address for an e-mail", { email: "ann" }, "email"],
    ["without a role", { roleUid: "" }, "role_uid"],
    ["for an unknown role", { roleUid: "0".repeat(40) }, "role_uid"],
  ])("%s", async (_, given, field) => {
    const { status, body } = await post(given);
    expect(status).toBe(400);
    expect(violation(body)).toBe(field);
  });

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
      expect(violation((await post({ roleUid: uid })).body)).toBe("role_uid");
    }
    const there = await post({ roleUid: below.uid }, token, `/iam/v2/groupInvites/${group.uid}`);
    expect(there.status).toBe(200);
  });

  test("for a caller with fewer capabilities than the role, on create and on every update", async () => {
    const strong = await newRole(["CAP_REPO_LIST", "CAP_REPO_DELETE"]);
    const all = allCapabilities.filter((one) => one !== Capability.CAP_REPO_DELETE);
    const less = await newContractCaller(organization.uid, all);
    expect((await post({ roleUid: strong.uid }, less.token)).status).toBe(403);
    const [theirs, plain] = [await invite({ roleUid: strong.uid }), await invite()];
    for (const [uid, change] of [
      [theirs.uid, { ttl: "7200s" }],
      [theirs.uid, { email: "" }],
      [plain.uid, { roleUid: strong.uid }],
    ]) {
      expect((await patch(uid, change, less.token)).status).toBe(403);
    }
    expect((await patch(plain.uid, { ttl: "7200s" }, less.token)).status).toBe(200);
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
    expect(body).toEqual({ ...before, singleUse: true, updateTime: body.updateTime });
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
    expect(violation(body)).toBe(field);
  });

  test("does not change the output-only fields", async () => {
    const { uid, code, ...before } = await invite();
    const change = {
      keyId: "0",
      code: "x",
      expirationTime: "2000-01-01T00:00:00Z",
      email: "a@b.example",
    };
    const { body } = await patch(uid, change);
    expect(body).toMatchObject({ keyId: before.keyId, expirationTime: before.expirationTime });
    expect(body).not.toHaveProperty("code");
  });

  test("loses no change if another runs at the same time", async () => {
    const { uid } = await invite();
    const [one, two] = await Promise.all([
      patch(uid, { singleUse: true }),
      patch(uid, { email: "a@b.example" }),
    ]);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect((await get(uid)).body).toMatchObject({ singleUse: true, email: "a@b.example" });
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

  test("shows nothing to another organization, not even by key id", async () => {
    const { keyId } = await invite();
    const other = await newOrganization();
    const { body } = await list(`key_id=${keyId}`, other.owner.token);
    expect(body).toMatchObject({ totalCount: "0" });
    expect(body).not.toHaveProperty("groupInvites");
  });
});

test("a viewer cannot invite, and a stranger does not learn that an invite exists", async () => {
  const bot = await newIdentity(organization, "viewer");
  const stranger = await newUser();
  expect((await post({}, bot.token)).status).toBe(403);
  const { uid } = await invite();
  const refusals = await Promise.all(
    [uid, `${organization.uid}/${"0".repeat(16)}`].map((at) => get(at, stranger.token)),
  );
  expect(refusals.map(({ status }) => status)).toEqual([403, 403]);
  expect(withoutDecisionId(refusals[0]?.body)).toBe(withoutDecisionId(refusals[1]?.body));
});
