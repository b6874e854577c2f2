/** Sessions: people see where they are signed in, and what is ended there fails at the next call. */
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { logIn, newProvider, tokensOf } from "../../issuer/login/logins.ts";
import { type OpenidProvider, startProvider } from "../../issuer/login/openid_provider.ts";
import {
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { audience, callRest, costOf, sql, tokenFor } from "../../world/platform.ts";

let provider: OpenidProvider;
let organization: Organization;
let idp = "";
let account = "";
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());
beforeEach(async () => {
  organization = await newOrganization();
  idp = await newProvider(organization.uid, { issuer: provider.url });
  account = randomName("ada");
});

/** A login at the command line. */
async function signedIn(query: Record<string, string> = {}, at = idp, as = account) {
  const done = await logIn(as, { idp_id: at, create_refresh_token: "true", ...query });
  const { token, refreshToken = "" } = tokensOf(done);
  const [login] = (decodeJwt(token).chain ?? []) as { sub: string; sid: string }[];
  return { token, refreshToken, uid: login?.sid ?? "", person: login?.sub ?? "" };
}

const search = (token: string, query = {}) =>
  callRest(`/iam/v2/sessions:search?${new URLSearchParams(query)}`, { token });
const end = (token: string, ...uids: string[]) =>
  callRest("/iam/v2/sessions:end", { token, body: { uids } });
const works = async (token: string) =>
  (await callRest("/iam/v2/groups?page_size=1", { token })).status;
const refresh = (token: string) =>
  callRest(`/sts/exchange_refresh_token?aud=${encodeURIComponent(audience)}`, {
    method: "POST",
    token,
  });

const uidsIn = ({ body }: Awaited<ReturnType<typeof search>>) =>
  (body.sessions ?? []).map(({ uid }: { uid: string }) => uid);

