import { gzipSync } from "node:zlib";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newOrganization, type Organization, randomName } from "../world/personas.ts";
import { audience, baseUrl, callRest, sql } from "../world/platform.ts";
import { logIn, newProvider, tokensOf } from "./login/logins.ts";
import { type OpenidProvider, startProvider } from "./login/openid_provider.ts";

let provider: OpenidProvider;
let organization: Organization;
let idp = "";
let subject = "";
let first = "";

const day = 24 * 3600 * 1000;

beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());
beforeEach(async () => {
  organization = await newOrganization();
  idp = await newProvider(organization.uid, { issuer: provider.url });
  subject = randomName("ada");
  const done = await logIn(subject, { idp_id: idp, create_refresh_token: "true" });
  first = tokensOf(done).refreshToken ?? "";
});

const refresh = (token: string, query: Record<string, string> = {}) =>
  callRest(`/sts/exchange_refresh_token?${new URLSearchParams({ aud: audience, ...query })}`, {
    method: "POST",
    token,
  });

async function refreshed(token: string, query: Record<string, string> = {}) {
  const { status, body, headers } = await refresh(token, query);
  expect([status, body.message]).toEqual([200, undefined]);
  expect(headers.get("cache-control")).toBe("no-store");
  return { access: body.token, next: body.refreshToken, claims: decodeJwt(body.token.token) };
}

const refusedWith = async (token: string, words: RegExp) => {
  const { status, body } = await refresh(token);
  expect([status, body.code, body.message]).toEqual([403, 7, expect.stringMatching(words)]);
};

test("a refresh token contains its expiry, and is not stored", async () => {
  const { exp, secret } = JSON.parse(Buffer.from(first, "base64").toString());
  expect(Math.abs(exp * 1000 - Date.now() - 30 * day)).toBeLessThan(60_000);
  const rows = await sql("select * from refresh_tokens where identity_provider_uid = ?", idp);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(secret);
  const events = await sql("select data from events where data like ?", `%${secret}%`);
  expect(events).toEqual([]);
});

test("a login and a refresh count as uses of the person", async () => {
  const used = async () => {
    const rows = await sql<{ uid: string; last_used_time: number }>(
      "select uid, last_used_time from identities where uid = (select identity_uid from refresh_tokens where identity_provider_uid = ? limit 1)",
      idp,
    );
    return rows[0] ?? { uid: "", last_used_time: 0 };
  };
  const { uid, last_used_time: login } = await used();
  expect(login).toBeGreaterThan(Date.now() - day);
  const forget = () => sql("update identities set last_used_time = 1 where uid = ?", uid);
  await forget();
  await refreshed(first);
  expect((await used()).last_used_time).toBeGreaterThanOrEqual(login);
  await forget();
  await logIn(subject, { idp_id: idp });
  expect((await used()).last_used_time).toBeGreaterThanOrEqual(login);
});

test("a login that did not request one gets none", async () => {
  expect(tokensOf(await logIn(subject, { idp_id: idp })).refreshToken).toBeUndefined();
});

test("it can be exchanged for an access token and the next refresh token, repeatedly, until the same end", async () => {
  const one = await refreshed(first);
  expect(one.claims).toMatchObject({ aud: audience, idp, scopes: [organization.uid] });
  expect(Date.parse(one.access.expiry)).toBe((one.claims.exp ?? 0) * 1000);
  expect((one.claims.exp ?? 0) - (one.claims.iat ?? 0)).toBe(3600);
  const list = await callRest(`/registry/v2/repos?uidp.children_of=${organization.uid}`, {
    token: one.access.token,
  });
  expect(list.status).toBe(200);
  const two = await refreshed(one.next.token);
  expect(two.next.token).not.toBe(one.next.token);
  expect(two.next.expiry).toBe(one.next.expiry);
  const { exp } = JSON.parse(Buffer.from(first, "base64").toString());
  expect(Date.parse(two.next.expiry)).toBe(exp * 1000);
});

test("a second use ends all tokens of that login, and no others", async () => {
  const done = await logIn(subject, { idp_id: idp, create_refresh_token: "true" });
  const other = tokensOf(done).refreshToken ?? "";
  const { next } = await refreshed(first);
  await refusedWith(first, /used before/);
  await refusedWith(next.token, /revoked/);
  await refusedWith(first, /revoked/);
  await refreshed(other);
});

