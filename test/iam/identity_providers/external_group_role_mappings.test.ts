import { beforeEach, describe, expect, test } from "vitest";
import {
  bindPerson,
  createResource,
  newOrganization,
  newUser,
  type Organization,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql, tokenFor } from "../../world/platform.ts";
import { violatedField } from "../../world/resource_calls.ts";
import { identityProviderBody, newIdentityProvider } from "./openid_provider.ts";

const root = "/iam/v2/externalGroupRoleMappings";

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
  roleUid: await roleUid("viewer"),
  scope: organization.uid,
  ...more,
});
const create = async (more: object = {}, parent = idp, as = token) =>
  callRest(`${root}/${parent}`, { token: as, body: await mapping(more) });
const batchDelete = (names: string[], parent = idp) =>
  callRest(`${root}:batchDelete`, { token, body: { parent, names } });
const list = async (query: string) => {
  const { body } = await callRest(`${root}?${query}`, { token });
  const found = (body.externalGroupRoleMappings ?? []) as { uid: string }[];
  return [found.map(({ uid }) => uid).sort(), body.totalCount];
};

test("a list has the mappings of a provider, of a group or of everything that the caller can see", async () => {
  const other = (await newIdentityProvider(organization)).uid;
  const one = (await create()).body.uid;
  const two = (await create({ externalGroupId: "ops" })).body.uid;
  const three = (await create({}, other)).body.uid;
  expect(await list(`identityProviderUid=${idp}`)).toEqual([[one, two].sort(), "2"]);
  expect(await list(`uidp.children_of=${other}`)).toEqual([[three], "1"]);
  expect(await list(`uidp.descendants_of=${organization.uid}`)).toEqual([
    [one, two, three].sort(),
    "3",
  ]);
  expect(await list(`identityProviderUid=${idp}&page_size=1&order_by=external_group_id`)).toEqual([
    [one],
    "2",
  ]);
  expect(await list(`identityProviderUid=${organization.uid}/${"0".repeat(16)}`)).toEqual([
    [],
    "0",
  ]);
});

describe("a mapping is rejected", () => {
  test.each([
    ["without external group", { externalGroupId: "" }, "external_group_id"],
    ["without role", { roleUid: "" }, "role_uid"],
    ["without scope", { scope: "" }, "scope"],
    ["of an unknown role", { roleUid: "0".repeat(40) }, "role_uid"],
    ["of another organization's scope", { scope: "0".repeat(40) }, "scope"],
  ])("%s, on create and on update", async (_, more, field) => {
    const { body } = await create(more);
    expect(violatedField(body)).toBe(field);
    const { uid } = (await create()).body;
    const changed = await callRest(`${root}/${uid}`, { method: "PATCH", token, body: more });
    expect(violatedField(changed.body)).toBe(field);
    expect(await list(`identityProviderUid=${idp}`)).toEqual([[uid], "1"]);
  });

  test("on a group below the organization, and with a role of such a group", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "sub",
    });
    const role = await createResource(`/iam/v2/roles/${group.uid}`, token, {
      name: "r",
      capabilities: ["CAP_REPO_LIST"],
    });
    expect(violatedField((await create({ scope: group.uid })).body)).toBe("scope");
    expect(violatedField((await create({ roleUid: role.uid })).body)).toBe("role_uid");
  });

  test("of a group instead of an identity provider", async () => {
    const { status, body } = await create({}, organization.uid);
    expect([status, body.details[1].resourceType]).toEqual([
      404,
      "iam.platform.example/IdentityProvider",
    ]);
  });

  test("a second mapping of the same external group and role is rejected", async () => {
    await create();
    const [one, two] = await Promise.all([
      create({ externalGroupId: "ops" }),
      create({ externalGroupId: "ops" }),
    ]);
    expect([one.status, two.status].sort()).toEqual([200, 409]);
    const again = await create();
    expect([again.status, again.body.code]).toEqual([409, 6]);
    const moved = await callRest(`${root}/${(one.status === 200 ? one : two).body.uid}`, {
      method: "PATCH",
      token,
      body: { externalGroupId: "devs" },
    });
    expect(moved.status).toBe(409);
  });

  test("for a caller with all of them on a group below the organization only", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "sub",
    });
    const below = await createResource(
      `/iam/v2/identityProviders/${group.uid}`,
      token,
      await identityProviderBody(),
    );
    const { uid: identityUid } = await newUser();
    await bindPerson({ uid: group.uid, token }, identityUid, "owner");
    const refused = await create({}, below.uid, await tokenFor(identityUid));
    expect(refused.status).toBe(403);
    expect((await create({}, below.uid)).status).toBe(200);
  });
});

test("a deleted mapping no longer exists, and can be created again", async () => {
  const { uid } = (await create()).body;
  const remove = () => callRest(`${root}/${uid}`, { method: "DELETE", token });
  expect((await remove()).status).toBe(200);
  expect((await remove()).status).toBe(404);
  expect((await create()).status).toBe(200);
});

