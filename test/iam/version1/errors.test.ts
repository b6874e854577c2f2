/** Errors of version 1 name the fields of version 1, and what they refuse changes nothing. */
import { beforeAll, describe, expect, test } from "vitest";
import { organizationRows } from "../../contract/organization_rows.ts";
import { createResource, newOrganization, randomName, roleUid } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { violatedFields } from "../../world/resource_calls.ts";
import {
  identityProviderBody,
  newIdentityProvider,
} from "../identity_providers/openid_provider.ts";

interface Kind {
  /** The uid that a new one is created below. */
  parent: string;
  /** A valid body. */
  body: object;
  /** The uid of one that a PUT can replace. */
  made?: string;
}

const kinds: Record<string, Kind> = {};
let organization: string;
let token: string;
let group: string;
beforeAll(async () => {
  const { uid, owner } = await newOrganization();
  [organization, token] = [uid, owner.token];
  const make = (kind: string, parent: string, body: object) =>
    createResource(`/iam/v1/${kind}/${parent}`, token, body);
  const id = async (kind: string, body: object) => String((await make(kind, uid, body)).id);
  const named = { name: "made" };
  const role = { ...named, capabilities: ["repo.list"] };
  const viewer = await roleUid("viewer");
  const bound = { identity: await id("identities", named), role: viewer };
  const clouds = { ...named, amazon: { account: "123456789012" } };
  const idp = (await newIdentityProvider({ uid, name: "", owner })).uid;
  group = await id("groups", named);
  await make("account_associations", group, clouds);
  Object.assign(kinds, {
    groups: { parent: uid, body: { name: "other" }, made: group },
    roles: { parent: uid, body: { ...role, name: "other" }, made: await id("roles", role) },
    identities: { parent: uid, body: named, made: bound.identity },
    rolebindings: { parent: uid, body: bound, made: await id("rolebindings", bound) },
    group_invites: { parent: uid, body: { role: viewer, ttl: "3600s" } },
    account_associations: { parent: uid, body: clouds, made: group },
    identityProviders: { parent: uid, body: await identityProviderBody(), made: idp },
    externalGroupRoleMappings: {
      parent: idp,
      body: { externalGroupId: "devs", roleUidp: viewer, scope: uid },
    },
  } satisfies Record<string, Kind>);
});

const inDays = (days: number) => new Date(Date.now() + days * 24 * 3600 * 1000).toISOString();
const publicKey = { kty: "EC", crv: "P-256", x: "AA", y: "AA", kid: "1", alg: "ES256" };
const issuer = "https://i.example";
const staticKeys = { issuer, subject: "s", issuerKeys: JSON.stringify({ keys: [publicKey] }) };
const nothing = "0".repeat(40);
const unknown = ["CAP_REPO_LIST", "repo.list", "", "repo", "REPO.LIST", "1605", "unknown"];

const rows: [kind: string, fields: string | string[], given: object][] = [
  ["groups", "kind", { kind: "ORG_KIND_DEV" }],
  ["roles", [0, 2, 3, 4, 5, 6].map((at) => `capabilities[${at}]`), { capabilities: unknown }],
  ["roles", "capabilities", { capabilities: [] }],
  ["roles", "capabilities", { capabilities: ["repo.internal.admin"] }],
  ["roles", "capabilities", { capabilities: Array.from({ length: 301 }, () => "repo.list") }],
  ["identities", "claim_match.issuer", { claimMatch: { issuer: "http://a.b", subject: "s" } }],
  ["identities", "static.issuer_keys", { static: { ...staticKeys, issuerKeys: "x" } }],
  ["identities", "static.subject", { static: { ...staticKeys, subject: "" } }],
  ["identities", "static.expiration", { static: { ...staticKeys, expiration: inDays(400) } }],
  ["identities", "service_principal", { servicePrincipal: "UNKNOWN" }],
  ["rolebindings", "identity", { identity: `${nothing}/${"0".repeat(16)}` }],
  ["rolebindings", "role", { role: nothing }],
  ["group_invites", "ttl", { ttl: "0s" }],
  ["group_invites", "ttl", { ttl: "-1s" }],
  ["group_invites", "ttl", { ttl: "315360001s" }],
  ["group_invites", "email", { email: "ann" }],
  ["group_invites", "role", { role: nothing }],
  ["account_associations", "amazon.account", { amazon: { account: "1" } }],
  ["identityProviders", "default_role", { defaultRole: nothing }],
  ["identityProviders", "configuration", { oidc: undefined }],
  ["identityProviders", "oidc.client_id", { oidc: { issuer, pkceEnabled: true } }],
  ["externalGroupRoleMappings", "role_uidp", { roleUidp: nothing }],
];

/** Words that only version 2 has. */
const wordsOfV2 = /_uid\b|static_keys|expiration_time|\brequests\b|\bparent\b|provider_type/;

async function expectRefused(
  answer: Awaited<ReturnType<typeof callRest>>,
  fields: string | string[],
) {
  expect([answer.status, violatedFields(answer.body)]).toEqual([400, [fields].flat()]);
  expect(answer.body.message).not.toMatch(wordsOfV2);
}

describe("an error names the field as in version 1, and nothing is written", () => {
  test.each(rows)("%s: %s of %j", async (name, fields, given) => {
    const { parent, body, made } = kinds[name] as Kind;
    const before = await organizationRows(organization, { events: true });
    const sent = { ...body, ...given };
    await expectRefused(await callRest(`/iam/v1/${name}/${parent}`, { token, body: sent }), fields);
    if (made) {
      const put = { method: "PUT", token, body: sent };
      await expectRefused(await callRest(`/iam/v1/${name}/${made}`, put), fields);
    }
    expect(await organizationRows(organization, { events: true })).toEqual(before);
  });

  test("only a new provider needs a secret, and its correlation rule cannot change", async () => {
    const { parent, made } = kinds.identityProviders as Kind;
    const path = "/iam/v1/identityProviders";
    const bare = await identityProviderBody({ clientSecret: "" });
    await expectRefused(
      await callRest(`${path}/${parent}`, { token, body: bare }),
      "oidc.client_secret",
    );
    const body = { ...bare, name: randomName("idp") };
    expect((await callRest(`${path}/${made}`, { method: "PUT", token, body })).status).toBe(200);
    const correlationRule = "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID";
    const other = { ...bare, oidc: { ...bare.oidc, correlationRule } };
    const put = { method: "PUT", token, body: other };
    await expectRefused(await callRest(`${path}/${made}`, put), "oidc.correlation_rule");
  });
});

test("a batch deletion of role mappings names its ids, and a check its type of account", async () => {
  const { parent } = kinds.externalGroupRoleMappings as Kind;
  const step = "0".repeat(16);
  const batch = (ids: string[]) =>
    callRest("/iam/v1/externalGroupRoleMappings:batchDelete", {
      token,
      body: { parentId: parent, ids },
    });
  const check = (accountType?: number) =>
    callRest(`/iam/v1/account_associations/${group}:check`, { token, body: { accountType } });
  for (const [field, answer] of [
    ["ids[1]", await batch([`${parent}/${step}`, "x"])],
    ["ids[0]", await batch([`${organization}/${step}/${step}`])],
    ["ids", await batch([])],
    ["account_type", await check()],
    ["account_type", await check(7)],
  ] as const) {
    await expectRefused(answer, field);
  }
});
