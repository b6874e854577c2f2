import { base64url, compactDecrypt } from "jose";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { withoutDecisionId } from "../../contract/decisions.ts";
import { newContractCaller } from "../../contract/fixtures.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import {
  identityProviderBody,
  newIdentityProvider,
  startOpenidProvider,
} from "./openid_provider.ts";

const root = "/iam/v1/identityProviders";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const create = (body: unknown, at = organization.uid) => callRest(`${root}/${at}`, { token, body });
const put = (id: string, body: unknown, as = token) =>
  callRest(`${root}/${id}`, { method: "PUT", token: as, body });
const inV2 = async (id: string) =>
  (await callRest(`/iam/v2/identityProviders/${id}`, { token })).body;
const list = (query: string) => callRest(`${root}?${query}`, { token });
const idsOf = async (query: string) => {
  const { status, body } = await list(query);
  expect(status, JSON.stringify(body)).toBe(200);
  return ((body.items ?? []) as { id: string }[]).map(({ id }) => id);
};
const fieldsOf = (body: { details: { fieldViolations?: { field: string }[] }[] }) =>
  body.details.flatMap((one) => one.fieldViolations ?? []).map(({ field }) => field);
const events = (subject: string) =>
  sql<{ type: string; source: string; body_type: string; data: string }>(
    "select * from events where subject = ? order by time",
    subject,
  );

/** The stored secret in plain text, decrypted as a login decrypts it. */
async function secretOf(uid: string): Promise<string> {
  const [row] = await sql<{ secret: string }>(
    "select client_secret as secret from identity_providers where uid = ?",
    uid,
  );
  if (!row?.secret) return "";
  const [key] = JSON.parse(inject("encryptionKeys")) as string[];
  const { plaintext } = await compactDecrypt(row.secret, base64url.decode(key ?? ""));
  return new TextDecoder().decode(plaintext);
}

const oidRule = "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID";
const everything = async () =>
  identityProviderBody(
    {
      ...{ additionalScopes: ["email"], groupsClaim: "groups" },
      ...{ pkceEnabled: true, correlationRule: oidRule },
    },
    { description: "d" },
  );

describe("an identity provider", () => {
  test("is the same in both versions, whichever created it, without its secret", async () => {
    const given = await everything();
    const { status, body } = await create(given);
    expect(status, JSON.stringify(body)).toBe(200);
    const { clientSecret: _, ...oidc } = given.oidc;
    const { id } = body;
    expect(id).toMatch(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`));
    expect(body).toEqual({
      ...{ ...given, id, oidc },
      scim: {
        enabled: false,
        endpointUrl: `http://localhost:8787/scim/v2/${id}`,
        credentialState: "CREDENTIAL_STATE_NOT_ISSUED",
      },
    });
    const { createTime, updateTime, uid, ...read } = await inV2(id);
    expect([uid, updateTime, { ...read, id }]).toEqual([id, createTime, body]);
    expect((await list(`id=${id}`)).body).toEqual({ items: [body] });
    expect(await secretOf(id)).toBe("sec-ret");
    const other = await newIdentityProvider(organization, { groupsClaim: "teams" });
    const [shown] = (await list(`id=${other.uid}`)).body.items;
    const { uid: _uid, createTime: _c, updateTime: _u, ...same } = other;
    expect(shown).toEqual({ id: other.uid, ...same });
  });

  test("never shows its secret: not in responses, lists or events", async () => {
    const { body } = await create(await identityProviderBody({ clientSecret: "hush-hush" }));
    const changed = await put(body.id, await identityProviderBody({ clientSecret: "hush-again" }));
    const seen = [body, changed.body, (await list("")).body, await events(body.id)];
    expect(changed.status).toBe(200);
    expect(JSON.stringify(seen)).not.toContain("hush");
    expect(JSON.stringify(seen)).not.toContain("clientSecret");
    expect(await secretOf(body.id)).toBe("hush-again");
  });
});

