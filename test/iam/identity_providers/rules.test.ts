import { beforeEach, describe, expect, test } from "vitest";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { newContractCaller } from "../../contract/fixtures.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import {
  identityProviderBody,
  type OpenidProvider,
  startOpenidProvider,
} from "./openid_provider.ts";

const root = "/iam/v2/identityProviders";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const create = (body: unknown, as = token) =>
  callRest(`${root}/${organization.uid}`, { token: as, body });
const patch = (uid: string, body: unknown) =>
  callRest(`${root}/${uid}`, { method: "PATCH", token, body });

describe("the discovery document", () => {
  let provider: OpenidProvider;
  beforeEach(async () => {
    provider = await startOpenidProvider();
  });
  const attempt = async (oidc: object = {}) =>
    create(await identityProviderBody({ issuer: provider.url, ...oidc }));
  const preconditions = (body: { details: { violations?: { type: string }[] }[] }) =>
    body.details[1]?.violations?.map(({ type }) => type);

  test.each([
    ["is missing", { status: 404 }],
    ["leads elsewhere", { status: 302 }],
    ["is not JSON", { status: 200, body: "<html>" }],
    ["is JSON null", { status: 200, body: "null" }],
    ["is too large", { status: 200, body: `"${"x".repeat(300_000)}"` }],
  ])("is rejected if it %s", async (_, answer) => {
    provider.answer = answer;
    const { status, body } = await attempt();
    expect([status, body.code, preconditions(body)]).toEqual([400, 9, ["DISCOVERY"]]);
    expect(provider.log).toEqual(["/.well-known/openid-configuration"]);
  });

  test.each([
    ["of another issuer", { issuer: "https://other.example" }],
    ["without authorization endpoint", { authorization_endpoint: undefined }],
    ["with a token endpoint over http", { token_endpoint: "http://idp.example/token" }],
    ["without keys", { jwks_uri: 1 }],
  ])("%s rejects", async (_, document) => {
    provider.document = document;
    const { body } = await attempt();
    expect(preconditions(body)).toEqual(["DISCOVERY"]);
  });

  test("without PKCE rejects it, and one that does not say accepts it", async () => {
    provider.document = { code_challenge_methods_supported: ["plain"] };
    const { body: refused } = await attempt({ pkceEnabled: true });
    expect([refused.code, preconditions(refused)]).toEqual([9, ["PKCE"]]);
    const { body } = await attempt();
    const turnedOn = await patch(body.uid, { oidc: { pkceEnabled: true } });
    expect(preconditions(turnedOn.body)).toEqual(["PKCE"]);
    provider.document = {};
    expect((await patch(body.uid, { oidc: { pkceEnabled: true } })).status).toBe(200);
  });

  test("is not read for a caller who cannot create, or for a change that does not concern it", async () => {
    const caller = await newContractCaller(organization.uid, [
      Capability.CAP_IAM_IDENTITY_PROVIDERS_CREATE,
    ]);
    const body = await identityProviderBody({ issuer: provider.url });
    expect((await create(body, caller.token)).status).toBe(403);
    expect(provider.log).toEqual([]);
    const { uid } = (await create(body)).body;
    await patch(uid, { description: "d", oidc: { clientId: "other" } });
    expect(provider.log).toHaveLength(1);
  });
});

describe("during the request for the discovery document", () => {
  /**
   * Starts a call that waits for discovery, runs a function meanwhile, and returns the result of the call.
   */
  async function meanwhile(
    start: (issuer: string) => Promise<{ status: number }>,
    act: () => Promise<{ status: number }>,
  ) {
    const provider = await startOpenidProvider();
    let release = () => {};
    provider.held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const call = start(provider.url);
    await expect.poll(() => provider.log).toHaveLength(1);
    expect((await act()).status).toBe(200);
    release();
    return call;
  }
  const newOne = async () => (await create(await identityProviderBody())).body.uid as string;
  const remove = (path: string) => callRest(`/iam/v2/${path}`, { method: "DELETE", token });
  const moved = (uid: string) => (issuer: string) =>
    patch(uid, { oidc: { issuer, clientSecret: "for that one" } });

  test("another update is not lost", async () => {
    const uid = await newOne();
    const { status } = await meanwhile(moved(uid), () => patch(uid, { description: "kept" }));
    expect(status).toBe(200);
    const { body } = await callRest(`${root}/${uid}`, { token });
    expect(body).toMatchObject({ description: "kept", oidc: { clientId: "client" } });
    expect(body.oidc.issuer).toMatch(/^http:/);
  });

  test("a SCIM token that is issued is kept", async () => {
    const uid = await newOne();
    const issue = () => callRest(`${root}/${uid}:generateScimToken`, { token, body: {} });
    expect((await meanwhile(moved(uid), issue)).status).toBe(200);
    const { body } = await callRest(`${root}/${uid}`, { token });
    expect(body.scim).toMatchObject({ etag: "scim-1", credentialState: "CREDENTIAL_STATE_LIVE" });
  });

  test("the provider can be deleted, and is then not changed", async () => {
    const uid = await newOne();
    const { status } = await meanwhile(moved(uid), () => remove(`identityProviders/${uid}`));
    expect(status).toBe(404);
  });

  test("the group can be deleted, and then has no provider", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "sub",
    });
    const { status } = await meanwhile(
      async (issuer) => {
        const body = await identityProviderBody({ issuer });
        return callRest(`${root}/${group.uid}`, { token, body });
      },
      () => remove(`groups/${group.uid}`),
    );
    expect(status).toBe(404);
  });
});
