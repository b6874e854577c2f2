import { beforeEach, describe, expect, test } from "vitest";
import { CapabilitySchema } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { isInternalOnly } from "../../../schema/options.ts";
import { toCapabilities, toCapabilityNames } from "../../../src/iam/roles/capability_names.ts";
import { withoutDecisionId } from "../../contract/decisions.ts";
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
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const at = (id: string) => `/iam/v1/roles/${id}`;
const post = (body: object, as = token, group = organization.uid) =>
  callRest(at(group), { token: as, body: { name: "r", capabilities: ["repo.list"], ...body } });
const put = (id: string, body: object, as = token) =>
  callRest(at(id), { method: "PUT", token: as, body });
const remove = (id: string) => callRest(at(id), { method: "DELETE", token });
const list = (query: string, as = token) => callRest(`/iam/v1/roles?${query}`, { token: as });
const v2 = async (id: string) => (await callRest(`/iam/v2/roles/${id}`, { token })).body;
const role = async (name: string, group = organization.uid) =>
  (await createResource(at(group), token, { name, capabilities: ["repo.list"] })).id as string;
const ids = ({ body }: { body: { items?: { id: string }[] } }) =>
  (body.items ?? []).map(({ id }) => id);
const violations = (body: { details: { fieldViolations?: { field: string }[] }[] }) =>
  body.details[1]?.fieldViolations?.map(({ field }) => field);

