/** People who delete themselves. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { personUid } from "../../src/auth/person.ts";
import {
  bindPerson,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  type Persona,
  randomName,
  randomUid,
} from "../world/personas.ts";
import { callRest, costOf, sql, tokenFor } from "../world/platform.ts";
import { exchangeForToken } from "./exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "./foreign_issuer.ts";
import { logInWithIdToken, newProvider, serveTokens, tokensOf } from "./login/logins.ts";
import { newInviteCode } from "./registration_call.ts";

let issuer: ForeignIssuer;
let organization: Organization;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());
beforeEach(async () => {
  organization = await newOrganization();
});

const leave = (id: string, token: string) =>
  callRest(`/auth/v1/delete/${id}`, { method: "DELETE", token });

const exists = async (uid: string) =>
  (await sql("select uid from identities where uid = ?", uid)).length > 0;

const bind = (uid: string, at = organization) =>
  bindPerson({ uid: at.uid, token: at.owner.token }, uid, "viewer");

/** A person who logged in through the organization's provider, with the refresh token of that login. */
async function loggedIn(sub = randomName("ada"), at = organization) {
  const idp = await newProvider(at.uid, { issuer: issuer.url });
  const answers = serveTokens(issuer);
  const done = await logInWithIdToken(
    issuer,
    answers,
    idp,
    { sub },
    { create_refresh_token: "true" },
  );
  const { token, refreshToken = "", claims } = tokensOf(done);
  return { idp, sub, token, refreshToken, uid: claims.sub ?? "", claims };
}

