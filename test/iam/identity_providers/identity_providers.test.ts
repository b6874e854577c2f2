import { beforeEach, describe, expect, test } from "vitest";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { allCapabilities, newContractCaller } from "../../contract/fixtures.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { resourceCalls, violatedField } from "../../world/resource_calls.ts";
import {
  identityProviderBody,
  newIdentityProvider,
  secretOf,
  sharedProvider,
  startOpenidProvider,
} from "./openid_provider.ts";

const root = "/iam/v2/identityProviders";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const { get, patch, post } = resourceCalls(root, () => token);
const create = (body: unknown) => post(organization.uid, body);
const rowOf = async (uid: string) =>
  (await sql("select * from identity_providers where uid = ?", uid))[0] as Record<string, unknown>;

describe("an identity provider", () => {
  test("never shows its secret: not in responses, lists, events, or in plain text in the table", async () => {
    const { uid } = await newIdentityProvider(organization, { clientSecret: "hush-hush" });
    const changed = await patch(uid, { oidc: { clientSecret: "hush-again" } });
    const list = await callRest(`${root}?uidp.children_of=${organization.uid}`, { token });
    const events = await sql("select * from events where subject = ?", uid);
    expect(events).toHaveLength(2);
    const seen = [changed.body, list.body, (await get(uid)).body, events, await rowOf(uid)];
    expect(JSON.stringify(seen)).not.toContain("hush");
    expect(JSON.stringify(seen.slice(0, 3))).not.toContain("clientSecret");
    expect(await secretOf(uid)).toBe("hush-again");
  });

  test("prevents the deletion of the roles that it gives", async () => {
    const role = await createResource(`/iam/v2/roles/${organization.uid}`, token, {
      name: "own",
      capabilities: ["CAP_REPO_LIST"],
    });
    const body = await identityProviderBody({}, { defaultRole: role.uid });
    const { uid } = await createResource(`${root}/${organization.uid}`, token, body);
    const remove = () => callRest(`/iam/v2/roles/${role.uid}`, { method: "DELETE", token });
    expect((await remove()).body.details[1].violations[0].type).toBe("RESOURCE_IN_USE");
    await callRest(`${root}/${uid}`, { method: "DELETE", token });
    expect((await remove()).status).toBe(200);
  });
});

describe("a create is rejected, and nothing is written, for", () => {
  const cases: [string, object, object, string][] = [
    ["neither secret nor PKCE", { clientSecret: "" }, {}, "oidc.client_secret"],
    ["an issuer over http", { issuer: "http://idp.example" }, {}, "oidc.issuer"],
    ["an issuer with a query", { issuer: "https://idp.example/?a=b" }, {}, "oidc.issuer"],
    ["an issuer with a password", { issuer: "https://a:b@idp.example" }, {}, "oidc.issuer"],
    ["the platform itself", { issuer: "http://localhost:8787" }, {}, "oidc.issuer"],
    ["no issuer", { issuer: "" }, {}, "oidc.issuer"],
    ["no client id", { clientId: "" }, {}, "oidc.client_id"],
    ["a scope that is two", { additionalScopes: ["a b"] }, {}, "oidc.additional_scopes[0]"],
    ["no default role", {}, { defaultRole: "" }, "default_role"],
    ["an unknown default role", {}, { defaultRole: randomUid() }, "default_role"],
    ["a bad name", {}, { name: "Big" }, "name"],
  ];
  test.each(cases)("%s", async (_, oidc, others, field) => {
    const { status, body } = await create(await identityProviderBody(oidc, others));
    expect([status, violatedField(body)]).toEqual([400, field]);
    expect(
      await sql("select 1 from identity_providers where parent = ?", organization.uid),
    ).toEqual([]);
  });

  test("a create without a configuration is rejected and writes nothing", async () => {
    const { oidc: _, ...body } = await identityProviderBody();
    expect((await create(body)).status).toBe(400);
  });

  test("a role of another organization, or of a group below", async () => {
    const elsewhere = await newOrganization();
    const own = { name: "r", capabilities: ["CAP_REPO_LIST"] };
    const theirs = await createResource(
      `/iam/v2/roles/${elsewhere.uid}`,
      elsewhere.owner.token,
      own,
    );
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "sub",
    });
    const below = await createResource(`/iam/v2/roles/${group.uid}`, token, own);
    for (const { uid } of [theirs, below]) {
      const { body } = await create(await identityProviderBody({}, { defaultRole: uid }));
      expect(violatedField(body)).toBe("default_role");
    }
  });
});

