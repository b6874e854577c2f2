import { beforeEach, describe, expect, test } from "vitest";
import { withoutDecisionId } from "../../contract/decisions.ts";
import { allCapabilities, newContractCaller } from "../../contract/fixtures.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import { newIdentityProvider } from "./openid_provider.ts";

const root = "/iam/v1/externalGroupRoleMappings";
const rootV2 = "/iam/v2/externalGroupRoleMappings";

let organization: Organization;
let token: string;
let idp: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  idp = (await newIdentityProvider(organization)).uid;
});

const mapping = async (more: object = {}) => ({
  externalGroupId: "devs",
  roleUidp: await roleUid("viewer"),
  scope: organization.uid,
  ...more,
});
const create = async (more: object = {}, parent = idp, as = token) =>
  callRest(`${root}/${parent}`, { token: as, body: await mapping(more) });
const get = (id: string, as = token) => callRest(`${root}/${id}`, { token: as });
const remove = (id: string) => callRest(`${root}/${id}`, { method: "DELETE", token });
const batchDelete = (ids: string[], parentId = idp) =>
  callRest(`${root}:batchDelete`, { token, body: { parentId, ids } });
const idsOf = async (query: string) => {
  const { status, body } = await callRest(`${root}?${query}`, { token });
  expect(status, JSON.stringify(body)).toBe(200);
  return ((body.items ?? []) as { id: string }[]).map(({ id }) => id);
};
const fieldsOf = (body: { details: { fieldViolations?: { field: string }[] }[] }) =>
  body.details.flatMap((one) => one.fieldViolations ?? []).map(({ field }) => field);
const events = (subject: string) =>
  sql<{ type: string; source: string; body_type: string; data: string; extensions: string }>(
    "select * from events where subject = ? and type like '%mappings%' order by time",
    subject,
  );
const unknown = "0".repeat(16);

test("a mapping is the same in both versions, whichever created it", async () => {
  const { status, body } = await create();
  expect(status, JSON.stringify(body)).toBe(200);
  const { id, createdAt } = body;
  expect(id).toMatch(new RegExp(`^${idp}/[0-9a-f]{16}$`));
  const given = await mapping();
  expect(body).toEqual({ ...given, id, identityProviderUidp: idp, createdAt });
  expect((await get(id)).body).toEqual(body);
  const { roleUidp, externalGroupId, scope } = given;
  expect((await callRest(`${rootV2}/${id}`, { token })).body).toEqual({
    ...{ uid: id, identityProviderUid: idp, externalGroupId, roleUid: roleUidp, scope },
    ...{ createTime: createdAt, updateTime: createdAt },
  });
  const other = { externalGroupId: "ops", roleUid: roleUidp, scope };
  const { uid, createTime } = await createResource(`${rootV2}/${idp}`, token, other);
  expect((await get(uid)).body).toEqual({
    ...{ ...given, externalGroupId: "ops", id: uid, identityProviderUidp: idp },
    createdAt: createTime,
  });
  expect((await create({ externalGroupId: "ops" })).status).toBe(409);
});

test("an unknown mapping is empty for a read, and NOT_FOUND for a write", async () => {
  const gone = `${idp}/${unknown}`;
  expect(await get(gone)).toMatchObject({ status: 200, body: {} });
  expect(await remove(gone)).toMatchObject({ status: 404, body: { code: 5 } });
  const nowhere = `${organization.uid}/${unknown}`;
  expect(await create({}, nowhere)).toMatchObject({ status: 404, body: { code: 5 } });
  expect(await batchDelete([`${nowhere}/${unknown}`], nowhere)).toMatchObject({ status: 404 });
  expect(await idsOf(`identityProviderUidp=${nowhere}`)).toEqual([]);
  expect(await idsOf(`uidp.ids=${gone}`)).toEqual([]);
});

describe("an error names the field as in version 1:", () => {
  test.each([
    ["external_group_id", { externalGroupId: "" }],
    ["role_uidp", { roleUidp: "" }],
    ["role_uidp", { roleUidp: "0".repeat(40) }],
    ["scope", { scope: "0".repeat(40) }],
  ])("%s of %j", async (field, more) => {
    const { status, body } = await create(more);
    expect([status, fieldsOf(body)]).toEqual([400, [field]]);
    expect(body.message).toContain(`${field}: ${field}`);
    expect(await idsOf(`identityProviderUidp=${idp}`)).toEqual([]);
  });

  test("parent_id, uid of a Get, id, ids and identity_provider_uidp", async () => {
    const refused = [
      ["parent_id", await create({}, "x")],
      ["uid", await get("x")],
      ["id", await remove("x")],
      ["ids[1]", await batchDelete([`${idp}/${unknown}`, "x"])],
      ["ids[0]", await batchDelete([`${organization.uid}/${unknown}/${unknown}`])],
      ["ids", await batchDelete([])],
      ["identity_provider_uidp", await callRest(`${root}?identityProviderUidp=x`, { token })],
    ] as const;
    for (const [field, { status, body }] of refused) {
      expect([field, status, fieldsOf(body)]).toEqual([field, 400, [field]]);
      expect(body.message).not.toMatch(/names|role_uid\b|provider_uid\b/);
    }
  });
});

