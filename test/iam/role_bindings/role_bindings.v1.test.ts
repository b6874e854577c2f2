import { beforeEach, describe, expect, test } from "vitest";
import { unpackText } from "../../../src/outbox/stored_data.ts";
import { withoutDecisionId } from "../../contract/decisions.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  type Persona,
  randomName,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";

let organization: Organization;
let token: string;
let bot: string;
let viewer: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  [bot, viewer] = await Promise.all([newBot(), roleUid("viewer")]);
});

const newBot = async (): Promise<string> =>
  (
    await createResource(`/iam/v2/identities/${organization.uid}`, token, {
      name: randomName("bot"),
    })
  ).uid;
const at = (id: string) => `/iam/v1/rolebindings/${id}`;
const post = (body: object, as = token, group = organization.uid) =>
  callRest(at(group), { token: as, body });
const batch = (body: unknown, as = token, group = organization.uid) =>
  callRest(at(`batch/${group}`), { token: as, body });
const put = (id: string, body: object, as = token) =>
  callRest(at(id), { method: "PUT", token: as, body });
const remove = (id: string, as = token) => callRest(at(id), { method: "DELETE", token: as });
const list = (query: string, as = token) =>
  callRest(`/iam/v1/rolebindings?${query}`, { token: as });
const bind = async (identity = bot, role = viewer, group = organization.uid) =>
  (await createResource(at(group), token, { identity, role })).id as string;
const v2 = async (id: string) => (await callRest(`/iam/v2/roleBindings/${id}`, { token })).body;
const ids = ({ body }: { body: { items?: { id: string }[] } }) =>
  (body.items ?? []).map(({ id }) => id);
const violations = (body: { details: { fieldViolations?: { field: string }[] }[] }) =>
  body.details[1]?.fieldViolations?.map(({ field }) => field);
const stored = () =>
  sql("select uid from role_bindings where parent = ? and role_uid = ?", organization.uid, viewer);

