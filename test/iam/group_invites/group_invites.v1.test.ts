import { beforeEach, describe, expect, test } from "vitest";
import {
  createResource,
  newOrganization,
  newUser,
  type Organization,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { listedIds, resourceCalls } from "../../world/resource_calls.ts";

let organization: Organization;
let token: string;
let viewer: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  viewer = await roleUid("viewer");
});

const { list, post } = resourceCalls("/iam/v1/group_invites", () => token);
const invite = async (body: object = {}, group = organization.uid) =>
  (await post(group, { role: viewer, ttl: "3600s", ...body })).body;
const v2 = async (id: string) => (await callRest(`/iam/v2/groupInvites/${id}`, { token })).body;

describe("an invite", () => {
  test("is returned with its code and role, stored without the code, and equals that of version 2", async () => {
    const role = await createResource(`/iam/v1/roles/${organization.uid}`, token, {
      ...{ name: "r", description: "d", capabilities: ["tag.list", "repo.list"] },
    });
    const given = { email: "Ann@Corp.example", singleUse: true };
    const body = await invite({ ...given, role: role.id, keyId: "ignored" });
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
    const rows = [
      await sql("select * from group_invites where uid = ?", body.id),
      await sql("select * from events where subject = ?", body.id),
    ];
    expect(JSON.stringify(rows)).not.toContain(body.code.split(".")[1]);
    const accepted = { token: (await newUser()).token, body: { code: body.code } };
    expect((await callRest("/iam/v2/groupInvites:accept", accepted)).status).toBe(403);
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
});

describe("a list of invites", () => {
  test("can be filtered by group, id and key id, and by all of them together", async () => {
    const group = (await createResource(`/iam/v1/groups/${organization.uid}`, token, { name: "g" }))
      .id;
    const [above, below] = [await invite(), await invite({}, group as string)];
    const everything = [below.id, above.id];
    expect(listedIds(await list(`group=${organization.uid}`))).toEqual(everything);
    expect(listedIds(await list(`group=${group}`))).toEqual([below.id]);
    expect(listedIds(await list(`id=${above.id}`))).toEqual([above.id]);
    expect(listedIds(await list(`keyId=${below.keyId}`))).toEqual([below.id]);
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
      expect([query, answer.status, listedIds(answer)]).toEqual([query, 200, expected]);
    }
  });
});