describe("a PUT of an identity provider", () => {
  test("resets the fields that it leaves out, except the secret and the correlation rule", async () => {
    const { body: made } = await create(await everything());
    const { name, defaultRole, oidc } = await identityProviderBody({ pkceEnabled: false });
    const { issuer } = oidc;
    const sent = { name, defaultRole, oidc: { issuer, clientId: "other" } };
    const { status, body } = await put(made.id, { ...sent, scim: { enabled: true } });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toEqual({
      ...{ id: made.id, name, defaultRole, scim: made.scim },
      oidc: { issuer, clientId: "other", correlationRule: oidRule, pkceEnabled: false },
    });
    expect(await inV2(made.id)).toMatchObject({ name, oidc: body.oidc });
    expect(await secretOf(made.id)).toBe("sec-ret");
  });

  test("with the fields as they were read changes nothing", async () => {
    const { body: made } = await create(await everything());
    const before = await inV2(made.id);
    expect((await put(made.id, made)).body).toEqual(made);
    expect(await inV2(made.id)).toEqual(before);
    expect(await secretOf(made.id)).toBe("sec-ret");
  });

  test("does not keep the secret for another issuer", async () => {
    const { body: made } = await create(await everything());
    const { url: issuer } = await startOpenidProvider();
    const moved = { ...made, oidc: { ...made.oidc, issuer } };
    expect((await put(made.id, moved)).status).toBe(200);
    expect(await secretOf(made.id)).toBe("");
    const bare = { ...moved, oidc: { ...moved.oidc, pkceEnabled: false } };
    const refused = await put(made.id, bare);
    expect([refused.status, fieldsOf(refused.body)]).toEqual([400, ["oidc.client_secret"]]);
  });

  test("that changes how people log in requires the capabilities of an owner", async () => {
    const { body: made } = await create(await everything());
    const { token: weak } = await newContractCaller(organization.uid, [
      Capability.CAP_IAM_IDENTITY_PROVIDERS_UPDATE,
      Capability.CAP_IAM_ROLE_BINDINGS_CREATE,
    ]);
    const oidc = { ...made.oidc, clientId: "mine" };
    expect((await put(made.id, { ...made, oidc }, weak)).status).toBe(403);
    expect((await put(made.id, { ...made, description: "fine" }, weak)).status).toBe(200);
  });

  test("of an unknown one is NOT_FOUND, and so is a DELETE", async () => {
    const gone = `${organization.uid}/${"0".repeat(16)}`;
    expect(await put(gone, await everything())).toMatchObject({ status: 404, body: { code: 5 } });
    const removed = await callRest(`${root}/${gone}`, { method: "DELETE", token });
    expect(removed).toMatchObject({ status: 404, body: { code: 5 } });
  });
});

describe("an error names the field as in version 1, and nothing is written:", () => {
  test.each([
    ["name", { name: "UPPER" }],
    ["default_role", { defaultRole: "" }],
    ["default_role", { defaultRole: "0".repeat(40) }],
    ["configuration", { oidc: undefined }],
    ["oidc.issuer", { oidc: { issuer: "http://a.example", clientId: "c", pkceEnabled: true } }],
    ["oidc.client_id", { oidc: { issuer: "https://a.example", pkceEnabled: true } }],
    ["oidc.client_secret", { oidc: { issuer: "https://a.example", clientId: "c" } }],
  ])("%s of %j", async (field, more) => {
    const { status, body } = await create({ ...(await everything()), ...more });
    expect([status, fieldsOf(body)]).toEqual([400, [field]]);
    expect(await idsOf("")).toEqual([]);
    if (field === "oidc.client_secret") return;
    const { body: made } = await create(await everything());
    const refused = await put(made.id, { ...made, ...more });
    expect([refused.status, fieldsOf(refused.body)]).toEqual([400, [field]]);
    expect((await list(`id=${made.id}`)).body.items).toEqual([made]);
  });

  test("another correlation rule, a malformed parent and a malformed id", async () => {
    const { body: made } = await create(await everything());
    const oidc = { ...made.oidc, correlationRule: "CORRELATION_RULE_SUB_EQUALS_EXTERNAL_ID" };
    expect(fieldsOf((await put(made.id, { ...made, oidc })).body)).toEqual([
      "oidc.correlation_rule",
    ]);
    expect(fieldsOf((await create(await everything(), "x")).body)).toEqual(["parent_id"]);
    expect(fieldsOf((await put("x", made)).body)).toEqual(["id"]);
    expect(fieldsOf((await list("id=x")).body)).toEqual(["id"]);
    const name = "a".repeat(999);
    for (const query of [`name=${name}`, `id=${made.id}&name=${name}`]) {
      expect(fieldsOf((await list(query)).body)).toEqual(["name"]);
    }
  });
});

