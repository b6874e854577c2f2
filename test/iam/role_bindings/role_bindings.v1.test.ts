import { beforeEach, describe, expect, test } from "vitest";
import { unpackText } from "../../../src/outbox/stored_data.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { listedIds, resourceCalls, violatedFields } from "../../world/resource_calls.ts";

let organization: Organization;
let token: string;
let bot: string;
let viewer: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  [bot, viewer] = await Promise.all([newBot(), roleUid("viewer")]);
});

const newBot = async () => (await newIdentity(organization, undefined)).uid;
const { list, post: create, put } = resourceCalls("/iam/v1/rolebindings", () => token);
const post = (body: object) => create(organization.uid, body);
const batch = (body: unknown) => create(`batch/${organization.uid}`, body);
const bind = async (identity = bot, role = viewer, group = organization.uid): Promise<string> =>
  (await create(group, { identity, role })).body.id;
const v2 = async (id: string) => (await callRest(`/iam/v2/roleBindings/${id}`, { token })).body;
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
});

describe("a PUT of a role binding", () => {
  test("replaces identity and role", async () => {
    const [id, other, editor] = [await bind(), await newBot(), await roleUid("editor")];
    const { body } = await put(id, { identity: other, role: editor });
    expect(body).toEqual({ id, identity: other, group: organization.uid, role: editor });
    expect(await v2(id)).toMatchObject({ identity: { uid: other }, role: { uid: editor } });
  });
});

describe("a batch of role bindings", () => {
  test("is a JSON array, is created in its order, and writes one event", async () => {
    const editor = await roleUid("editor");
    const bots = await Promise.all(Array.from({ length: 3 }, newBot));
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
      expect([refused.status, violatedFields(refused.body)]).toEqual([400, fields]);
      expect(refused.body.message).not.toMatch(/_uid|requests/);
    }
    expect((await batch([one, two, one])).status).toBe(409);
    expect(await stored()).toEqual([]);
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
    expect(listedIds(await list(`id=${one}`))).toEqual([one]);
  });
});