describe("a person", () => {
  test("sees their own sessions, the last used one first, and which one the call comes from", async () => {
    const [one, two] = [await signedIn(), await signedIn({ create_refresh_token: "false" })];
    await sql("update sessions set last_used_time = last_used_time + 5000 where uid = ?", one.uid);
    const { status, body } = await search(two.token);
    expect(status).toBe(200);
    expect(body.sessions).toEqual([
      {
        uid: one.uid,
        identityUid: one.person,
        kind: "KIND_LOGIN",
        client: "127.0.0.1:9",
        ...{ createTime: expect.any(String), lastUsedTime: expect.any(String) },
        expireTime: expect.any(String),
        userAgent: expect.any(String),
        current: false,
      },
      expect.objectContaining({ uid: two.uid, current: true }),
    ]);
    const days = (Date.parse(body.sessions[0].expireTime) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
  });

  test("ends one, and its tokens fail at the next call, but no others", async () => {
    const [one, two] = [await signedIn(), await signedIn()];
    expect(await works(one.token)).toBe(200);
    const ended = await end(two.token, one.uid);
    expect([ended.status, ended.body]).toEqual([200, { uids: [one.uid] }]);
    expect(await works(one.token)).toBe(401);
    expect((await refresh(one.refreshToken)).status).toBe(403);
    expect(await works(two.token)).toBe(200);
    expect((await refresh(two.refreshToken)).status).toBe(200);
    expect(uidsIn(await search(two.token))).toEqual([two.uid]);
    expect((await end(two.token, one.uid)).status).toBe(403);
    expect((await end(organization.owner.token, one.uid)).body).toEqual({});
  });

  test("ends all, also the one of the call", async () => {
    const all = [await signedIn(), await signedIn(), await signedIn()];
    const [current] = all;
    const uids = all.map(({ uid }) => uid);
    const ended = await end(current?.token ?? "", ...uids);
    expect(new Set(ended.body.uids)).toEqual(new Set(uids));
    for (const { token } of all) expect(await works(token)).toBe(401);
  });

  test("ends a token that was exchanged or refreshed from the session, too", async () => {
    const [one, two] = [await signedIn(), await signedIn()];
    const refreshed = (await refresh(one.refreshToken)).body.token.token;
    const exchanged = await callRest(`/sts/exchange?aud=${encodeURIComponent(audience)}`, {
      method: "POST",
      token: one.token,
    });
    expect(exchanged.status).toBe(200);
    await end(two.token, one.uid);
    for (const token of [refreshed, exchanged.body.token]) expect(await works(token)).toBe(401);
  });

  test("does not see or end the sessions of another person, or of another organization", async () => {
    const one = await signedIn();
    const other = await signedIn({}, idp, randomName("eve"));
    const elsewhere = await newOrganization();
    const there = await newProvider(elsewhere.uid, { issuer: provider.url });
    const same = await signedIn({}, there);
    expect(same.person).toBe(one.person);
    expect(uidsIn(await search(one.token))).toEqual([one.uid]);
    for (const uid of [other.uid, same.uid, `${idp}/${"0".repeat(16)}`]) {
      const refused = await end(one.token, uid);
      expect([refused.status, refused.body.code]).toEqual([403, 7]);
    }
    expect(await works(other.token)).toBe(200);
  });

  test("cannot end a session with a token that is limited to capabilities", async () => {
    const one = await signedIn();
    const query = new URLSearchParams({ aud: audience, cap: "groups.list" });
    const narrow = await callRest(`/sts/exchange?${query}`, { method: "POST", token: one.token });
    expect((await end(narrow.body.token, one.uid)).status).toBe(403);
    expect(await works(one.token)).toBe(200);
  });
});

describe("an owner", () => {
  test("sees and ends the sessions of the organization, with an event", async () => {
    const [one, two] = [await signedIn(), await signedIn({}, idp, randomName("bob"))];
    const { token } = organization.owner;
    const groupUid = organization.uid;
    const all = uidsIn(await search(token, { group_uid: groupUid }));
    expect(new Set(all)).toEqual(new Set([one.uid, two.uid]));
    const ofOne = await search(token, { group_uid: groupUid, identity_uid: one.person });
    expect(uidsIn(ofOne)).toEqual([one.uid]);
    expect((await end(token, one.uid)).status).toBe(200);
    expect(await works(one.token)).toBe(401);
    const events = await sql("select data, group_uid from events where subject = ?", one.uid);
    expect(events).toMatchObject([{ group_uid: organization.uid }]);
    expect(JSON.parse(String(events[0]?.data)).body).toMatchObject({
      uid: one.uid,
      identityUid: one.person,
    });
  });

  test("of another organization, a stranger and a viewer cannot", async () => {
    const { uid } = await signedIn();
    const viewer = await newIdentity(organization, "viewer");
    const callers = [(await newOrganization()).owner, await newUser()];
    for (const { token } of callers) {
      expect((await search(token, { group_uid: organization.uid })).status).toBe(403);
      expect((await end(token, uid)).status).toBe(403);
    }
    expect((await search(viewer.token, { group_uid: organization.uid })).status).toBe(200);
    expect((await end(viewer.token, uid)).status).toBe(403);
  });
});

test("a logout ends the access tokens of the session", async () => {
  const { token, refreshToken } = await signedIn();
  await callRest("/oauth/revoke", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token: refreshToken }).toString(),
  });
  expect(await works(token)).toBe(401);
});

test("a token with an unknown session fails, and a check of the session costs no round trip", async () => {
  const { token, person } = await signedIn();
  const answer = await callRest("/iam/v2/groups?page_size=1", { token });
  const without = await callRest("/iam/v2/groups?page_size=1", {
    token: await tokenFor(person, { scopes: [organization.uid] }),
  });
  expect(costOf(answer).roundTrips).toBe(costOf(without).roundTrips);
  const { chain } = decodeJwt(token) as { chain: object[] };
  const forged = chain.map((link) => ({ ...link, sid: `${idp}/${"0".repeat(16)}` }));
  expect(await works(await tokenFor(person, { chain: forged }))).toBe(401);
  expect(await works(await tokenFor(person, { chain }))).toBe(200);
});

test.each([
  ["no uid", { uids: [] }],
  ["a text", { uids: ["session"] }],
  [
    "a uid twice",
    { uids: [`${"a".repeat(40)}/${"0".repeat(16)}`, `${"a".repeat(40)}/${"0".repeat(16)}`] },
  ],
])("%s is refused", async (_, body) => {
  const { token } = await newUser();
  const answer = await callRest("/iam/v2/sessions:end", { token, body });
  expect([answer.status, answer.body.code]).toEqual([400, 3]);
});