describe("a role binding", () => {
  test("is returned flat, and is the one of version 2", async () => {
    const { status, body } = await post({ identity: bot, role: viewer });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`)),
      identity: bot,
      group: organization.uid,
      role: viewer,
    });
    expect(await v2(body.id)).toMatchObject({
      uid: body.id,
      identity: { uid: bot },
      group: { uid: organization.uid },
      role: { uid: viewer, name: "viewer" },
    });
  });

  test("belongs to the group of the path, whatever group the body names", async () => {
    const given = { identity: bot, role: viewer, group: randomUid(), id: randomUid() };
    const { body } = await post(given);
    expect(body).toMatchObject({ group: organization.uid });
    const changed = await put(body.id, { ...given, role: await roleUid("editor") });
    expect(changed.body).toMatchObject({ id: body.id, group: organization.uid });
  });

  test("takes effect at once, and ends at once", async () => {
    const { uid, token: theirs } = await newIdentity(organization, undefined);
    const status = async () => (await callRest("/registry/v2/repos", { token: theirs })).status;
    expect(await status()).toBe(403);
    const id = await bind(uid);
    expect(await status()).toBe(200);
    expect((await remove(id)).status).toBe(200);
    expect(await status()).toBe(403);
    expect((await remove(id)).status).toBe(200);
  });

  test.each([
    ["without an identity", { identity: "" }, "identity"],
    ["without a role", { role: "" }, "role"],
    ["of an identity that is malformed", { identity: "nope" }, "identity"],
    ["of a role that is malformed", { role: "nope" }, "role"],
    [
      "of an identity out of reach",
      { identity: `${"0".repeat(40)}/${"0".repeat(16)}` },
      "identity",
    ],
    ["of an unknown role", { role: "0".repeat(40) }, "role"],
  ])("%s is rejected with the names of version 1", async (_, given, field) => {
    const body = { identity: bot, role: viewer, ...given };
    const id = await bind();
    const before = await v2(id);
    for (const refused of [await post(body), await put(id, body)]) {
      expect([refused.status, violations(refused.body)]).toEqual([400, [field]]);
      expect(refused.body.message).not.toMatch(/_uid/);
    }
    expect(await v2(id)).toEqual(before);
    expect(await stored()).toHaveLength(1);
  });

  test("of an identity of a group below is rejected, and the error says where it can be bound", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "team",
    });
    const { uid } = await createResource(`/iam/v2/identities/${group.uid}`, token, {
      name: "below",
    });
    const wanted = { identity: uid, role: viewer };
    const id = await bind();
    for (const refused of [await post(wanted), await put(id, wanted)]) {
      expect([refused.status, violations(refused.body)]).toEqual([400, ["identity"]]);
      expect(refused.body.message).toContain(`outside ${group.uid}; bind it there or below`);
      expect(refused.body.message).not.toMatch(/_uid/);
    }
    const inBatch = await batch([wanted]);
    expect([inBatch.status, violations(inBatch.body)]).toEqual([
      400,
      ["role_bindings[0].identity"],
    ]);
    expect(await stored()).toHaveLength(1);
    expect((await post(wanted, token, group.uid)).status).toBe(200);
  });

  test("is rejected a second time, and so is one that grants capabilities the caller does not have", async () => {
    await bind();
    const twice = await post({ identity: bot, role: viewer });
    expect([twice.status, twice.body.code]).toEqual([409, 6]);
    const limited = await newIdentity(organization, "limited_owner");
    const owner = { identity: bot, role: await roleUid("owner") };
    expect((await post(owner, limited.token)).status).toBe(403);
    expect((await batch([owner], limited.token)).status).toBe(403);
  });
});

describe("a PUT of a role binding", () => {
  test("replaces identity and role, and requires both", async () => {
    const [id, other, editor] = [await bind(), await newBot(), await roleUid("editor")];
    const { body } = await put(id, { identity: other, role: editor });
    expect(body).toEqual({ id, identity: other, group: organization.uid, role: editor });
    expect(await v2(id)).toMatchObject({ identity: { uid: other }, role: { uid: editor } });
    expect(violations((await put(id, { role: viewer })).body)).toEqual(["identity"]);
    expect(violations((await put(id, { identity: bot })).body)).toEqual(["role"]);
    expect(await v2(id)).toMatchObject({ identity: { uid: other }, role: { uid: editor } });
  });

  test("is NOT_FOUND for an unknown binding", async () => {
    const missing = `${organization.uid}/${"0".repeat(16)}`;
    expect((await put(missing, { identity: bot, role: viewer })).status).toBe(404);
    const malformed = await put("nope", { identity: bot, role: viewer });
    expect(violations(malformed.body)).toEqual(["id"]);
  });
});

describe("a batch of role bindings", () => {
  test("is a JSON array, is created in its order, and writes one event", async () => {
    const editor = await roleUid("editor");
    const bots = await Promise.all(Array.from({ length: 25 }, newBot));
    const given = bots.map((identity, index) => ({ identity, role: index % 2 ? editor : viewer }));
    const { status, body } = await batch(given);
    expect(status).toBe(200);
    expect(body).toEqual({
      roleBindings: given.map((one) => ({
        ...one,
        id: expect.stringMatching(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`)),
        group: organization.uid,
      })),
    });
    const rows = await sql<{ subject: string; group_uid: string; source: string; data: string }>(
      "select * from events where group_uid = ? and type like '%.created.batch.v1'",
      organization.uid,
    );
    expect(rows).toMatchObject([
      {
        subject: body.roleBindings.map(({ id }: { id: string }) => id).join(","),
        group_uid: organization.uid,
        source: "http://localhost:8787/iam/v1/rolebindings/batch",
      },
    ]);
    const data = await unpackText(rows[0]?.data ?? "");
    expect(JSON.parse(data).body).toEqual(body);
  });

  test("is all or nothing, and the error names the faulty binding and the reason", async () => {
    const [one, two] = [
      { identity: bot, role: viewer },
      { identity: await newBot(), role: viewer },
    ];
    const unknown = `${organization.uid}/${"0".repeat(16)}`;
    for (const [body, fields] of [
      [[], ["role_bindings"]],
      [Array.from({ length: 26 }, () => one), ["role_bindings"]],
      [[one, { role: viewer }], ["role_bindings[1].identity"]],
      [[one, two, { identity: bot }], ["role_bindings[2].role"]],
      [[one, { identity: unknown, role: viewer }], ["role_bindings[1].identity"]],
      [[one, { identity: bot, role: unknown }], ["role_bindings[1].role"]],
      [
        [one, { identity: "x", role: "y" }],
        ["role_bindings[1].identity", "role_bindings[1].role"],
      ],
      [{ roleBindings: [one] }, ["body"]],
    ] as const) {
      const refused = await batch(body);
      expect([refused.status, violations(refused.body)]).toEqual([400, fields]);
      expect(refused.body.message).not.toMatch(/_uid|requests/);
    }
    expect((await batch([one, two, one])).status).toBe(409);
    expect(await stored()).toEqual([]);
  });

  test("is rejected for an unknown group, and for another's", async () => {
    const body = [{ identity: bot, role: viewer }];
    expect(violations((await batch(body, token, "nope")).body)).toEqual(["parent"]);
    const missing = `${organization.uid}/${"0".repeat(16)}`;
    expect((await batch(body, token, missing)).status).toBe(404);
    expect((await batch(body, token, (await newOrganization()).uid)).status).toBe(403);
  });
});

