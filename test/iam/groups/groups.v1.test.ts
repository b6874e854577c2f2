import { beforeEach, describe, expect, test } from "vitest";
import { withoutDecisionId } from "../../contract/decisions.ts";
import {
  createResource,
  newOrganization,
  newUser,
  type Organization,
  randomName,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, costOf, sql, tokenFor } from "../../world/platform.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const at = (id: string) => `/iam/v1/groups/${id}`;
const post = (parent: string, body: object, as = token) =>
  callRest(at(parent), { token: as, body });
const put = (id: string, body: object, as = token) =>
  callRest(at(id), { method: "PUT", token: as, body });
const remove = (id: string, as = token) => callRest(at(id), { method: "DELETE", token: as });
const list = (query: string, as = token) => callRest(`/iam/v1/groups?${query}`, { token: as });
const v2 = async (id: string) => (await callRest(`/iam/v2/groups/${id}`, { token })).body;
const group = async (name: string, parent = organization.uid) =>
  (await createResource(at(parent), token, { name })).id as string;
const ids = ({ body }: { body: { items?: { id: string }[] } }) =>
  (body.items ?? []).map(({ id }) => id);
const violation = (body: { details: { fieldViolations?: { field: string }[] }[] }) =>
  body.details[1]?.fieldViolations?.[0]?.field;

/** Gives the owner the operator's role too, as the operator of the platform does with SQL. */
const makeOperator = async () =>
  sql(
    "insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) values (?, ?, ?, 1, 1)",
    `${organization.uid}/00000000000000aa`,
    organization.owner.uid,
    await roleUid("operator"),
  );

