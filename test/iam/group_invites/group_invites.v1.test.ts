import { beforeEach, describe, expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";

let organization: Organization;
let token: string;
let viewer: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  viewer = await roleUid("viewer");
});

const at = (id: string) => `/iam/v1/group_invites/${id}`;
const post = (body: object = {}, as = token, group = organization.uid) =>
  callRest(at(group), { token: as, body: { role: viewer, ttl: "3600s", ...body } });
const remove = (id: string, as = token) => callRest(at(id), { method: "DELETE", token: as });
const list = (query: string, as = token) =>
  callRest(`/iam/v1/group_invites?${query}`, { token: as });
const invite = async (body: object = {}, group = organization.uid) =>
  (await post(body, token, group)).body;
const v2 = async (id: string) => (await callRest(`/iam/v2/groupInvites/${id}`, { token })).body;
const accept = (code: string, as: string) =>
  callRest("/iam/v2/groupInvites:accept", { token: as, body: { code } });
const ids = ({ body }: { body: { items?: { id: string }[] } }) =>
  (body.items ?? []).map(({ id }) => id);
const violations = (body: { details: { fieldViolations?: { field: string }[] }[] }) =>
  body.details[1]?.fieldViolations?.map(({ field }) => field);

describe("an invite", () => {
  test("is returned with its code and role, stored without the code, and equals that of version 2", async () => {
    const role = await createResource(`/iam/v1/roles/${organization.uid}`, token, {
      ...{ name: "r", description: "d", capabilities: ["tag.list", "repo.list"] },
    });
    const given = { email: "Ann@Corp.example", singleUse: true };
    const { status, body } = await post({ ...given, role: role.id, keyId: "ignored" });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`)),
      expiration: expect.any(String),
      keyId: body.code.split(".")[0],
      role,
      code: expect.stringMatching(/^[0-9a-f]{16}\.[A-Za-z0-9_-]{43}$/),
    });
    const stored = await v2(body.id);
    expect(stored).toMatchObject({ uid: body.id, roleUid: role.id, ...given });
    expect([stored.expirationTime, stored.keyId]).toEqual([body.expiration, body.keyId]);
    const { code: _, ...shown } = body;
    const createdAt = stored.createTime;
    expect((await list(`id=${body.id}`)).body.items).toEqual([{ ...shown, ...given, createdAt }]);
    expect(Date.parse(body.expiration) - Date.parse(createdAt)).toBe(3_600_000);
  });

  test("of version 2 is listed, and one of version 1 lets people join", async () => {
    const made = await createResource(`/iam/v2/groupInvites/${organization.uid}`, token, {
      ...{ roleUid: viewer, ttl: "60s" },
    });
    expect(ids(await list(""))).toEqual([made.uid]);
    const { code, id } = await invite({ singleUse: true });
    const guest = await newUser();
    const joined = await accept(code, guest.token);
    expect(joined.body).toMatchObject({ identity: { uid: guest.uid }, role: { uid: viewer } });
    expect(await list(`id=${id}`)).toMatchObject({ status: 200, body: {} });
  });

  test("is shown without its role once the role is deleted", async () => {
    const body = { name: "r", capabilities: ["repo.list"] };
    const role = await createResource(`/iam/v1/roles/${organization.uid}`, token, body);
    const { id } = await invite({ role: role.id });
    await callRest(`/iam/v1/roles/${role.id}`, { method: "DELETE", token });
    const [item] = (await list(`id=${id}`)).body.items;
    expect(item).toMatchObject({ id });
    expect(item).not.toHaveProperty("role");
  });

  test("an invite's code is in the response only, and its event has only id and expiration", async () => {
    const { id, code, expiration } = await invite({ email: "a@b.example" });
    const storedEvents = await sql<{ data: string }>("select * from events where subject = ?", id);
    expect(storedEvents).toMatchObject([
      {
        type: "dev.vendor.api.iam.group_invite.created.v1",
        source: "http://localhost:8787/iam/v1/group_invites",
        body_type: "platform.iam.GroupInvite",
        group_uid: organization.uid,
      },
    ]);
    expect(JSON.parse(storedEvents[0]?.data ?? "").body).toEqual({ id, expiration });
    const rows = await sql("select * from group_invites where uid = ?", id);
    const all = JSON.stringify([storedEvents, rows, (await list("")).body]);
    expect(all).not.toContain(code.split(".")[1]);
  });

  test.each([
    ["without a ttl", { ttl: undefined }, "ttl"],
    ["with a ttl of nothing", { ttl: "0s" }, "ttl"],
    ["that outlives ten years", { ttl: "315360001s" }, "ttl"],
    ["with no address for an e-mail", { email: "ann" }, "email"],
    ["without a role", { role: "" }, "role"],
    ["for an unknown role", { role: "0".repeat(40) }, "role"],
    ["for a role that is malformed", { role: "viewer" }, "role"],
  ])("%s is rejected with the names of version 1", async (_, given, field) => {
    const { status, body } = await post(given);
    expect([status, violations(body)]).toEqual([400, [field]]);
    expect(body.message).not.toContain("_uid");
    expect(await sql("select uid from group_invites where parent = ?", organization.uid)).toEqual(
      [],
    );
  });

  test("to an unknown group, to another's, or with more capabilities than the caller has, is rejected", async () => {
    expect(violations((await post({}, token, "nope")).body)).toEqual(["group"]);
    const missing = `${organization.uid}/${"0".repeat(16)}`;
    expect((await post({}, token, missing)).status).toBe(404);
    expect((await post({}, token, (await newOrganization()).uid)).status).toBe(403);
    const limited = await newIdentity(organization, "limited_owner");
    const owner = await roleUid("owner");
    expect((await post({ role: owner }, limited.token)).status).toBe(403);
  });

  test("no longer exists after it was deleted, and a second delete is NOT_FOUND", async () => {
    const { id, code } = await invite();
    expect((await remove(id)).status).toBe(200);
    expect((await accept(code, (await newUser()).token)).status).toBe(404);
    expect((await remove(id)).status).toBe(404);
    expect(violations((await remove("nope")).body)).toEqual(["id"]);
  });
});

describe("a list of invites", () => {
  test("is complete, the newest first", async () => {
    await sql(
      "insert into group_invites (uid, role_uid, expiration_time, key_id, code_digest, create_time, update_time) select ? || printf('/%016x', value), ?, 1, ? || value, 'x', value, 1 from json_each(?)",
      organization.uid,
      viewer,
      randomUid(),
      JSON.stringify(Array.from({ length: 230 }, (_, index) => index + 1)),
    );
    const newest = (await invite()).id;
    const answer = await list(`group=${organization.uid}`);
    expect(Object.keys(answer.body)).toEqual(["items"]);
    expect(answer.body.items).toHaveLength(231);
    expect(ids(answer)[0]).toBe(newest);
    expect(costOf(answer).roundTrips).toBe(1);
    expect(ids(await list(""))).toEqual(ids(answer));
  });

  test("can be filtered by group, id and key id, and by all of them together", async () => {
    const group = (await createResource(`/iam/v1/groups/${organization.uid}`, token, { name: "g" }))
      .id;
    const [above, below] = [await invite(), await invite({}, group as string)];
    const everything = [below.id, above.id];
    expect(ids(await list(`group=${organization.uid}`))).toEqual(everything);
    expect(ids(await list(`group=${group}`))).toEqual([below.id]);
    expect(ids(await list(`id=${above.id}`))).toEqual([above.id]);
    expect(ids(await list(`keyId=${below.keyId}`))).toEqual([below.id]);
    for (const [query, expected] of [
      [`group=${group}&id=${below.id}&key_id=${below.keyId}`, [below.id]],
      [`group=${organization.uid}&id=${below.id}`, [below.id]],
      [`group=${group}&id=${above.id}`, []],
      [`group=${group}&key_id=${above.keyId}`, []],
      [`id=${above.id}&key_id=${below.keyId}`, []],
      [`key_id=${randomUid()}`, []],
      [`id=${organization.uid}/${"0".repeat(16)}`, []],
      [`group=${organization.uid}/${"0".repeat(16)}`, []],
    ] as const) {
      const answer = await list(query);
      expect([query, answer.status, ids(answer)]).toEqual([query, 200, expected]);
    }
  });

  test("rejects a text that is not a uid, and shows nothing to another organization", async () => {
    expect(violations((await list("group=nope")).body)).toEqual(["group"]);
    expect(violations((await list("id=nope")).body)).toEqual(["id"]);
    expect(violations((await list(`group=nope&id=${randomUid()}`)).body)).toEqual(["group"]);
    const { id, keyId } = await invite();
    const other = (await newOrganization()).owner.token;
    expect(await list(`key_id=${keyId}`, other)).toMatchObject({ status: 200, body: {} });
    for (const query of [`id=${id}`, `group=${organization.uid}`, `group=${randomUid()}`]) {
      expect((await list(query, other)).status).toBe(403);
    }
  });
});