describe("the capabilities of a role", () => {
  test("have names with dots, and names of the enum in version 2", async () => {
    const capabilities = ["tag.list", "groups.list", "repo.list", "groups.list"];
    const { status, body } = await post({ description: "d", capabilities });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`)),
      name: "r",
      description: "d",
      capabilities: ["groups.list", "repo.list", "tag.list"],
    });
    expect((await list(`id=${body.id}`)).body.items).toEqual([body]);
    expect(await v2(body.id)).toMatchObject({
      ...{ uid: body.id, name: "r", description: "d" },
      capabilities: ["CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST", "CAP_TAG_LIST"],
    });
  });

  test("all have a name that can be read back", () => {
    const numbers = CapabilitySchema.values.map(({ number }) => number).filter((one) => one > 0);
    const names = toCapabilityNames(numbers);
    expect(new Set(names).size).toBe(numbers.length);
    expect(toCapabilities(names)).toEqual(numbers);
  });

  test("can be all that are not internal, together", async () => {
    const open = CapabilitySchema.values.filter((one) => one.number > 2 && !isInternalOnly(one));
    const capabilities = toCapabilityNames(open.map(({ number }) => number));
    expect((await post({ capabilities })).body.capabilities).toEqual(capabilities);
  });

  test("of version 2 are read with their dots", async () => {
    const capabilities = ["CAP_REPO_LIST", "CAP_IAM_IDENTITY_PROVIDERS_LIST"];
    const { uid } = await createResource(`/iam/v2/roles/${organization.uid}`, token, {
      name: "two",
      capabilities,
    });
    const [item] = (await list(`id=${uid}`)).body.items;
    expect([...item.capabilities].sort()).toEqual(["identity_providers.list", "repo.list"]);
  });

  test("that are unknown are rejected with their positions, and nothing is written", async () => {
    const wrong = ["CAP_REPO_LIST", "repo.list", "", "repo", "REPO.LIST", "1605", "unknown"];
    const made = await role("made");
    for (const refused of [
      await post({ capabilities: wrong }),
      await put(made, { name: "made", capabilities: wrong }),
    ]) {
      expect([refused.status, refused.body.code]).toEqual([400, 3]);
      expect(violations(refused.body)).toEqual([0, 2, 3, 4, 5, 6].map((i) => `capabilities[${i}]`));
      expect(refused.body.message).toContain(
        'capabilities[0] must be the name of a capability; you sent "CAP_REPO_LIST"',
      );
    }
    expect(ids(await list(`parent=${organization.uid}`))).toEqual([made]);
    expect((await v2(made)).capabilities).toEqual(["CAP_REPO_LIST"]);
  });

  test("that are stored and no longer exist are skipped", async () => {
    const id = await role("old");
    await sql("update roles set capabilities = '[0,1601,1605,99999]' where uid = ?", id);
    const names = toCapabilityNames([1605]);
    expect((await list(`id=${id}`)).body.items[0].capabilities).toEqual(names);
    const { status, body } = await put(id, { name: "old", capabilities: names });
    expect([status, body.capabilities]).toEqual([200, names]);
  });

  test("are required, and internal ones only for the operator", async () => {
    for (const capabilities of [[], ["repo.internal.admin"]]) {
      const { status, body } = await post({ capabilities });
      expect([status, violations(body)]).toEqual([400, ["capabilities"]]);
    }
    expect((await post({ capabilities: ["internal"] })).status).toBe(403);
    const many = await post({ capabilities: Array.from({ length: 301 }, () => "repo.list") });
    expect([many.status, violations(many.body)]).toEqual([400, ["capabilities"]]);
  });
});

describe("a PUT of a role", () => {
  test("resets the fields that it leaves out, and requires the required ones", async () => {
    const { id } = (await post({ description: "d", capabilities: ["repo.list", "tag.list"] })).body;
    const { body } = await put(id, { name: "n", capabilities: ["tag.list"] });
    expect(body).toEqual({ id, name: "n", capabilities: ["tag.list"] });
    const { createTime, updateTime, ...rest } = await v2(id);
    expect(rest).toEqual({ uid: id, name: "n", capabilities: ["CAP_TAG_LIST"] });
    expect(Date.parse(updateTime)).toBeGreaterThan(Date.parse(createTime));
    expect(violations((await put(id, { name: "n" })).body)).toEqual(["capabilities"]);
    expect(violations((await put(id, { capabilities: ["tag.list"] })).body)).toEqual(["name"]);
    expect((await list(`id=${id}`)).body.items).toEqual([body]);
  });

  test("adds no capability that its caller does not have", async () => {
    const capabilities = ["roles.update", "roles.list"];
    const { id } = (await post({ capabilities })).body;
    const bot = await newIdentity(organization, undefined);
    const binding = { identity: bot.uid, role: id };
    await createResource(`/iam/v1/rolebindings/${organization.uid}`, token, binding);
    const more = { name: "r", capabilities: [...capabilities, "repo.delete"] };
    expect((await put(id, more, bot.token)).status).toBe(403);
    expect((await put(id, { name: "s", capabilities }, bot.token)).status).toBe(200);
  });

  test("is NOT_FOUND for an unknown role, and rejected for a built-in one", async () => {
    const body = { name: "r", capabilities: ["repo.list"] };
    expect((await put(`${organization.uid}/${"0".repeat(16)}`, body)).status).toBe(404);
    expect((await put(await roleUid("viewer"), body)).status).toBe(403);
    expect(violations((await put("nope", body)).body)).toEqual(["id"]);
  });
});

describe("a list of roles", () => {
  test("is complete: the built-in roles and all of the caller's organizations", async () => {
    await sql(
      "insert into roles (uid, name, capabilities, create_time, update_time) select ? || printf('/%016x', value), 'r' || value, '[1605]', 1, 1 from json_each(?)",
      organization.uid,
      JSON.stringify(Array.from({ length: 230 }, (_, index) => index + 1)),
    );
    const answer = await list("");
    expect(Object.keys(answer.body)).toEqual(["items"]);
    const own = ids(answer).filter((id) => id.startsWith(organization.uid));
    expect(own).toHaveLength(230);
    expect(ids(answer)).toContain(await roleUid("viewer"));
    expect(ids(answer)).toEqual([...ids(answer)].sort());
    const below = await list(`uidp.descendants_of=${organization.uid}`);
    expect(ids(below)).toEqual(own);
    expect(costOf(below).roundTrips).toBe(1);
    const children = await list(`parent=${organization.uid}`);
    expect(ids(children)).toEqual(own);
    expect(costOf(children).roundTrips).toBe(1);
  });

  test("can be filtered by id, name, parent and place, and by all of them together", async () => {
    const group = (await createResource(`/iam/v1/groups/${organization.uid}`, token, { name: "g" }))
      .id;
    const [one, two] = [await role("one"), await role("two")];
    const inGroup = await role("two", group as string);
    const viewer = await roleUid("viewer");
    const own = `parent=${organization.uid}`;
    expect(ids(await list(`id=${one}`))).toEqual([one]);
    expect(ids(await list(own)).sort()).toEqual([one, two].sort());
    expect(ids(await list(`${own}&name=two`))).toEqual([two]);
    expect(ids(await list(`parent=${group}`))).toEqual([inGroup]);
    expect(ids(await list(`uidp.descendants_of=${group}`))).toEqual([inGroup]);
    expect(ids(await list("name=viewer"))).toEqual([viewer]);
    const builtIn = ids(await list("parent=%2F"));
    expect(builtIn).toContain(viewer);
    expect(builtIn.every((id) => id.length === 40)).toBe(true);
    expect(ids(await list("uidp.in_root=true"))).toEqual(builtIn);
    for (const [query, expected] of [
      [`id=${one}&${own}`, [one]],
      [`id=${viewer}&parent=%2F&name=viewer`, [viewer]],
      [`${own}&uidp.descendants_of=${organization.uid}&name=one`, [one]],
      [`${own}&uidp.ids=${one}&uidp.ids=${inGroup}`, [one]],
      [`id=${inGroup}&parent=${group}&uidp.descendants_of=${organization.uid}`, [inGroup]],
      [`id=${one}&name=two`, []],
      [`id=${one}&parent=${group}`, []],
      [`id=${one}&parent=%2F`, []],
      [`id=${viewer}&${own}`, []],
      [`id=${one}&uidp.descendants_of=${group}`, []],
      [`${own}&uidp.descendants_of=${group}`, []],
      [`${own}&uidp.in_root=true`, []],
      [`parent=%2F&uidp.children_of=${organization.uid}`, []],
    ] as const) {
      expect([query, ids(await list(query))]).toEqual([query, expected]);
    }
  });

  test("of an unknown id is empty with 200, and of another's id is denied", async () => {
    for (const id of [`${organization.uid}/${"0".repeat(16)}`, randomUid()]) {
      const { status, body } = await list(`id=${id}`);
      expect([status, body]).toEqual([200, {}]);
    }
    const other = await newOrganization();
    const theirs = await createResource(at(other.uid), other.owner.token, {
      ...{ name: "theirs", capabilities: ["repo.list"] },
    });
    const unknown = `${other.uid}/${"0".repeat(16)}`;
    const refusals = await Promise.all(
      [`id=${theirs.id}`, `id=${unknown}`, `parent=${other.uid}`, `parent=${randomUid()}`].map(
        (query) => list(query),
      ),
    );
    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(new Set(refusals.map(({ body }) => withoutDecisionId(body))).size).toBe(1);
    expect((await list("", (await newUser()).token)).status).toBe(403);
  });

  test.each([
    ["id=nope", "id"],
    ["parent=nope", "parent"],
    [`parent=nope&id=${"0".repeat(40)}`, "parent"],
    ["parent=%2F%2F", "parent"],
    ["uidp.children_of=nope", "uidp.children_of"],
    [`name=${"n".repeat(256)}`, "name"],
    [`parent=%2F&uidp.in_root=true&uidp.children_of=${"0".repeat(40)}`, "uidp"],
  ])("with %s is rejected, naming %s", async (query, field) => {
    const { status, body } = await list(query);
    expect([status, violations(body)]).toEqual([400, [field]]);
  });
});

test("a create names an unknown or foreign group as parent_id", async () => {
  const malformed = await post({}, token, "nope");
  expect([malformed.status, violations(malformed.body)]).toEqual([400, ["parent_id"]]);
  const other = await newOrganization();
  expect((await post({}, token, other.uid)).status).toBe(403);
  expect((await post({}, token, `${organization.uid}/${"0".repeat(16)}`)).status).toBe(404);
  await role("twin");
  expect((await post({ name: "twin" })).status).toBe(409);
});

test("a delete is rejected while the role is bound, and NOT_FOUND for an unknown role", async () => {
  const id = await role("bound");
  const binding = { identity: organization.owner.uid, role: id };
  const bound = await createResource(`/iam/v1/rolebindings/${organization.uid}`, token, binding);
  const refused = await remove(id);
  expect(refused.body.details[1].violations[0]).toMatchObject({
    type: "RESOURCE_IN_USE",
    subject: id,
  });
  await callRest(`/iam/v1/rolebindings/${bound.id}`, { method: "DELETE", token });
  expect((await remove(id)).status).toBe(200);
  expect((await remove(id)).status).toBe(404);
  expect((await remove(await roleUid("viewer"))).status).toBe(403);
});
