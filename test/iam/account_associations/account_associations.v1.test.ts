import { beforeEach, describe, expect, test } from "vitest";
import { withoutDecisionId } from "../../contract/decisions.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomUid,
} from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";

const root = "/iam/v1/account_associations";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const post = (group: string, body: object) => callRest(`${root}/${group}`, { token, body });
const put = (group: string, body: object) =>
  callRest(`${root}/${group}`, { method: "PUT", token, body });
const remove = (group: string) => callRest(`${root}/${group}`, { method: "DELETE", token });
const check = (group: string, body: object) => callRest(`${root}/${group}:check`, { token, body });
const list = (query = "", as = token) => callRest(`${root}?${query}`, { token: as });
const groupsOf = async (query: string) => {
  const { status, body } = await list(query);
  expect(status, JSON.stringify(body)).toBe(200);
  return ((body.items ?? []) as { group: string }[]).map(({ group }) => group);
};
const inV2 = async (group: string) =>
  (await callRest(`/iam/v2/accountAssociations/${group}`, { token })).body;
const newGroup = async (name: string) =>
  (await createResource(`/iam/v2/groups/${organization.uid}`, token, { name })).uid;
const servant = async (servicePrincipal: string) =>
  (
    await createResource(`/iam/v2/identities/${organization.uid}`, token, {
      name: "bot",
      servicePrincipal,
    })
  ).uid;
const fieldsOf = (body: { details: { fieldViolations?: { field: string }[] }[] }) =>
  body.details.flatMap((one) => one.fieldViolations ?? []).map(({ field }) => field);
const events = (group: string) =>
  sql<{ type: string; source: string; body_type: string; data: string }>(
    "select * from events where subject = ? and type like '%account_associations%' order by time",
    group,
  );

