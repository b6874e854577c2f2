import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import {
  bindPerson,
  createResource,
  newOrganization,
  newUser,
  type Organization,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { violatedField } from "../../world/resource_calls.ts";
import { newIdentityProvider } from "./openid_provider.ts";

let organization: Organization;
let token: string;
let uid: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  uid = (await newIdentityProvider(organization)).uid;
});

const call = (verb: string, body: object = {}, as = token) =>
  callRest(`/iam/v2/identityProviders/${uid}:${verb}`, { token: as, body });
const generate = (body: object = {}) => call("generateScimToken", body);
const regenerate = (body: object) => call("regenerateScimToken", body);
const revoke = () => call("revokeScimToken");
const setEnabled = (enabled: boolean, etag: string) => call("setScimEnabled", { enabled, etag });
const scim = async () =>
  (await callRest(`/iam/v2/identityProviders/${uid}`, { token })).body.scim as Record<
    string,
    unknown
  >;
/** The status of a request from a provisioning client. */
const ask = async (bearer: string) =>
  (await callRest(`/scim/v2/${uid}/Users`, { token: bearer })).status;

async function addOwner() {
  const { uid: identityUid } = await newUser();
  return { uid: await bindPerson({ uid: organization.uid, token }, identityUid, "owner") };
}

/** A token of a provider with provisioning enabled, and the etag afterwards. */
async function switchedOn() {
  const { body } = await generate();
  await addOwner();
  const { body: enabled } = await setEnabled(true, body.etag);
  return { token: body.token as string, etag: enabled.etag as string };
}

const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;
const later = (ms: number) => new Date(Date.now() + ms).toISOString();
const day = 86_400_000;

describe("the first SCIM token", () => {
  test("is shown once, stored as its digest, and valid for a year", async () => {
    const { status, body } = await generate();
    expect(status).toBe(200);
    expect(body).toEqual({
      token: expect.stringMatching(/^vescim_[0-9a-f]{64}$/),
      endpointUrl: `http://localhost:8787/scim/v2/${uid}`,
      expireTime: expect.any(String),
      identityProviderUid: uid,
      etag: "scim-1",
    });
    expect(Math.round(days(new Date().toISOString(), body.expireTime))).toBeGreaterThanOrEqual(365);
    expect(Math.round(days(new Date().toISOString(), body.expireTime))).toBeLessThanOrEqual(366);
    const [row] = await sql("select * from identity_providers where uid = ?", uid);
    const digest = createHash("sha256").update(body.token).digest("hex");
    expect(row).toMatchObject({ scim_token_digest: digest, scim_enabled: 0 });
    const events = await sql("select * from events where subject = ?", uid);
    const shown = await callRest(`/iam/v2/identityProviders/${uid}`, { token });
    expect(JSON.stringify([row, events, shown.body])).not.toContain(body.token);
    expect(JSON.stringify([events, shown.body])).not.toContain(digest);
    expect(await scim()).toEqual({
      enabled: false,
      endpointUrl: body.endpointUrl,
      tokenExpireTime: body.expireTime,
      credentialState: "CREDENTIAL_STATE_LIVE",
      etag: "scim-1",
    });
  });

  test("can be generated only once, also by ten calls at once", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => generate()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body.code).toBe(9);
    await revoke();
    expect((await generate()).body.code).toBe(9);
    const events = await sql(
      "select 1 from events where subject = ? and type like '%scim_token.generated.v1'",
      uid,
    );
    expect(events).toHaveLength(1);
  });

  test.each([
    ["never", { neverExpires: true }, undefined],
    ["on request", { expireTime: later(3 * day) }, 3],
    ["in almost two years", { expireTime: later(729 * day) }, 729],
  ])("expires %s", async (_, body, expected) => {
    const { body: answer } = await generate(body);
    if (expected === undefined) expect(answer).not.toHaveProperty("expireTime");
    else expect(Math.round(days(new Date().toISOString(), answer.expireTime))).toBe(expected);
  });

  test.each([
    ["in the past", { expireTime: later(-1000) }],
    ["after more than two years", { expireTime: later(735 * day) }],
    ["at a time and never", { expireTime: later(day), neverExpires: true }],
  ])("cannot expire %s", async (_, body) => {
    const refused = await generate(body);
    expect(violatedField(refused.body)).toBe("expire_time");
    expect(await scim()).toMatchObject({ credentialState: "CREDENTIAL_STATE_NOT_ISSUED" });
  });
});