describe("an update of an identity provider", () => {
  test("with a mask keeps the other fields and the secret", async () => {
    const before = await newIdentityProvider(organization);
    const { body } = await patch(before.uid, { oidc: { groupsClaim: "teams" } });
    expect(body.oidc).toEqual({ ...(before.oidc as object), groupsClaim: "teams" });
    expect(body.updateTime > body.createTime).toBe(true);
    expect(await secretOf(before.uid)).toBe("sec-ret");
  });

  test("keeps the secret if the whole configuration is sent without it", async () => {
    const { uid, oidc } = await newIdentityProvider(organization);
    const body = { oidc: { ...(oidc as object), clientId: "new" } };
    expect((await patch(uid, body, token, "?updateMask=oidc")).body.oidc.clientId).toBe("new");
    expect(await secretOf(uid)).toBe("sec-ret");
  });

  test("clears the secret if it is sent empty, with PKCE", async () => {
    const { uid } = await newIdentityProvider(organization);
    const refused = await patch(uid, { oidc: { clientSecret: "" } });
    expect([refused.status, violatedField(refused.body)]).toEqual([400, "oidc.client_secret"]);
    expect(await secretOf(uid)).toBe("sec-ret");
    expect((await patch(uid, { oidc: { clientSecret: "", pkceEnabled: true } })).status).toBe(200);
    expect(await secretOf(uid)).toBe("");
    const bare = await patch(uid, { oidc: { pkceEnabled: false } });
    expect(violatedField(bare.body)).toBe("oidc.client_secret");
  });

  test("accepts the same correlation rule or none, and no other", async () => {
    const rule = "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID";
    const { uid, oidc } = await newIdentityProvider(organization, { correlationRule: rule });
    expect(oidc).toMatchObject({ correlationRule: rule });
    for (const correlationRule of [rule, "CORRELATION_RULE_UNSPECIFIED"]) {
      const { body } = await patch(uid, { oidc: { correlationRule } });
      expect(body.oidc.correlationRule).toBe(rule);
    }
    const other = "CORRELATION_RULE_SUB_EQUALS_EXTERNAL_ID";
    const refused = await patch(uid, { oidc: { correlationRule: other } });
    expect(violatedField(refused.body)).toBe("oidc.correlation_rule");
  });

  test("ignores a copy of scim", async () => {
    const { uid, scim } = await newIdentityProvider(organization);
    const { body } = await patch(uid, { scim: { ...(scim as object), enabled: true }, name: "n" });
    expect([body.name, body.scim.enabled]).toEqual(["n", false]);
  });

  const changer = () =>
    newContractCaller(organization.uid, [
      Capability.CAP_IAM_IDENTITY_PROVIDERS_UPDATE,
      Capability.CAP_IAM_ROLE_BINDINGS_CREATE,
    ]);

  test("cannot change the login if its roles have capabilities that the caller does not have", async () => {
    const { uid } = await newIdentityProvider(organization);
    const { url } = await startOpenidProvider();
    const { token: weak } = await changer();
    for (const oidc of [
      { issuer: url },
      { clientId: "mine" },
      { groupsClaim: "nickname" },
      { additionalScopes: ["x"] },
    ]) {
      expect([oidc, (await patch(uid, { oidc }, weak)).status]).toEqual([oidc, 403]);
    }
    const oidc = { issuer: url, clientSecret: "for that one" };
    expect((await patch(uid, { oidc })).status).toBe(200);
  });

  test("does not keep the client secret for another issuer", async () => {
    const { uid } = await newIdentityProvider(organization);
    const { url } = await startOpenidProvider();
    const refused = await patch(uid, { oidc: { issuer: url } });
    expect(violatedField(refused.body)).toBe("oidc.client_secret");
    expect(await secretOf(uid)).toBe("sec-ret");
    expect((await patch(uid, { oidc: { issuer: url, pkceEnabled: true } })).status).toBe(200);
    expect(await secretOf(uid)).toBe("");
  });

  const capabilitiesOf = async (role: string) => {
    const uid = await roleUid(role);
    const [row] = await sql<{ capabilities: string }>(
      "select capabilities from roles where uid = ?",
      uid,
    );
    return JSON.parse(row?.capabilities ?? "[]") as number[];
  };

  test("to change how people log in requires the capabilities of an owner, and so does a create", async () => {
    const { uid } = await newIdentityProvider(organization);
    const given = [
      ...(await capabilitiesOf("viewer")),
      Capability.CAP_IAM_IDENTITY_PROVIDERS_CREATE,
      Capability.CAP_IAM_IDENTITY_PROVIDERS_UPDATE,
      Capability.CAP_IAM_ROLE_BINDINGS_CREATE,
    ];
    const { token: weak } = await newContractCaller(organization.uid, given);
    expect((await patch(uid, { oidc: { clientId: "one" } }, weak)).status).toBe(403);
    const body = await identityProviderBody();
    const made = await callRest(`${root}/${organization.uid}`, { token: weak, body });
    expect(made.status).toBe(403);
    const { token: strong } = await newContractCaller(
      organization.uid,
      await capabilitiesOf("owner"),
    );
    expect((await patch(uid, { oidc: { clientId: "one" } }, strong)).status).toBe(200);
    await sql(
      "insert into external_group_role_mappings (uid, external_group_id, role_uid, scope, create_time, update_time) values (?, 'admins', ?, ?, 1, 1)",
      `${uid}/${"2".repeat(16)}`,
      await roleUid("operator"),
      organization.uid,
    );
    expect((await patch(uid, { oidc: { clientId: "two" } }, strong)).status).toBe(403);
  });
});

