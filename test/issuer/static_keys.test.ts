/** Identities that contain the keys of an issuer that cannot be reached. */

import { SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, expect, test } from "vitest";
import { newOrganization, type Organization } from "../world/personas.ts";
import { callRest, issuer as platform, sql } from "../world/platform.ts";
import { exchange, exchangeForToken, newIdentityWithMatchers } from "./exchange_call.ts";
import { type Key, newKey } from "./foreign_issuer.ts";

const issuer = "https://unreachable.invalid";
let organization: Organization;
let keys: [Key, Key];
beforeAll(async () => {
  organization = await newOrganization();
  keys = [await newKey(), await newKey()];
});

const sign = (claims: Record<string, unknown> = {}, key = keys[0]) =>
  new SignJWT({ iss: issuer, sub: "device", aud: platform, ...claims })
    .setProtectedHeader(key.header)
    .setExpirationTime("10m")
    .sign(key.privateKey);

const holder = (more: Record<string, unknown> = {}) =>
  newIdentityWithMatchers(organization, {
    staticKeys: {
      issuer,
      subject: "device",
      issuerKeys: JSON.stringify({ keys: keys.map((key) => key.jwk) }),
      ...more,
    },
  });

test("a token is verified with any of the stored keys, with or without key ids", async () => {
  const identity = await holder();
  for (const key of keys) {
    const { claims } = await exchangeForToken(await sign({}, key), { identity });
    expect(claims).toMatchObject({ sub: identity, act: { iss: issuer, sub: "device" } });
  }
});

test("a token of another key is rejected", async () => {
  const { status, body } = await exchange(await sign({}, await newKey()), {
    identity: await holder(),
  });
  expect(status).toBe(403);
  expect(body.message).toContain("signature of the token is wrong");
});

test.for([{ iss: "https://other.invalid" }, { sub: "other" }])(
  "a token with %j is rejected",
  async (claims) => {
    const { status, body } = await exchange(await sign(claims), { identity: await holder() });
    expect(status).toBe(403);
    expect(body.message).toContain("does not match an identity");
  },
);

test("the stored audience replaces the issuer's own", async () => {
  const identity = await holder({ audiences: ["https://device.example.com"] });
  expect((await exchange(await sign(), { identity })).status).toBe(403);
  const good = await sign({ aud: ["x", "https://device.example.com"] });
  expect((await exchange(good, { identity })).status).toBe(200);
  expect((await exchange(good, { identity: await holder() })).status).toBe(403);
});

test("an address is never verified by keys that the owner of the identity supplied", async () => {
  const identity = await holder();
  const token = await sign({ email: "a@corp.example", email_verified: true });
  const { claims } = await exchangeForToken(token, { identity });
  expect(claims).toMatchObject({ email: "a@corp.example", email_verified: false });
});

test("the keys stop working at their expiration time, and no token is valid longer", async () => {
  const soon = Date.now() + 60_000;
  const identity = await holder({ expirationTime: new Date(soon).toISOString() });
  const { claims } = await exchangeForToken(await sign(), { identity });
  expect(claims.exp).toBe(Math.floor(soon / 1000));
  await sql(
    `update identities set relationship = json_set(relationship, '$.value.expirationTime', ?) where uid = ?`,
    new Date(Date.now() - 1000).toISOString(),
    identity,
  );
  const { status, body } = await exchange(await sign(), { identity });
  expect(status).toBe(403);
  expect(body.message).toContain("keys of the identity expired at");
});

test("keys without an expiration time stop working 365 days after creation", async () => {
  const identity = await holder();
  const created = Date.now() - 365 * 24 * 3600 * 1000 - 1000;
  await sql(
    `update identities set create_time = ?, relationship = json_remove(relationship, '$.value.expirationTime')
     where uid = ?`,
    created,
    identity,
  );
  expect((await exchange(await sign(), { identity })).status).toBe(403);
});

test("an unsigned token, and one signed with HMAC by the public key, are rejected", async () => {
  const identity = await holder();
  const claims = { iss: issuer, sub: "device", aud: platform };
  const unsigned = new UnsecuredJWT(claims).setExpirationTime("10m").encode();
  const secret = new TextEncoder().encode(JSON.stringify(keys[0].jwk));
  const symmetric = await new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime("10m")
    .sign(secret);
  for (const token of [unsigned, symmetric]) {
    expect((await exchange(token, { identity })).status).toBe(403);
  }
});

test("replaced keys verify nothing any more", async () => {
  const identity = await holder();
  const next = await newKey();
  const issuerKeys = JSON.stringify({ keys: [next.jwk] });
  const { status } = await callRest(
    `/iam/v2/identities/${identity}?updateMask=static_keys.issuer_keys`,
    {
      method: "PATCH",
      token: organization.owner.token,
      body: { staticKeys: { issuerKeys } },
    },
  );
  expect(status).toBe(200);
  expect((await exchange(await sign(), { identity })).status).toBe(403);
  expect((await exchange(await sign({}, next), { identity })).status).toBe(200);
});

test("the default expiration time is shown, and a later one cannot be set", async () => {
  const path = `/iam/v2/identities/${await holder()}`;
  const { token } = organization.owner;
  const { body } = await callRest(path, { token });
  const year = 365 * 24 * 3600 * 1000;
  const latest = Date.parse(body.createTime) + year;
  expect(Date.parse(body.staticKeys.expirationTime)).toBe(latest);
  const set = (at: number) =>
    callRest(`${path}?updateMask=static_keys.expiration_time`, {
      method: "PATCH",
      token,
      body: { staticKeys: { expirationTime: new Date(at).toISOString() } },
    });
  expect((await set(latest + 1)).body.message).toContain("static_keys.expiration_time");
  expect((await set(Date.parse(body.createTime))).status).toBe(400);
  expect((await set(latest - 1)).status).toBe(200);
});