describe("another SCIM token", () => {
  test("replaces the first after an hour by default", async () => {
    const one = await switchedOn();
    const { body } = await regenerate({ etag: one.etag });
    expect(body).toMatchObject({ etag: "scim-3", requestedOverlap: "3600s" });
    const overlap = Date.parse(body.previousTokenExpireTime) - Date.now();
    expect(overlap).toBeGreaterThan(3_590_000);
    expect(overlap).toBeLessThanOrEqual(3_600_000);
    expect([await ask(one.token), await ask(body.token)]).toEqual([200, 200]);
    expect(await scim()).toMatchObject({
      credentialState: "CREDENTIAL_STATE_ROTATING",
      previousTokenExpireTime: body.previousTokenExpireTime,
    });
    await sql(
      "update identity_providers set scim_previous_token_expire_time = 1 where uid = ?",
      uid,
    );
    expect([await ask(one.token), await ask(body.token)]).toEqual([401, 200]);
    expect(await scim()).toMatchObject({ credentialState: "CREDENTIAL_STATE_LIVE" });
  });

  test("replaces it at once with an overlap of 0, and at most two work at a time", async () => {
    const one = await switchedOn();
    const { body: two } = await regenerate({ etag: one.etag });
    const { body: three } = await regenerate({ etag: two.etag });
    expect(await Promise.all([one.token, two.token, three.token].map(ask))).toEqual([
      401, 200, 200,
    ]);
    const { body: four } = await regenerate({ etag: three.etag, overlap: "0s" });
    expect(four.requestedOverlap).toBe("0s");
    expect(await Promise.all([three.token, four.token].map(ask))).toEqual([401, 200]);
    expect(await scim()).not.toHaveProperty("previousTokenExpireTime");
  });

  test("does not extend the validity of a short-lived one", async () => {
    const { body: one } = await generate({ expireTime: later(60_000) });
    const { body: two } = await regenerate({ etag: one.etag, overlap: "86400s" });
    expect(two.previousTokenExpireTime).toBe(one.expireTime);
  });

  test.each(["revoked", "expired"])("replaces a %s one, which does not work again", async (how) => {
    const one = await switchedOn();
    if (how === "revoked") await revoke();
    else await sql("update identity_providers set scim_token_expire_time = 1 where uid = ?", uid);
    const { credentialState, etag } = await scim();
    expect(credentialState).toBe(`CREDENTIAL_STATE_${how.toUpperCase()}`);
    expect(await ask(one.token)).toBe(401);
    const { status, body } = await regenerate({ etag });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty("previousTokenExpireTime");
    expect([await ask(one.token), await ask(body.token)]).toEqual([401, 200]);
  });

  test("requires a first one, an etag, and the current etag", async () => {
    expect((await regenerate({ etag: "scim-1" })).body.code).toBe(5);
    const { body } = await generate();
    const without = await regenerate({});
    expect(without.body.message).toBe("Invalid argument: etag: etag is required");
    expect((await regenerate({ etag: "scim-9" })).body.code).toBe(10);
    expect((await regenerate({ etag: body.etag, overlap: "86401s" })).body.code).toBe(3);
    expect((await regenerate({ etag: body.etag, overlap: "-1s" })).body.code).toBe(3);
    expect(await scim()).toMatchObject({ etag: body.etag });
  });

  test("is created once by two calls at once", async () => {
    const { body } = await generate();
    const answers = await Promise.all([1, 2, 3].map(() => regenerate({ etag: body.etag })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });
});

describe("a revocation", () => {
  test("ends the token and the one before, and leaves SCIM enabled", async () => {
    const one = await switchedOn();
    const { body: two } = await regenerate({ etag: one.etag });
    const { status, body } = await revoke();
    expect(status).toBe(200);
    expect(body).toEqual({
      identityProviderUid: uid,
      etag: "scim-4",
      enabled: true,
      revokeTime: expect.any(String),
    });
    expect([await ask(one.token), await ask(two.token)]).toEqual([401, 401]);
    expect(await scim()).toEqual({
      enabled: true,
      endpointUrl: expect.any(String),
      credentialState: "CREDENTIAL_STATE_REVOKED",
      etag: "scim-4",
    });
    expect((await revoke()).body).toEqual(body);
  });

  test("has priority over a call that replaces the token at the same time", async () => {
    const one = await switchedOn();
    const [replaced, revoked] = await Promise.all([regenerate({ etag: one.etag }), revoke()]);
    expect(revoked.status).toBe(200);
    expect([200, 409]).toContain(replaced.status);
    expect(await ask(one.token)).toBe(401);
    // The last call wins, and an earlier replacement is invalid.
    if (replaced.status === 200) expect(await ask(replaced.body.token)).toBe(401);
  });

  test("of a token that was never issued is NOT_FOUND, and so is its replacement", async () => {
    expect((await revoke()).body.code).toBe(5);
    expect((await regenerate({ etag: "scim-1" })).body.code).toBe(5);
  });
});

describe("the SCIM setting", () => {
  test("cannot be enabled before the first token, because there is no etag yet", async () => {
    await addOwner();
    const { body } = await setEnabled(true, (await scim()).etag as string);
    expect(body.message).toBe("Invalid argument: etag: etag is required");
    expect((await setEnabled(true, "scim-0")).body.code).toBe(10);
  });

  test("requires two owners bound directly on the organization", async () => {
    const { body } = await generate();
    const refused = await setEnabled(true, body.etag);
    expect([refused.status, refused.body.code]).toEqual([400, 9]);
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "sub",
    });
    const { uid: identityUid } = await newUser();
    await bindPerson({ uid: group.uid, token }, identityUid, "owner");
    const bind = async (role: string, person: string) =>
      createResource(`/iam/v2/roleBindings/${organization.uid}`, token, {
        identityUid: person,
        roleUid: await roleUid(role),
      });
    await bind("viewer", identityUid);
    // The binding is pending, so no one has become an owner yet.
    await bind("owner", (await newUser()).uid);
    expect((await setEnabled(true, body.etag)).body.code).toBe(9);
    await bind("owner", identityUid);
    expect((await setEnabled(true, body.etag)).body).toEqual({
      identityProviderUid: uid,
      enabled: true,
      etag: "scim-2",
    });
  });

  test("can be disabled without owners, and keeps token and users", async () => {
    const { token: bearer, etag } = await switchedOn();
    await sql(
      "delete from role_bindings where parent = ? and identity_uid <> ?",
      organization.uid,
      organization.owner.uid,
    );
    expect((await setEnabled(false, "scim-1")).body.code).toBe(10);
    expect((await setEnabled(false, etag)).body).toMatchObject({ enabled: false, etag: "scim-3" });
    expect(await ask(bearer)).toBe(403);
    expect(await scim()).toMatchObject({ credentialState: "CREDENTIAL_STATE_LIVE" });
  });

  test("keeps the etag and writes no event if it does not change", async () => {
    const { etag } = await switchedOn();
    const selectEvents = () => sql("select 1 from events where subject = ?", uid);
    const before = (await selectEvents()).length;
    expect((await setEnabled(true, etag)).body).toMatchObject({ enabled: true, etag });
    expect(await selectEvents()).toHaveLength(before);
  });
});
