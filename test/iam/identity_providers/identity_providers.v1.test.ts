import { beforeEach, describe, expect, test } from "vitest";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import { resourceCalls } from "../../world/resource_calls.ts";
import { identityProviderBody, newIdentityProvider, secretOf } from "./openid_provider.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const { list, post, put } = resourceCalls("/iam/v1/identityProviders", () => token);
const create = (body: unknown) => post(organization.uid, body);
const inV2 = async (id: string) =>
  (await callRest(`/iam/v2/identityProviders/${id}`, { token })).body;
const events = (subject: string) => sql("select * from events where subject = ?", subject);

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
    const { createTime, updateTime, uid, etag: __, ...read } = await inV2(id);
    expect([uid, updateTime, { ...read, id }]).toEqual([id, createTime, body]);
    expect((await list(`id=${id}`)).body).toEqual({ items: [body] });
    expect(await secretOf(id)).toBe("sec-ret");
    const other = await newIdentityProvider(organization, { groupsClaim: "teams" });
    const [shown] = (await list(`id=${other.uid}`)).body.items;
    const { uid: _uid, createTime: _c, updateTime: _u, etag: _e, ...same } = other;
    expect(shown).toEqual({ id: other.uid, ...same });
    expect(shown.oidc.correlationRule).toBe("CORRELATION_RULE_SUB_EQUALS_EXTERNAL_ID");
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
});

describe("a list of identity providers", () => {
  test("by id shows the state of the SCIM token, because there is no Get", async () => {
    const { uid } = await newIdentityProvider(organization);
    await callRest(`/iam/v2/identityProviders/${uid}:generateScimToken`, { token, body: {} });
    const answer = await list(`id=${uid}`);
    expect(answer.body.items[0].scim).toEqual((await inV2(uid)).scim);
    expect(answer.body.items[0].scim.credentialState).toBe("CREDENTIAL_STATE_LIVE");
    expect(costOf(answer).roundTrips).toBe(1);
    expect((await list("")).body.items[0].scim).toEqual({
      ...{ enabled: false, etag: "scim-1" },
      endpointUrl: `http://localhost:8787/scim/v2/${uid}`,
    });
  });
});