test("of many uses at once, one succeeds", async () => {
  const count = 12;
  const all = await Promise.all(Array.from({ length: count }, () => refresh(first)));
  const statuses = all.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array.from({ length: count - 1 }, () => 403)]);
  const [winner] = all.filter(({ status }) => status === 200);
  await refusedWith(winner?.body.refreshToken.token, /revoked/);
});

test("scopes and capabilities narrow one access token, not the login", async () => {
  const { body: group } = await callRest(`/iam/v2/groups/${organization.uid}`, {
    token: organization.owner.token,
    body: { name: "team" },
  });
  const narrow = await refreshed(first, { scopes: group.uid, cap: "repo.list" });
  expect(narrow.claims).toMatchObject({ scopes: [group.uid], capabilities: [expect.any(Number)] });
  const whole = await refreshed(narrow.next.token);
  expect(whole.claims.scopes).toEqual([organization.uid]);
  expect(whole.claims).not.toHaveProperty("capabilities");
});

test("a wrong or forbidden request does not use it up", async () => {
  const elsewhere = await newOrganization();
  expect((await refresh(first, { scopes: elsewhere.uid })).status).toBe(403);
  expect((await refresh(first, { cap: "no.such" })).status).toBe(400);
  const bare = await fetch(`${baseUrl()}/sts/exchange_refresh_token`, {
    method: "POST",
    headers: { authorization: `Bearer ${first}` },
  });
  expect([bare.status, (await bare.json()).message]).toEqual([
    400,
    "Invalid argument: aud: Audience must be specified",
  ]);
  await refreshed(first);
});

test("a text that is not a refresh token, or an unknown or expired one, is rejected", async () => {
  await refusedWith(organization.owner.token, /not a refresh token/);
  await refusedWith("bm8=", /not a refresh token/);
  await refusedWith(btoa(JSON.stringify({ exp: 9e9, secret: "x" })), /unknown/);
  await sql("update refresh_tokens set expire_time = 1 where identity_provider_uid = ?", idp);
  await refusedWith(first, /expired/);
});

test("a revocation of a token ends its login, and returns the same for any token (RFC 7009)", async () => {
  const { next } = await refreshed(first);
  const revoke = async (token: string) =>
    (
      await fetch(`${baseUrl()}/oauth/revoke`, {
        method: "POST",
        body: new URLSearchParams({ token }),
      })
    ).status;
  expect([await revoke("nonsense"), await revoke(first)]).toEqual([200, 200]);
  await refusedWith(next.token, /revoked/);
});

describe("a revocation", () => {
  const revoke = async (body: Uint8Array | string, headers: Record<string, string>) => {
    const answer = await fetch(`${baseUrl()}/oauth/revoke`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body: body as Uint8Array<ArrayBuffer>,
    });
    return [answer.status, await answer.text()];
  };

  test("in a compressed form revokes, with gzip", async () => {
    const { next } = await refreshed(first);
    const packed = new Uint8Array(gzipSync(`token=${first}`));
    expect(await revoke(packed, { "content-encoding": "gzip" })).toEqual([200, ""]);
    await refusedWith(next.token, /revoked/);
  });

  test.each<[string, string | Uint8Array, Record<string, string>, number]>([
    ["in another coding", "token=x", { "content-encoding": "br" }, 501],
    ["that is damaged gzip", "token=x", { "content-encoding": "gzip" }, 400],
    ["that unpacks to more", gzipSync("x".repeat(20_000)), { "content-encoding": "gzip" }, 400],
    ["without a token", "", {}, 400],
    ["with an empty token", "token=", {}, 400],
    ["of JSON", '{"token":"x"}', { "content-type": "application/json" }, 400],
  ])("with a form %s is refused, since nothing is revoked", async (_, body, headers, expected) => {
    expect((await revoke(body, headers))[0]).toBe(expected);
  });
});

test("expired rows are deleted when new ones are written", async () => {
  await sql("update refresh_tokens set expire_time = 1 where identity_provider_uid = ?", idp);
  tokensOf(await logIn(subject, { idp_id: idp, create_refresh_token: "true" }));
  const rows = await sql("select * from refresh_tokens where identity_provider_uid = ?", idp);
  expect(rows).toHaveLength(1);
});