describe("a person who deletes themselves", () => {
  let ada: Persona;
  beforeEach(async () => {
    ada = await newUser();
  });

  test("loses their bindings, metadata and refresh tokens at once", async () => {
    const elsewhere = await newOrganization();
    const bindings = [await bind(ada.uid), await bind(ada.uid, elsewhere)].sort();
    const metadata = { identityMetadata: { company: "c" }, updateMask: "company" };
    await callRest("/iam/v2/identities:updateIdentityMetadata", {
      ...{ method: "PATCH", token: ada.token, body: metadata },
    });
    await sql(
      `insert into refresh_tokens (digest, family, identity_uid, identity_provider_uid, claims,
       create_time, expire_time) values (?, 'f', ?, 'p', '{}', 1, 9e12)`,
      randomUid(),
      ada.uid,
    );
    const answer = await leave(ada.uid, ada.token);
    expect([answer.status, answer.body]).toEqual([200, undefined]);
    expect(costOf(answer).roundTrips).toBe(2);
    for (const query of [
      "select 1 from identities where uid = ?",
      "select 1 from role_bindings where identity_uid = ?",
      "select 1 from identity_metadata where uid = ?",
      "select 1 from refresh_tokens where identity_uid = ?",
    ]) {
      expect(await sql(query, ada.uid), query).toEqual([]);
    }
    const events = await sql(
      `select * from events where json_extract(data, '$.actor.subject') = ?
       and source like '%/auth/v1/delete' order by subject`,
      ada.uid,
    );
    const gone = { type: "dev.vendor.api.iam.rolebindings.deleted.v1", audience: "customer" };
    const expected = [
      ...bindings.map((uid) => ({ ...gone, subject: uid, group_uid: uid.slice(0, 40) })),
      {
        type: "dev.vendor.api.iam.identity.deleted.v1",
        ...{ audience: "internal", subject: ada.uid, group_uid: "/" },
      },
    ];
    expect(events).toHaveLength(3);
    expect(events).toEqual(
      expect.arrayContaining(expected.map((one) => expect.objectContaining(one))),
    );
    expect((await leave(ada.uid, ada.token)).status).toBe(401);
    expect((await callRest("/auth/v1/ok", { token: ada.token })).status).toBe(401);
  });

  test("deletes no one else", async () => {
    const eve = await newUser();
    await bind(eve.uid);
    const bot = await newIdentity(organization, "owner");
    for (const [id, token] of [
      [eve.uid, ada.token],
      [randomUid(), ada.token],
      [bot.uid.slice(0, 40), ada.token],
      [organization.owner.uid, bot.token],
    ] as const) {
      expect((await leave(id, token)).status).toBe(403);
    }
    expect([await exists(eve.uid), await exists(organization.owner.uid)]).toEqual([true, true]);
    expect((await leave("x", ada.token)).body).toMatchObject({
      code: 3,
      message: expect.stringContaining("id must match"),
    });
  });

  test("gets the same response whether or not the other person exists", async () => {
    const eve = await newUser();
    const [there, not] = [await leave(eve.uid, ada.token), await leave(randomUid(), ada.token)];
    expect(there.body).toEqual(not.body);
  });

  test("reads no rows of others, however many there are", async () => {
    const eve = await newUser();
    const many = JSON.stringify(Array.from({ length: 1_000 }, () => randomUid().slice(0, 16)));
    const signIn = (who: string) => `insert into sign_ins (identity_provider_uid, identity_uid,
      create_time, last_time) select ? || '/' || value, ${who}, 1, 1 from json_each(?)`;
    await sql(signIn(`'${eve.uid}'`), organization.uid, many);
    await sql(signIn("value"), randomUid(), many);
    await sql(
      `insert into roles (uid, name, capabilities, create_time, update_time)
       select ? || '/' || value, value, '[103]', 1, 1 from json_each(?)`,
      ...[organization.uid, many],
    );
    await sql(
      `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
       select ?1 || '/' || value, ?2, ?1 || '/' || value, 1, 1 from json_each(?3)`,
      ...[organization.uid, eve.uid, many],
    );
    for (const [id, status] of [
      [eve.uid, 403],
      [ada.uid, 200],
    ] as const) {
      const answer = await leave(id, ada.token);
      expect([answer.status, costOf(answer).rowsRead < 30]).toEqual([status, true]);
    }
  });

  test("must not be an identity of an organization", async () => {
    const bot = await newIdentity(organization, "owner");
    const { status } = await leave(encodeURIComponent(bot.uid), bot.token);
    expect([403, 404]).toContain(status);
    expect(await exists(bot.uid)).toBe(true);
  });

  test.each([
    ["a capability", { capabilities: [1] }],
    ["no capability", { capabilities: [] }],
    ["a group", { scopes: [randomUid()] }],
    ["no group", { scopes: [] }],
  ])("cannot do so with a token narrowed to %s", async (_, claims) => {
    const { status } = await leave(ada.uid, await tokenFor(ada.uid, claims));
    expect([status, await exists(ada.uid)]).toEqual([403, true]);
  });

  test("leaves no binding, even if they accept an invite at that moment", async () => {
    const { code } = await newInviteCode(organization, { singleUse: false });
    const people = await Promise.all(Array.from({ length: 20 }, () => newUser()));
    await Promise.all(
      people.flatMap(({ uid, token }) => [
        callRest("/iam/v2/groupInvites:accept", { token, body: { code } }),
        leave(uid, token),
      ]),
    );
    const left = await sql<{ uid: string }>(
      `select value as uid from json_each(?) where value in (select identity_uid from role_bindings)
       and value not in (select uid from identities)`,
      JSON.stringify(people.map(({ uid }) => uid)),
    );
    expect(left).toEqual([]);
  });

  test("is deleted once by several calls at the same time", async () => {
    await bind(ada.uid);
    const answers = await Promise.all(Array.from({ length: 5 }, () => leave(ada.uid, ada.token)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.every((status) => status === 200 || status === 401)).toBe(true);
    const events = await sql(
      "select type from events where json_extract(data, '$.actor.subject') = ? and source like '%/auth/v1/delete'",
      ada.uid,
    );
    expect(events).toHaveLength(2);
  });
});

describe("a person with a login", () => {
  test("can delete themselves if they have nothing beyond the group of its provider, and is signed out", async () => {
    const { uid, token, refreshToken } = await loggedIn();
    expect((await leave(uid, token)).status).toBe(200);
    expect(await exists(uid)).toBe(false);
    const next = `/sts/exchange_refresh_token?aud=${encodeURIComponent("http://localhost:8787")}`;
    const refreshed = await callRest(next, { method: "POST", token: refreshToken });
    expect(refreshed.status).toBe(403);
  });

  test("who returns through another login does not have the default role again", async () => {
    const { idp, sub, uid, token } = await loggedIn();
    await leave(uid, token);
    const again = tokensOf(await logInWithIdToken(issuer, serveTokens(issuer), idp, { sub }));
    expect([again.claims.sub, await exists(uid)]).toEqual([uid, true]);
    expect(await sql("select 1 from role_bindings where identity_uid = ?", uid)).toEqual([]);
  });

  test("cannot delete themselves if they have access elsewhere, or logged in elsewhere", async () => {
    const elsewhere = await newOrganization();
    const ada = await loggedIn();
    const binding = await bind(ada.uid, elsewhere);
    expect((await leave(ada.uid, ada.token)).status).toBe(403);
    await callRest(`/iam/v2/roleBindings/${binding}`, {
      ...{ method: "DELETE", token: elsewhere.owner.token },
    });
    await loggedIn(ada.sub, elsewhere);
    await sql("delete from role_bindings where identity_uid = ?", ada.uid);
    expect((await leave(ada.uid, ada.token)).status).toBe(403);
    expect(await exists(ada.uid)).toBe(true);
  });

  test("cannot delete themselves after a registration, except with their own token", async () => {
    const sub = randomName("ada");
    const bare = await issuer.sign({ sub });
    await sql(
      `insert into identities (uid, name, relationship_type, relationship, issuer, subject,
       last_seen_time, create_time, update_time) values (?, 'ada', 1, ?, ?, ?, 1, 1, 1)`,
      await personUid(issuer.url, sub),
      JSON.stringify({ case: "claimMatch", value: { issuer: issuer.url, subject: sub } }),
      issuer.url,
      sub,
    );
    const { token, uid } = await loggedIn(sub);
    expect((await leave(uid, token)).status).toBe(403);
    expect((await leave(uid, (await exchangeForToken(bare)).token)).status).toBe(200);
  });

  test("cannot delete themselves with a token that was narrowed further", async () => {
    const { uid, claims } = await loggedIn();
    const { idp = "", scopes: [group] = [] } = claims;
    const below = `${group}/${"0".repeat(16)}`;
    for (const narrowed of [
      { idp, scopes: [below] },
      { idp, scopes: [group ?? ""], capabilities: [1] },
    ]) {
      expect((await leave(uid, await tokenFor(uid, narrowed))).status).toBe(403);
    }
    expect(await exists(uid)).toBe(true);
  });
});
