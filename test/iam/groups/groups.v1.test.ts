import { beforeEach, describe, expect, test } from "vitest";
import {
  createResource,
  makeOperator,
  newOrganization,
  newUser,
  type Organization,
  randomName,
  randomUid,
} from "../../world/personas.ts";
import { callRest, sql, tokenFor } from "../../world/platform.ts";
import { listedIds, resourceCalls, violatedField } from "../../world/resource_calls.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const { list, post, put } = resourceCalls("/iam/v1/groups", () => token);
const v2 = async (id: string) => (await callRest(`/iam/v2/groups/${id}`, { token })).body;

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
    const { uid, createTime, updateTime, etag: _, keysDisabled: __, ...same } = await v2(body.id);
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
    expect(listedIds(await list("", user.token))).toEqual([body.id]);
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
    expect([nameless.status, violatedField(nameless.body)]).toEqual([400, "name"]);
    expect((await v2(organization.uid)).name).toBe("m");
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
    await makeOperator(organization);
    expect((await put(organization.uid, named)).body.verified).toBe(false);
  });
});

describe("a list of groups", () => {
  test("of more groups than a response can have is rejected, and a narrower one is not", async () => {
    await sql(
      "insert into groups (uid, name, create_time, update_time) select ? || printf('/%016x', value), 'g' || value, 1, 1 from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 20000) select value from n)",
      organization.uid,
    );
    const { status, body } = await list("");
    expect([status, body.code]).toEqual([429, 8]);
    expect(body.message).toContain("more than 20000 rows match");
    expect(listedIds(await list(`uidp.children_of=${organization.uid}`))).toHaveLength(20_000);
    expect(listedIds(await list("name=g7"))).toHaveLength(1);
  });
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
      callRest(`/iam/v1/groups/${id}:requestGroupAccess`, { token: ann, method: "POST", body: {} });
    expect((await ask((await newOrganization()).uid)).status).toBe(404);
    const malformed = await ask("nope");
    expect([malformed.status, violatedField(malformed.body)]).toEqual([400, "group_id"]);
    expect(await ask(organization.uid)).toMatchObject({ status: 200, body: {} });
    expect((await ask(organization.uid)).status).toBe(429);
    const rows = await sql<{ subject: string }>(
      "select subject from events where group_uid = ? and type like '%access_requested%'",
      organization.uid,
    );
    expect(rows).toEqual([{ subject: organization.uid }]);
  });
});