test("the deletion of a provider deletes its mappings, users, sign-ins and refresh tokens", async () => {
  const { uid } = await newIdentityProvider(organization);
  const other = await newIdentityProvider(organization);
  const person = randomUid();
  await createResource(`/iam/v2/externalGroupRoleMappings/${uid}`, token, {
    externalGroupId: "g",
    roleUid: await roleUid("viewer"),
    scope: organization.uid,
  });
  await sql(
    "insert into scim_users (uid, user_name, user_name_key, attributes, create_time, update_time) values (?, 'a', 'a', '{}', 1, 1)",
    `${uid}/${"1".repeat(16)}`,
  );
  for (const provider of [uid, other.uid]) {
    await sql("insert into sign_ins values (?, ?, 1, 1)", provider, person);
    await sql(
      "insert into refresh_tokens (digest, family, identity_uid, identity_provider_uid, claims, create_time, expire_time) values (?, ?, ?, ?, '{}', 1, 9e12)",
      randomName("digest"),
      randomName("family"),
      person,
      provider,
    );
  }
  const gone = await callRest(`${root}/${uid}`, { method: "DELETE", token });
  expect([gone.status, gone.body]).toEqual([200, undefined]);
  const left = async (table: string, column: string) =>
    sql(`select 1 from ${table} where ${column} = ?`, uid);
  for (const [table, column] of [
    ["identity_providers", "uid"],
    ["external_group_role_mappings", "parent"],
    ["scim_users", "parent"],
    ["sign_ins", "identity_provider_uid"],
  ]) {
    expect([table, await left(table ?? "", column ?? "")]).toEqual([table, []]);
  }
  const tokens = await sql<{ identity_provider_uid: string; revoke_time: number | null }>(
    "select identity_provider_uid, revoke_time from refresh_tokens where identity_uid = ?",
    person,
  );
  const revoked = tokens.filter(({ revoke_time }) => revoke_time !== null);
  expect(revoked.map((one) => one.identity_provider_uid)).toEqual([uid]);
  expect((await get(uid)).status).toBe(404);
  expect((await callRest(`${root}/${uid}`, { method: "DELETE", token })).status).toBe(404);
});

test("keeps both of two parallel changes", async () => {
  const { uid } = await newIdentityProvider(organization);
  const { token: all } = await newContractCaller(organization.uid, allCapabilities);
  const answers = await Promise.all([
    patch(uid, { description: "d" }),
    patch(uid, { name: "renamed" }, all),
    callRest(`${root}/${uid}:generateScimToken`, { token, body: {} }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await get(uid)).body).toMatchObject({
    description: "d",
    name: "renamed",
    scim: { etag: "scim-1" },
  });
});

test("the shared provider receives requests for its discovery document only", async () => {
  await newIdentityProvider(organization);
  expect(new Set((await sharedProvider()).log)).toEqual(
    new Set(["/.well-known/openid-configuration"]),
  );
});