describe("a list of role bindings", () => {
  test("shows the whole group and role, and the known data of the identity", async () => {
    const role = await createResource(`/iam/v1/roles/${organization.uid}`, token, {
      ...{ name: "r", description: "of r", capabilities: ["tag.list", "repo.list"] },
    });
    const group = await createResource(`/iam/v1/groups/${organization.uid}`, token, {
      ...{ name: "g", description: "of g" },
    });
    await sql(
      `update groups set resource_limits = '{"clusters":3}', verified = 1, kind = 2 where uid = ?`,
      group.id,
    );
    const claims = { issuer: "https://issuer.example", subject: "sub" };
    const { uid } = await createResource(`/iam/v2/identities/${organization.uid}`, token, {
      ...{ name: "matching", claimMatch: claims },
    });
    await sql(
      "update identities set email = 'a@b.example', email_unverified = 'c@d.example' where uid = ?",
      uid,
    );
    const id = await bind(uid, role.id as string, group.id as string);
    const { items } = (await list(`id=${id}`)).body;
    expect(items).toEqual([
      {
        id,
        group: {
          ...group,
          verified: true,
          kind: "ORG_KIND_CUSTOMER",
          resourceLimits: { clusters: 3 },
        },
        identity: uid,
        role,
        email: "a@b.example",
        claimMatchIssuer: claims.issuer,
        claimMatchSubject: claims.subject,
        createdAt: (await v2(id)).createTime,
        emailUnverified: "c@d.example",
      },
    ]);
  });

  test("shows only the ids of a person who has not logged in, and matchers that are patterns", async () => {
    const stranger = randomUid();
    const { uid } = await createResource(`/iam/v2/identities/${organization.uid}`, token, {
      name: "pattern",
      claimMatch: { issuer: "https://issuer.example", subjectPattern: "^a.*$" },
    });
    const [one, two] = [await bind(stranger), await bind(uid)];
    const [item] = (await list(`id=${one}`)).body.items;
    expect(Object.keys(item)).toEqual(["id", "group", "identity", "role", "createdAt"]);
    expect(item).toMatchObject({ identity: stranger, role: { id: viewer, name: "viewer" } });
    expect(item.role.capabilities).toContain("repo.list");
    const [other] = (await list(`id=${two}`)).body.items;
    expect(other).toMatchObject({ claimMatchIssuer: "https://issuer.example" });
    expect(other).not.toHaveProperty("claimMatchSubject");
  });

  test("is complete, in the order of ids, in one round trip within a place", async () => {
    await sql(
      "insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) select ? || printf('/%016x', value), printf('%040x', value), ?, 1, 1 from json_each(?)",
      organization.uid,
      viewer,
      JSON.stringify(Array.from({ length: 230 }, (_, index) => index + 1)),
    );
    const answer = await list(`uidp.children_of=${organization.uid}`);
    expect(Object.keys(answer.body)).toEqual(["items"]);
    expect(answer.body.items).toHaveLength(231);
    expect(ids(answer)).toEqual([...ids(answer)].sort());
    expect(costOf(answer).roundTrips).toBe(1);
    expect(ids(await list(""))).toEqual(ids(answer));
  });

  test("of more than a response can have is rejected, and a narrower one is not", async () => {
    await sql(
      "insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) select ? || printf('/%016x', value), printf('%040x', value), ?, 1, 1 from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 10000) select value from n)",
      organization.uid,
      viewer,
    );
    const { status, body } = await list("");
    expect([status, body.code]).toEqual([429, 8]);
    expect(body.message).toContain("more than 10000 rows match");
    const one = `${organization.uid}/${"1".padStart(16, "0")}`;
    expect(ids(await list(`id=${one}`))).toEqual([one]);
  });

  test("can be filtered by id, place and both", async () => {
    const group = (await createResource(`/iam/v1/groups/${organization.uid}`, token, { name: "g" }))
      .id;
    const [above, below] = [await bind(), await bind(bot, viewer, group as string)];
    expect(ids(await list(`id=${below}`))).toEqual([below]);
    expect(ids(await list(`uidp.children_of=${group}`))).toEqual([below]);
    expect(ids(await list(`uidp.children_of=${organization.uid}`))).toContain(above);
    expect(ids(await list(`uidp.children_of=${organization.uid}`))).not.toContain(below);
    expect(ids(await list(`uidp.ids=${above}&uidp.ids=${below}`)).sort()).toEqual(
      [above, below].sort(),
    );
    expect(ids(await list(`id=${below}&uidp.descendants_of=${organization.uid}`))).toEqual([below]);
    expect(ids(await list(`id=${below}&uidp.children_of=${organization.uid}`))).toEqual([]);
    expect(ids(await list(`id=${above}&uidp.descendants_of=${group}`))).toEqual([]);
  });

  test("of an unknown id is empty with 200, and of another's id is denied", async () => {
    const missing = await list(`id=${organization.uid}/${"0".repeat(16)}`);
    expect([missing.status, missing.body]).toEqual([200, {}]);
    expect(violations((await list("id=nope")).body)).toEqual(["id"]);
    const other = await newOrganization();
    const theirs = (await callRest("/iam/v1/rolebindings", { token: other.owner.token })).body
      .items[0];
    const refusals = [
      await list(`id=${theirs.id}`),
      await list(`id=${other.uid}/${"0".repeat(16)}`),
      await list("", (await newUser()).token),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(withoutDecisionId(refusals[0]?.body)).toBe(withoutDecisionId(refusals[1]?.body));
    expect(JSON.stringify((await list("")).body)).not.toContain(other.uid);
  });
});

test("a viewer can list, and changes nothing", async () => {
  const { token: theirs }: Persona = await newIdentity(organization, "viewer");
  const id = await bind();
  expect(ids(await list(`id=${id}`, theirs))).toEqual([id]);
  const refused = [
    await post({ identity: bot, role: viewer }, theirs),
    await batch([{ identity: bot, role: viewer }], theirs),
    await put(id, { identity: bot, role: viewer }, theirs),
    await remove(id, theirs),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
});
