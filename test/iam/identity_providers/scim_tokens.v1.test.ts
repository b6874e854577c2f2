import { beforeEach, describe, expect, test } from "vitest";
import { bindPerson, newOrganization, newUser, type Organization } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { violatedFields } from "../../world/resource_calls.ts";
import { newIdentityProvider } from "./openid_provider.ts";

let organization: Organization;
let token: string;
let id: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  id = (await newIdentityProvider(organization)).uid;
});

const call = (verb: string, body: object = {}, of = id) =>
  callRest(`/iam/v1/identityProviders/${of}:${verb}`, { token, body });
const scim = async () =>
  (await callRest(`/iam/v1/identityProviders?id=${id}`, { token })).body.items[0].scim;
/** The status of a request from a provisioning client. */
const ask = async (bearer: string) =>
  (await callRest(`/scim/v2/${id}/Users`, { token: bearer })).status;
const addOwner = async () =>
  bindPerson({ uid: organization.uid, token }, (await newUser()).uid, "owner");
const events = async () =>
  (
    await sql<{ type: string; body_type: string; data: string }>(
      "select * from events where subject = ? and type like '%scim%' order by time",
      id,
    )
  ).map(({ type, body_type, data }) => [type, body_type, JSON.parse(data).body]);

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const endpointUrl = () => `http://localhost:8787/scim/v2/${id}`;

test("a token can be issued, replaced and revoked, SCIM can be enabled, and each event is the response without the token", async () => {
  const expireTime = inDays(30);
  const { body: first } = await call("generateScimToken", { expireTime });
  expect(first).toEqual({
    ...{ token: first.token, endpointUrl: endpointUrl(), expireTime },
    ...{ identityProviderId: id, etag: "scim-1" },
  });
  await addOwner();
  const { body: on } = await call("setScimEnabled", { enabled: true, etag: "scim-1" });
  expect(on).toEqual({ identityProviderId: id, enabled: true, etag: "scim-2" });
  expect(await ask(first.token)).toBe(200);

  const again = { etag: "scim-2", overlap: "600s", neverExpires: true };
  const { body: second } = await call("regenerateScimToken", again);
  expect(second).toEqual({
    ...{ token: second.token, endpointUrl: endpointUrl(), identityProviderId: id, etag: "scim-3" },
    ...{ requestedOverlap: "600s", previousTokenExpireTime: second.previousTokenExpireTime },
  });
  expect(Date.parse(second.previousTokenExpireTime)).toBeLessThan(Date.parse(inDays(1)));
  expect([await ask(first.token), await ask(second.token)]).toEqual([200, 200]);
  expect(await scim()).toEqual({
    ...{ enabled: true, endpointUrl: endpointUrl(), etag: "scim-3" },
    credentialState: "CREDENTIAL_STATE_ROTATING",
    previousTokenExpireTime: second.previousTokenExpireTime,
  });

  const { body: gone } = await call("revokeScimToken");
  const { revokeTime } = gone;
  expect(gone).toEqual({ identityProviderId: id, etag: "scim-4", enabled: true, revokeTime });
  expect([await ask(first.token), await ask(second.token)]).toEqual([401, 401]);

  const expectedEvent = ([type, message, { token: _, ...body }]: [
    string,
    string,
    { token?: string },
  ]) => [
    `dev.vendor.api.iam.identity_providers.${type}.v1`,
    `platform.iam.${message}Response`,
    body,
  ];
  expect(await events()).toEqual([
    expectedEvent(["scim_token.generated", "GenerateScimToken", first]),
    expectedEvent(["scim_enabled.updated", "SetScimEnabled", on]),
    expectedEvent(["scim_token.regenerated", "RegenerateScimToken", second]),
    expectedEvent(["scim_token.revoked", "RevokeScimToken", gone]),
  ]);
});

test("a token that version 2 issued can be replaced here, and the reverse", async () => {
  const inV2 = (verb: string, body: object) =>
    callRest(`/iam/v2/identityProviders/${id}:${verb}`, { token, body });
  const { body: first } = await inV2("generateScimToken", {});
  const { body: second } = await call("regenerateScimToken", { etag: first.etag });
  const { body: third } = await inV2("regenerateScimToken", { etag: second.etag });
  expect(third.etag).toBe("scim-3");
});

describe("an error", () => {
  test("names the field as in version 1", async () => {
    await call("generateScimToken");
    const both = { expireTime: inDays(1), neverExpires: true };
    const refused = [
      ["identity_provider_id", await call("generateScimToken", {}, "x")],
      ["identity_provider_id", await call("revokeScimToken", {}, "x")],
      ["etag", await call("setScimEnabled", { enabled: true })],
      ["etag", await call("regenerateScimToken")],
      ["overlap", await call("regenerateScimToken", { etag: "scim-1", overlap: "90000s" })],
      ["expire_time", await call("regenerateScimToken", { etag: "scim-1", ...both })],
    ] as const;
    for (const [field, { status, body }] of refused) {
      expect([status, violatedFields(body)]).toEqual([400, [field]]);
    }
    expect(await events()).toHaveLength(1);
  });
});