test("a caller cannot map a role with capabilities that the caller does not have", async () => {
  const fewer = allCapabilities.filter((one) => one !== 103);
  const { token: weak } = await newContractCaller(organization.uid, fewer);
  const roleUidp = await roleUid("owner");
  expect(await create({ roleUidp }, idp, weak)).toMatchObject({ status: 403, body: { code: 7 } });
  expect((await create({ roleUidp })).status).toBe(200);
});

test("a list has all matches, by provider, by place and by both", async () => {
  const other = (await newIdentityProvider(organization)).uid;
  const one = (await create()).body.id;
  const two = (await create({ externalGroupId: "ops" })).body.id;
  const three = (await create({}, other)).body.id;
  const of = `identityProviderUidp=${idp}`;
  expect(await idsOf(of)).toEqual([one, two].sort());
  expect(await idsOf(`uidp.children_of=${other}`)).toEqual([three]);
  expect(await idsOf(`uidp.descendantsOf=${organization.uid}`)).toEqual([one, two, three].sort());
  expect(await idsOf("")).toEqual([one, two, three].sort());
  expect(await idsOf(`${of}&uidp.ids=${two}&uidp.ids=${three}`)).toEqual([two]);
  expect(await idsOf(`${of}&uidp.children_of=${other}`)).toEqual([]);
});

test("a list of more than a version 2 page is complete", async () => {
  await sql(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 230)
     insert into external_group_role_mappings (uid, external_group_id, role_uid, scope, create_time, update_time)
     select ? || '/' || printf('%016x', i), 'group-' || i, ?, ?, 1, 1 from n`,
    idp,
    await roleUid("viewer"),
    organization.uid,
  );
  const answer = await callRest(`${root}?uidp.children_of=${idp}`, { token });
  expect(Object.keys(answer.body)).toEqual(["items"]);
  expect(answer.body.items).toHaveLength(230);
  expect(costOf(answer).roundTrips).toBe(1);
});

test("a batch of deletes returns the deleted mappings, and so does its event", async () => {
  const [one, two, kept] = [
    (await create()).body,
    (await create({ externalGroupId: "ops" })).body,
    (await create({ externalGroupId: "kept" })).body,
  ];
  const { status, body } = await batchDelete([two.id, one.id, `${idp}/${unknown}`]);
  expect(status).toBe(200);
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect({ ...body, items: body.items.sort(byId) }).toEqual({
    parentId: idp,
    items: [one, two].sort(byId),
  });
  expect(await idsOf("")).toEqual([kept.id]);
  const [event] = await events(idp);
  expect(event).toMatchObject({
    source: `http://localhost:8787${root}:batchDelete`,
    body_type: "platform.iam.BatchDeleteExternalGroupRoleMappingsResponse",
    extensions: JSON.stringify({ identityprovider: idp }),
  });
  const eventBody = JSON.parse(event?.data ?? "").body;
  expect({ ...eventBody, items: eventBody.items.sort(byId) }).toEqual(body);
});

test("the event of a create has the mapping, and the event of a delete has no body", async () => {
  const { body } = await create();
  expect((await remove(body.id)).status).toBe(200);
  const [made, gone] = await events(body.id);
  expect([made?.body_type, JSON.parse(made?.data ?? "").body]).toEqual([
    "platform.iam.ExternalGroupRoleMapping",
    body,
  ]);
  expect([gone?.body_type, "body" in JSON.parse(gone?.data ?? "")]).toEqual(["", false]);
});

test("another organization's mapping is denied like an unknown one", async () => {
  const other = await newOrganization();
  const provider = (await newIdentityProvider(other)).uid;
  const theirs = await createResource(`${root}/${provider}`, other.owner.token, {
    ...{ externalGroupId: "devs", roleUidp: await roleUid("viewer"), scope: other.uid },
  });
  const none = `${randomUid()}/${unknown}/${unknown}`;
  for (const ask of [get, remove, (id: string) => batchDelete([id], id.slice(0, 57))]) {
    const [refused, absent] = [await ask(String(theirs.id)), await ask(none)];
    expect(refused.status).toBe(403);
    expect(withoutDecisionId(refused.body)).toBe(withoutDecisionId(absent.body));
  }
});