describe("a group of version 1", () => {
  test("has its fields under the names of version 1, and is the one of version 2", async () => {
    await put(organization.uid, { name: organization.name, kind: "ORG_KIND_CUSTOMER" });
    const { status, body } = await post(organization.uid, { name: "g", description: "d" });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`)),
      name: "g",
      description: "d",
      verified: false,
      kind: "ORG_KIND_CUSTOMER",
      status: "ORG_STATUS_READY",
    });
    await sql(`update groups set resource_limits = '{"clusters":3}' where uid = ?`, body.id);
    const { items } = (await list(`id=${body.id}`)).body;
    expect(items).toEqual([{ ...body, resourceLimits: { clusters: 3 } }]);
    const { uid, createTime, updateTime, ...same } = await v2(body.id);
    expect([uid, typeof createTime, typeof updateTime]).toEqual([body.id, "string", "string"]);
    expect(items[0]).toEqual({ id: uid, ...same });
  });

  test("can be created in version 2 and read in version 1", async () => {
    const { uid } = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "two",
    });
    expect((await list(`id=${uid}`)).body.items).toMatchObject([{ id: uid, name: "two" }]);
  });

  test("without a parent is an organization of a person", async () => {
    const user = await newUser();
    const { body } = await callRest("/iam/v1/groups", {
      token: user.token,
      body: { name: "mine" },
    });
    expect(body.id).toMatch(/^[0-9a-f]{40}$/);
    expect(ids(await list("", user.token))).toEqual([body.id]);
  });

  test.each([
    ["without a name", {}, "name"],
    ["with an invalid name", { name: "A" }, "name"],
    ["with a description of two lines", { name: "g", description: "a\nb" }, "description"],
    ["of another kind than its organization", { name: "g", kind: "ORG_KIND_DEV" }, "kind"],
  ])("%s is rejected, naming the field", async (_, body, field) => {
    const refused = await post(organization.uid, body);
    expect([refused.status, violation(refused.body)]).toEqual([400, field]);
    expect(await sql("select uid from groups where parent = ?", organization.uid)).toEqual([]);
  });

  test("does not take its id, limits or status from a request", async () => {
    const given = { id: randomUid(), status: "ORG_STATUS_SUSPENDED", resourceLimits: { a: 1 } };
    const made = (await post(organization.uid, { name: "g", ...given })).body;
    expect(made.id.startsWith(organization.uid)).toBe(true);
    expect(made).toMatchObject({ status: "ORG_STATUS_READY" });
    expect(made).not.toHaveProperty("resourceLimits");
    await sql(`update groups set resource_limits = '{"clusters":3}' where uid = ?`, made.id);
    const { body } = await put(made.id, { name: "g", ...given });
    expect(body).toMatchObject({ resourceLimits: { clusters: 3 }, status: "ORG_STATUS_READY" });
  });
});

describe("a PUT of a group", () => {
  test("resets the fields that it leaves out", async () => {
    await put(organization.uid, { name: "n", description: "d", kind: "ORG_KIND_DEV" });
    const { body } = await put(organization.uid, { name: "m" });
    expect(body).toEqual({
      id: organization.uid,
      name: "m",
      verified: false,
      status: "ORG_STATUS_READY",
    });
    expect(await v2(organization.uid)).not.toHaveProperty("description");
    const nameless = await put(organization.uid, { description: "d" });
    expect([nameless.status, violation(nameless.body)]).toEqual([400, "name"]);
    expect((await v2(organization.uid)).name).toBe("m");
  });

  test("of a subgroup takes its kind from the organization, and rejects another", async () => {
    await put(organization.uid, { name: "n", kind: "ORG_KIND_DEV" });
    const id = await group("g");
    const { status, body } = await put(id, { name: "h" });
    expect([status, body.kind]).toEqual([200, "ORG_KIND_DEV"]);
    expect((await put(id, { name: "h", kind: "ORG_KIND_DEV" })).status).toBe(200);
    expect(violation((await put(id, { name: "h", kind: "ORG_KIND_INFRA" })).body)).toBe("kind");
  });

  test("verifies only for the operator, and no one else can reset it", async () => {
    const named = { name: organization.name };
    expect((await put(organization.uid, { ...named, verified: true })).status).toBe(403);
    await sql("update groups set verified = 1 where uid = ?", organization.uid);
    expect((await put(organization.uid, named)).status).toBe(403);
    const kept = await put(organization.uid, { ...named, verified: true, description: "d" });
    expect(kept.body).toMatchObject({ verified: true, description: "d" });
    const renamed = await put(organization.uid, { name: "other", verified: true });
    expect([renamed.status, renamed.body.code]).toEqual([400, 9]);
    await makeOperator();
    expect((await put(organization.uid, named)).body.verified).toBe(false);
  });

  test("takes the id from the path, and is NOT_FOUND for an unknown group", async () => {
    const id = await group("g");
    expect((await put(id, { id: organization.uid, name: "h" })).body.id).toBe(id);
    const missing = await put(`${organization.uid}/${"0".repeat(16)}`, { name: "h" });
    expect([missing.status, missing.body.code]).toEqual([404, 5]);
    const malformed = await put("nope", { name: "h" });
    expect([malformed.status, violation(malformed.body)]).toEqual([400, "id"]);
  });

  test("succeeds if several run at once, and one of them is stored", async () => {
    const id = await group("g");
    const all = await Promise.all(
      ["a", "b", "c"].map((description) => put(id, { name: "g", description })),
    );
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(["a", "b", "c"]).toContain((await v2(id)).description);
  });
});

describe("a list of groups", () => {
  test("is complete, in the order of ids, without pages, in two round trips", async () => {
    await sql(
      "insert into groups (uid, name, create_time, update_time) select ? || printf('/%016x', value), 'g' || value, 1, 1 from json_each(?)",
      organization.uid,
      JSON.stringify(Array.from({ length: 230 }, (_, index) => index + 1)),
    );
    const answer = await list("");
    expect(Object.keys(answer.body)).toEqual(["items"]);
    expect(answer.body.items).toHaveLength(231);
    expect(ids(answer)).toEqual([...ids(answer)].sort());
    expect(costOf(answer).roundTrips).toBe(2);
    const below = await list(`uidp.descendants_of=${organization.uid}`);
    expect(ids(below)).toHaveLength(230);
    expect(costOf(below).roundTrips).toBe(1);
  });

  test("of more groups than a response can have is rejected, and a narrower one is not", async () => {
    await sql(
      "insert into groups (uid, name, create_time, update_time) select ? || printf('/%016x', value), 'g' || value, 1, 1 from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 20000) select value from n)",
      organization.uid,
    );
    const { status, body } = await list("");
    expect([status, body.code]).toEqual([429, 8]);
    expect(body.message).toContain("more than 20000 rows match");
    expect(ids(await list(`uidp.children_of=${organization.uid}`))).toHaveLength(20_000);
    expect(ids(await list("name=g7"))).toHaveLength(1);
  });

  test("can be filtered by id, place and name, and by all of them together", async () => {
    const [one, two] = [await group("one"), await group("two")];
    const inOne = await group("two", one);
    const inOrganization = `uidp.children_of=${organization.uid}`;
    expect(ids(await list(`id=${one}`))).toEqual([one]);
    expect(ids(await list("name=two")).sort()).toEqual([two, inOne].sort());
    expect(ids(await list(`${inOrganization}&name=two`))).toEqual([two]);
    expect(ids(await list(`uidp.ancestorsOf=${inOne}`))).toEqual([organization.uid, one]);
    expect(ids(await list("uidp.in_root=true"))).toEqual([organization.uid]);
    expect(ids(await list(`uidp.ids=${one}&uidp.ids=${inOne}`))).toEqual([one, inOne]);
    expect(ids(await list(`id=${inOne}&uidp.descendants_of=${one}`))).toEqual([inOne]);
    for (const other of [
      inOrganization,
      `uidp.descendants_of=${two}`,
      `uidp.ancestors_of=${inOne}`,
      "uidp.in_root=true",
      `uidp.ids=${two}`,
      "name=one",
    ]) {
      expect([other, ids(await list(`id=${inOne}&${other}`))]).toEqual([other, []]);
    }
  });

  test("of an unknown id is empty with 200, and of another's id is denied", async () => {
    const missing = await list(`id=${organization.uid}/${"0".repeat(16)}`);
    expect([missing.status, missing.body]).toEqual([200, {}]);
    const other = await newOrganization();
    const refusals = await Promise.all([other.uid, randomUid()].map((id) => list(`id=${id}`)));
    expect(refusals.map(({ status }) => status)).toEqual([403, 403]);
    expect(withoutDecisionId(refusals[0]?.body)).toBe(withoutDecisionId(refusals[1]?.body));
  });

  test("rejects an invalid id, and two places at once, with any id", async () => {
    expect(violation((await list("id=nope")).body)).toBe("id");
    const two = `uidp.in_root=true&uidp.children_of=${organization.uid}`;
    for (const query of [two, `${two}&id=${organization.uid}`]) {
      expect(violation((await list(query)).body)).toBe("uidp");
    }
  });
});

describe("a delete of a group", () => {
  test("requires an empty group, and is NOT_FOUND for an unknown one", async () => {
    const one = await group("one");
    const inOne = await group("two", one);
    const refused = await remove(one);
    expect(refused.body.details[1].violations[0]).toMatchObject({
      type: "RESOURCE_NOT_EMPTY",
      subject: one,
    });
    for (const id of [inOne, one]) expect((await remove(id)).status).toBe(200);
    expect(await list(`id=${one}`)).toMatchObject({ status: 200, body: {} });
    expect((await remove(one)).status).toBe(404);
  });
});

test("another organization's group cannot be read, changed or deleted", async () => {
  const other = await newOrganization();
  const theirs = (await createResource(at(other.uid), other.owner.token, { name: "theirs" }))
    .id as string;
  const refused = [
    await put(theirs, { name: "mine" }),
    await remove(theirs),
    await post(theirs, { name: "mine" }),
    await list(`uidp.children_of=${other.uid}`),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect(JSON.stringify((await list("")).body)).not.toContain(other.uid);
});

describe("the search for the caller's organization", () => {
  const act = { iss: "https://trusted.example", sub: "ann", aud: "x" };
  const person = async (domain: string) => {
    const { uid } = await newUser();
    return tokenFor(uid, { email: `ann@${domain}`, email_verified: true, act });
  };

  test("returns it, or an empty response with 200", async () => {
    const domain = `${randomName("corp")}.example`;
    await sql("update groups set name = ?, verified = 1 where uid = ?", domain, organization.uid);
    const ann = await person(domain);
    const found = await callRest("/iam/v1/groups:lookupGroup", { token: ann });
    expect(found.body.group).toMatchObject({ id: organization.uid, name: domain, verified: true });
    const eligible = await callRest("/iam/v1/groups:checkEligibility", { token: ann });
    expect(eligible.body).toEqual({ eligible: true });
    const stranger = await person("nowhere.example");
    const none = await callRest("/iam/v1/groups:lookupGroup", { token: stranger });
    expect([none.status, none.body]).toEqual([200, {}]);
  });

  test("an access request writes an event for the owners, and is NOT_FOUND for another group", async () => {
    const domain = `${randomName("corp")}.example`;
    await sql("update groups set name = ?, verified = 1 where uid = ?", domain, organization.uid);
    const ann = await person(domain);
    const ask = (id: string) =>
      callRest(`${at(id)}:requestGroupAccess`, { token: ann, method: "POST", body: {} });
    expect((await ask((await newOrganization()).uid)).status).toBe(404);
    const malformed = await ask("nope");
    expect([malformed.status, violation(malformed.body)]).toEqual([400, "group_id"]);
    expect(await ask(organization.uid)).toMatchObject({ status: 200, body: {} });
    expect((await ask(organization.uid)).status).toBe(429);
    const rows = await sql<{ subject: string }>(
      "select subject from events where group_uid = ? and type like '%access_requested%'",
      organization.uid,
    );
    expect(rows).toEqual([{ subject: organization.uid }]);
  });
});