const links = {
  amazon: { account: "123456789012" },
  google: { projectId: "my-project", projectNumber: "987654321" },
  azure: {
    tenantId: "11111111-2222-3333-4444-555555555555",
    clientIds: { scanner: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee" },
  },
  github: {
    appInstallations: {
      "42": { installations: [{ installationId: "9007199254740993", name: "acme" }] },
      "43": {},
    },
  },
};

/** All fields that a client can set, with the identity of a service. */
const everything = async () => ({
  ...{ name: "clouds", description: "all of them", ...links },
  vendor: { serviceBindings: { COSIGNED: await servant("SERVICE_PRINCIPAL_COSIGNED") } },
});

test("an account association is the same in both versions, whichever created it", async () => {
  const given = await everything();
  const group = organization.uid;
  const { status, body } = await post(group, { ...given, group: "ignored" });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toEqual({ group, ...given });
  const { createTime, updateTime, ...read } = await inV2(group);
  expect([read, updateTime]).toEqual([{ uid: group, ...given }, createTime]);
  expect((await list(`group=${group}`)).body).toEqual({ items: [body] });
  expect((await post(group, given)).body.code).toBe(6);
  const other = await newGroup("other");
  await createResource(`/iam/v2/accountAssociations/${other}`, token, { name: "v2", ...links });
  expect((await list(`group=${other}`)).body).toEqual({
    items: [{ group: other, name: "v2", ...links }],
  });
});

describe("a PUT of an account association", () => {
  test("replaces the whole, and removes each link that it leaves out", async () => {
    const given = await everything();
    const group = organization.uid;
    await post(group, given);
    for (const kept of ["amazon", "google", "vendor", "azure", "github"] as const) {
      const sent = { name: "less", [kept]: given[kept] };
      const { status, body } = await put(group, sent);
      expect([status, body]).toEqual([200, { group, ...sent }]);
      const { createTime: _, updateTime: __, ...read } = await inV2(group);
      expect(read).toEqual({ uid: group, ...sent });
      await put(group, given);
    }
    const { body } = await put(group, { name: "none" });
    expect(body).toEqual({ group, name: "none" });
  });

  test("of a group that has none is NOT_FOUND, and a DELETE is not", async () => {
    const group = await newGroup("bare");
    expect(await put(group, { name: "x" })).toMatchObject({ status: 404, body: { code: 5 } });
    expect((await remove(group)).status).toBe(200);
    expect(await events(group)).toEqual([]);
    const gone = `${organization.uid}/${"0".repeat(16)}`;
    expect(await post(gone, { name: "x" })).toMatchObject({ status: 404, body: { code: 5 } });
  });
});

describe("an error names the field as in version 1:", () => {
  test.each([
    ["name", { name: "UPPER" }],
    ["amazon.account", { amazon: { account: "1" } }],
    ["google.project_id", { google: { projectNumber: "1" } }],
    ["azure.tenant_id", { azure: { ...links.azure, tenantId: "x" } }],
    [
      "github.app_installations[42].installations[0].installation_id",
      { github: { appInstallations: { "42": { installations: [{ name: "acme" }] } } } },
    ],
    [
      'vendor.service_bindings["COSIGNED"]',
      { vendor: { serviceBindings: { COSIGNED: "0".repeat(40) } } },
    ],
  ])("%s, on create and on update", async (field, more) => {
    const [made, bare] = [await newGroup("made"), await newGroup("bare")];
    await post(made, { name: "clouds", ...links });
    for (const answer of [
      await put(made, { name: "clouds", ...more }),
      await post(bare, { name: "clouds", ...more }),
    ]) {
      expect([answer.status, fieldsOf(answer.body)]).toEqual([400, [field]]);
    }
    expect(await groupsOf("")).toEqual([made]);
    expect(await inV2(made)).toMatchObject(links);
  });

  test("an error names group and account_type as version 1 does", async () => {
    const refused = [
      ["group", await post("x", { name: "clouds" })],
      ["group", await put("x", { name: "clouds" })],
      ["group", await remove("x")],
      ["group", await list("group=x")],
      ["group", await check("x", { accountType: "GOOGLE" })],
      ["account_type", await check(organization.uid, {})],
      ["account_type", await check(organization.uid, { accountType: 7 })],
    ] as const;
    for (const [field, { status, body }] of refused) {
      expect([status, fieldsOf(body)]).toEqual([400, [field]]);
      expect(body.message).not.toMatch(/\buid\b|provider_type/);
    }
  });
});

describe("a list of account associations", () => {
  test("is that of a group, of a name, or of both", async () => {
    const [one, two] = [await newGroup("one"), await newGroup("two")];
    await post(one, { name: "same" });
    await post(two, { name: "same" });
    await post(organization.uid, { name: "other" });
    expect(await groupsOf("")).toEqual([organization.uid, one, two].sort());
    expect((await groupsOf("name=same")).sort()).toEqual([one, two].sort());
    expect(await groupsOf(`group=${two}&name=same`)).toEqual([two]);
    expect(await groupsOf(`group=${two}&name=other`)).toEqual([]);
    expect(await groupsOf(`group=${await newGroup("bare")}`)).toEqual([]);
    expect(await groupsOf(`group=${organization.uid}/${"0".repeat(16)}`)).toEqual([]);
  });

  test("of more than a version 2 page is complete", async () => {
    const numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 230)";
    const rows = "select ? || '/' || printf('%016x', i), 'g' || i";
    await sql(
      `${numbers} insert into groups (uid, name, status, create_time, update_time) ${rows}, 2, 1, 1 from n`,
      organization.uid,
    );
    await sql(
      `${numbers} insert into account_associations (uid, name, accounts, create_time, update_time) ${rows}, '{}', 1, 1 from n`,
      organization.uid,
    );
    const answer = await list();
    expect([Object.keys(answer.body), answer.body.items.length]).toEqual([["items"], 230]);
    expect(costOf(answer).roundTrips).toBeLessThanOrEqual(2);
  });

  test("contains nothing of another organization, and rejects its uid like an unknown one", async () => {
    const other = await newOrganization();
    await createResource(`/iam/v2/accountAssociations/${other.uid}`, other.owner.token, {
      name: "theirs",
    });
    await post(organization.uid, { name: "ours" });
    expect(await groupsOf("")).toEqual([organization.uid]);
    const [refused, absent] = [
      await list(`group=${other.uid}`),
      await list(`group=${randomUid()}`),
    ];
    expect(refused.status).toBe(403);
    expect(withoutDecisionId(refused.body)).toBe(withoutDecisionId(absent.body));
    const writes = [() => post(other.uid, { name: "x" }), () => put(other.uid, { name: "x" })];
    for (const write of [...writes, () => remove(other.uid)]) {
      expect((await write()).status).toBe(403);
    }
  });
});

test("events have the message of version 1, and the event of a deletion has no body", async () => {
  const group = await newGroup("seen");
  const { body: made } = await post(group, { name: "clouds", ...links });
  const { body: changed } = await put(group, { name: "less" });
  await remove(group);
  const outboxEvents = await events(group);
  expect(
    outboxEvents.map(({ type, source, body_type, data }) => [
      type,
      source,
      body_type,
      JSON.parse(data).body,
    ]),
  ).toEqual(
    [
      ["created", "platform.iam.AccountAssociations", made],
      ["updated", "platform.iam.AccountAssociations", changed],
      ["deleted", "", undefined],
    ].map(([what, message, body]) => [
      `dev.vendor.api.iam.account_associations.${what}.v1`,
      `http://localhost:8787${root}`,
      message,
      body,
    ]),
  );
});

describe("a check of an account association", () => {
  test("without a link is NotReady, emits no event, and requires the list capability", async () => {
    await post(organization.uid, { name: "clouds", google: links.google });
    const { token: viewer } = await newIdentity(organization, "viewer");
    const body = { accountType: "AZURE" };
    const answer = await callRest(`${root}/${organization.uid}:check`, { token: viewer, body });
    expect([answer.status, answer.body]).toEqual([
      200,
      { ready: "NotReady", reason: "not configured" },
    ]);
    expect(await events(organization.uid)).toHaveLength(1);
    const other = await newOrganization();
    expect((await check(other.uid, body)).status).toBe(403);
    const gone = `${organization.uid}/${"0".repeat(16)}`;
    expect(await check(gone, body)).toMatchObject({ status: 404, body: { code: 5 } });
  });
});