describe("a list of identity providers", () => {
  test("by id shows the state of the SCIM token, because there is no Get", async () => {
    const { uid } = await newIdentityProvider(organization);
    await callRest(`${root}/${uid}:generateScimToken`, { token, body: {} });
    const answer = await list(`id=${uid}`);
    expect(answer.body.items[0].scim).toEqual((await inV2(uid)).scim);
    expect(answer.body.items[0].scim.credentialState).toBe("CREDENTIAL_STATE_LIVE");
    expect(costOf(answer).roundTrips).toBe(1);
    expect((await list("")).body.items[0].scim).toEqual({
      ...{ enabled: false, etag: "scim-1" },
      endpointUrl: `http://localhost:8787/scim/v2/${uid}`,
    });
  });

  test("can be filtered by id, name and place, and by all together", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "sub",
    });
    const one = await newIdentityProvider(organization);
    const { body: two } = await create(await everything(), group.uid);
    expect(await idsOf("")).toEqual([one.uid, two.id].sort());
    expect(await idsOf(`name=${two.name}`)).toEqual([two.id]);
    const under = `uidp.childrenOf=${group.uid}`;
    expect(await idsOf(under)).toEqual([two.id]);
    expect(await idsOf(`id=${two.id}&${under}&name=${two.name}`)).toEqual([two.id]);
    expect(await idsOf(`id=${two.id}&name=${one.name}`)).toEqual([]);
    expect(await idsOf(`id=${one.uid}&${under}`)).toEqual([]);
    expect(await idsOf(`name=${one.name}&${under}`)).toEqual([]);
    expect(await idsOf(`id=${organization.uid}/${"0".repeat(16)}`)).toEqual([]);
  });

  test("of more than a version 2 page is complete", async () => {
    await sql(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 230)
       insert into identity_providers (uid, name, default_role, issuer, client_id, additional_scopes, create_time, update_time)
       select ? || '/' || printf('%016x', i), 'idp-' || i, ?, 'https://a.example', 'c', '[]', 1, 1 from n`,
      organization.uid,
      await roleUid("viewer"),
    );
    const { body } = await list(`uidp.children_of=${organization.uid}`);
    expect([Object.keys(body), body.items.length]).toEqual([["items"], 230]);
  });
});

test("events have the message of version 1 without the correlation rule", async () => {
  const { body: made } = await create(await everything());
  const { body: changed } = await put(made.id, { ...made, description: "e" });
  const removed = await callRest(`${root}/${made.id}`, { method: "DELETE", token });
  expect([removed.status, removed.body]).toEqual([200, undefined]);
  const shown = (await events(made.id)).map((one) => ({ ...one, body: JSON.parse(one.data).body }));
  const { correlationRule: _, ...oidc } = made.oidc;
  expect(shown.map(({ body }) => body)).toEqual([
    { ...made, oidc },
    { ...changed, oidc },
    { id: made.id },
  ]);
  expect(shown.map(({ type, source, body_type }) => [type, source, body_type])).toEqual(
    [
      ["created", "IdentityProvider"],
      ["updated", "IdentityProvider"],
      ["deleted", "DeleteIdentityProviderRequest"],
    ].map(([what, message]) => [
      `dev.vendor.api.iam.identity_providers.${what}.v1`,
      `http://localhost:8787${root}`,
      `platform.iam.${message}`,
    ]),
  );
});

test("another organization's provider is denied like an unknown one", async () => {
  const theirs = await newIdentityProvider(await newOrganization());
  const none = `${randomUid()}/${"0".repeat(16)}`;
  const body = await everything();
  for (const ask of [
    (id: string) => put(id, body),
    (id: string) => callRest(`${root}/${id}`, { method: "DELETE", token }),
    (id: string) => list(`id=${id}`),
    (id: string) => callRest(`${root}/${id}:revokeScimToken`, { token, body: {} }),
  ]) {
    const [refused, absent] = [await ask(theirs.uid), await ask(none)];
    expect(refused.status).toBe(403);
    expect(withoutDecisionId(refused.body)).toBe(withoutDecisionId(absent.body));
  }
});