describe("a batch of deletes", () => {
  test("a batch of deletes removes existing mappings and returns their uids", async () => {
    const one = (await create()).body;
    const two = (await create({ externalGroupId: "ops" })).body;
    await create({ externalGroupId: "kept" });
    const { status, body } = await batchDelete([one.uid, two.uid, `${idp}/${"0".repeat(16)}`]);
    expect(status).toBe(200);
    expect(body.parent).toBe(idp);
    const removed = body.externalGroupRoleMappings as { uid: string; etag: string }[];
    expect(removed).toHaveLength(2);
    expect(removed).toEqual(expect.arrayContaining([one, two]));
    expect((await list(`identityProviderUid=${idp}`))[1]).toBe("1");
    const [event] = await sql<{ data: string; group_uid: string; extensions: string }>(
      "select * from events where subject = ? and type like '%deleted.batch.v1'",
      idp,
    );
    expect(event?.group_uid).toBe(organization.uid);
    expect(JSON.parse(event?.extensions ?? "")).toEqual({ identityprovider: idp });
    const inEvent = removed.map(({ etag: _, ...rest }) => rest);
    expect(JSON.parse(event?.data ?? "").body).toEqual({
      ...body,
      externalGroupRoleMappings: inEvent,
    });
  });

  test("that only validates shows the loss of all deletes together, and removes none", async () => {
    const [one, two] = [
      (await create()).body,
      (await create({ roleUid: await roleUid("owner") })).body,
    ];
    const check = async (names: string[]) => {
      const body = { parent: idp, names, validateOnly: true };
      const answer = await callRest(`${root}:batchDelete`, { token, body });
      return answer.body.accessChanges;
    };
    expect((await check([one.uid])).changes).toBeUndefined();
    const { changes } = await check([one.uid, two.uid]);
    expect(changes).toHaveLength(1);
    expect(changes[0].lost).toContain("CAP_IAM_GROUPS_LIST");
    expect(changes[0].externalGroup.externalGroupId).toBe(one.externalGroupId);
    expect((await list(`identityProviderUid=${idp}`))[1]).toBe("2");
    expect(
      await sql("select 1 from events where type like '%batch.v1' and subject = ?", idp),
    ).toEqual([]);
  });

  test("with a mapping of another provider removes none", async () => {
    const other = (await newIdentityProvider(organization)).uid;
    const [one, two] = [(await create()).body, (await create({}, other)).body];
    const { status, body } = await batchDelete([one.uid, two.uid]);
    expect([status, violatedField(body)]).toEqual([400, "names[1]"]);
    expect((await list(`uidp.descendants_of=${organization.uid}`))[1]).toBe("2");
  });

  test("with a deleted one succeeds without an event", async () => {
    const { body } = await batchDelete([`${idp}/${"0".repeat(16)}`]);
    expect(body).toEqual({ parent: idp });
    expect(
      await sql("select 1 from events where type like '%batch.v1' and subject = ?", idp),
    ).toEqual([]);
  });

  test("a batch of deletes accepts a thousand, and two at once return each deletion once", async () => {
    const uids = Array.from(
      { length: 1000 },
      (_, i) => `${idp}/${i.toString(16).padStart(16, "0")}`,
    );
    await sql(
      "insert into external_group_role_mappings (uid, external_group_id, role_uid, scope, create_time, update_time) select value, value, ?, ?, 1, 1 from json_each(?)",
      await roleUid("viewer"),
      organization.uid,
      JSON.stringify(uids),
    );
    const answers = await Promise.all([batchDelete(uids), batchDelete(uids.slice(500))]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const removed = answers.flatMap(({ body }) => body.externalGroupRoleMappings ?? []);
    expect(removed).toHaveLength(1000);
    expect(await list(`identityProviderUid=${idp}`)).toEqual([[], "0"]);
    expect((await batchDelete([...uids, `${idp}/${"f".repeat(16)}`])).status).toBe(400);
  });
});

describe("a login with a mapped group in its claims", () => {
  const repos = (as: string) =>
    callRest(`/registry/v2/repos?uidp.descendants_of=${organization.uid}`, { token: as });

  test("has no role by another provider's group, another name or no group", async () => {
    const other = (await newIdentityProvider(organization)).uid;
    await create();
    const { uid } = await newUser();
    for (const claims of [
      { idp: other, groups: ["devs"] },
      { idp, groups: ["Devs", "dev", ""] },
      { idp, groups: [] },
      { idp },
      { groups: ["devs"] },
    ]) {
      const { status } = await repos(await tokenFor(uid, claims));
      expect([claims, status]).toEqual([claims, 403]);
    }
  });

  test("follows an update of the mapping at the next call", async () => {
    const { uid } = await newUser();
    const login = await tokenFor(uid, { idp, groups: ["devs"] });
    const made = (await create()).body;
    await callRest(`${root}/${made.uid}`, {
      method: "PATCH",
      token,
      body: { externalGroupId: "x" },
    });
    expect((await repos(login)).status).toBe(403);
  });

  test("is in no list of role bindings", async () => {
    const { uid } = await newUser();
    await create();
    expect((await repos(await tokenFor(uid, { idp, groups: ["devs"] }))).status).toBe(200);
    const bindings = await callRest(
      `/iam/v2/roleBindings?uidp.descendants_of=${organization.uid}&page_size=200`,
      { token },
    );
    expect(JSON.stringify(bindings.body)).not.toContain(uid);
    expect(bindings.body.totalCount).toBe("1");
  });
});
