/** People and identities that register with a token of another issuer. */
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { Auth } from "../../schema/gen/platform/auth/auth_pb.js";
import { personUid } from "../../src/auth/person.ts";
import {
  bindPerson,
  newOrganization,
  type Organization,
  randomName,
  randomUid,
  roleUid,
} from "../world/personas.ts";
import { callRest, costOf, issuer as platform, sql, transports } from "../world/platform.ts";
import { exchange, exchangeForToken, newIdentityWithMatchers } from "./exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "./foreign_issuer.ts";
import {
  logInWithIdToken,
  newProvider,
  newScimUser,
  serveTokens,
  tokensOf,
} from "./login/logins.ts";
import { callRegister, newInviteCode, rowsOfIdentity } from "./registration_call.ts";

let registrar: ForeignIssuer;
let organization: Organization;
let subject = "";

beforeAll(async () => {
  registrar = await startIssuer(inject("registrar"));
});
afterAll(() => registrar.close());
beforeEach(async () => {
  organization = await newOrganization();
  subject = randomName("ada");
});

const bare = (claims: Record<string, unknown> = {}) => registrar.sign({ sub: subject, ...claims });

const uidOf = () => personUid(registrar.url, subject);

const nobody = { identities: [], metadata: [], bindings: [], events: [] };

const typesOf = ({ events }: { events: { type: string }[] }) =>
  events.map(({ type }) => type.replace(/^dev\.vendor\.api\./, ""));

/** Comes first, while the platform has not fetched the keys of the issuer yet. */
test("no person is created if the invite is deleted while their token is verified", async () => {
  const keys = registrar.pages["/keys"];
  if (!keys) throw new Error("the issuer shows no keys");
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  registrar.pages["/keys"] = (response) => void held.then(() => keys(response));
  const { code, uid } = await newInviteCode(organization);
  const answer = callRegister(await bare({ name: "Ada" }), { code });
  await expect.poll(() => registrar.requests).toContain("/keys");
  await sql("delete from group_invites where uid = ?", uid);
  release();
  expect((await answer).status).toBe(404);
  expect(await rowsOfIdentity(await uidOf())).toEqual(nobody);
});

describe("a person who registers", () => {
  test("is created from the issuer and subject, and their token can then be exchanged", async () => {
    const claims = { name: "Ada King Lovelace", email: "ada@a.example", email_verified: true };
    const token = await bare(claims);
    expect((await exchange(token)).status).toBe(403);
    const uid = await uidOf();
    const { status, body, headers } = await callRegister(token);
    expect([status, body]).toEqual([200, { identity: uid }]);
    expect(costOf({ headers }).roundTrips).toBe(2);
    expect((await exchangeForToken(token)).claims).toMatchObject({
      sub: uid,
      email: "ada@a.example",
      act: { iss: registrar.url, sub: subject },
    });
    const found = await rowsOfIdentity(uid);
    expect(found.identities).toMatchObject([
      { name: "ada king lovelace", email: "ada@a.example", issuer: registrar.url, subject },
    ]);
    expect(JSON.parse(found.metadata[0]?.metadata as string)).toEqual({
      ...{ name: "Ada King Lovelace", givenName: "Ada", familyName: "King Lovelace" },
    });
    expect(typesOf(found)).toEqual([
      ...["iam.identity.created.v1", "iam.identity.metadata.updated.v1", "auth.registered.v1"],
      "auth.token.exchanged.v1",
    ]);
    expect(found.events).toMatchObject([
      { audience: "internal", group_uid: "/", body_type: "platform.iam.v2.Identity" },
      { audience: "internal", subject: uid, body_type: "platform.iam.v2.IdentityMetadata" },
      { audience: "customer", group_uid: "", subject: uid, body_type: "platform.auth.Session" },
      { audience: "internal", group_uid: "/", subject: uid },
    ]);
    const act = { iss: registrar.url, sub: subject, aud: platform, email: "ada@a.example" };
    expect(JSON.parse(found.events[2]?.data ?? "")).toEqual({
      actor: { subject: uid, act },
      body: { identity: uid },
    });
    const path = "/iam/v2/identities:lookupIdentity";
    const query = `?issuer=${encodeURIComponent(registrar.url)}&subject=${subject}`;
    const looked = await callRest(`${path}${query}`, { token: organization.owner.token });
    expect(looked.body.uid).toBe(uid);
  });

  test("again gets the same response, and nothing changes", async () => {
    await callRegister(await bare({ name: "Ada" }));
    const before = await rowsOfIdentity(await uidOf());
    const { status, body } = await callRegister(await bare({ name: "Eve", email: "e@e.example" }));
    expect([status, body]).toEqual([200, { identity: await uidOf() }]);
    expect(await rowsOfIdentity(await uidOf())).toEqual(before);
  });

  test("many times at once is created once", async () => {
    const token = await bare();
    const answers = await Promise.all(Array.from({ length: 6 }, () => callRegister(token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const found = await rowsOfIdentity(await uidOf());
    expect(typesOf(found)).toEqual(["iam.identity.created.v1", "auth.registered.v1"]);
  });

  test("joins the group of the invite in the same call", async () => {
    const { code, uid: invite } = await newInviteCode(organization);
    const uid = await uidOf();
    const { status, body, headers } = await callRegister(await bare(), { code });
    expect([status, body]).toEqual([200, { identity: uid, group: organization.uid }]);
    expect(costOf({ headers }).roundTrips).toBe(2);
    const found = await rowsOfIdentity(uid);
    expect(found.bindings).toMatchObject([{ role_uid: await roleUid("viewer") }]);
    expect(typesOf(found)).toEqual([
      "iam.identity.created.v1",
      "iam.rolebindings.created.v1",
      "auth.registered.v1",
    ]);
    expect(found.events[2]).toMatchObject({ group_uid: organization.uid, audience: "customer" });
    expect(found.events[1]).toMatchObject({ subject: found.bindings[0]?.uid });
    expect(await sql("select * from group_invites where uid = ?", invite)).toEqual([]);
    const { token } = await exchangeForToken(await bare());
    expect((await callRest(`/iam/v2/groups/${organization.uid}`, { token })).status).toBe(200);
  });

  test("can join later as well, and an existing binding is returned without an event", async () => {
    await callRegister(await bare());
    const { code } = await newInviteCode(organization, { singleUse: false });
    const joined = { identity: await uidOf(), group: organization.uid };
    expect((await callRegister(await bare(), { code })).body).toEqual(joined);
    const before = await rowsOfIdentity(await uidOf());
    expect(typesOf(before).slice(2)).toEqual(["iam.rolebindings.created.v1", "auth.registered.v1"]);
    expect((await callRegister(await bare(), { code })).body).toEqual(joined);
    expect(await rowsOfIdentity(await uidOf())).toEqual(before);
  });

  test("with an invite for an address must have the address verified", async () => {
    const email = `${subject}@a.example`;
    const { code } = await newInviteCode(organization, { email });
    for (const claims of [
      {},
      { email },
      { email, email_verified: false },
      { email: "eve@a.example", email_verified: true },
    ]) {
      expect((await callRegister(await bare(claims), { code })).status).toBe(403);
    }
    expect(await rowsOfIdentity(await uidOf())).toEqual(nobody);
    const claims = { email: email.toUpperCase(), email_verified: true };
    expect((await callRegister(await bare(claims), { code })).status).toBe(200);
  });

  test("a person can register over Connect as well", async () => {
    const { connect } = transports(await bare());
    const answer = await createClient(Auth, connect).register({});
    expect(answer).toMatchObject({ identity: await uidOf(), group: "" });
  });
});

describe("no one is created", () => {
  test("if the code belongs to no invite, or to one that is used up", async () => {
    const { code, uid } = await newInviteCode(organization);
    await sql("update group_invites set expiration_time = 1 where uid = ?", uid);
    for (const other of [code, "x", `${randomUid().slice(0, 16)}.${"A".repeat(43)}`]) {
      const { status, body } = await callRegister(await bare(), { code: other });
      expect([status, body.code]).toEqual([404, 5]);
    }
    expect(await rowsOfIdentity(await uidOf())).toEqual(nobody);
  });

  test("except one of several who use a single-use invite at once", async () => {
    const { code } = await newInviteCode(organization);
    const subjects = Array.from({ length: 6 }, () => randomName("eve"));
    const answers = await Promise.all(
      subjects.map(async (sub) => callRegister(await bare({ sub }), { code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(404)]);
    const made = await sql(
      "select uid from identities where subject in (select value from json_each(?))",
      JSON.stringify(subjects),
    );
    expect(made).toHaveLength(1);
  });

  test("if the operator does not name the issuer, and nothing is fetched from it", async () => {
    const stranger = await startIssuer();
    const { code } = await newInviteCode(organization);
    const token = await stranger.sign({ sub: subject });
    for (const body of [{}, { code }] as Record<string, string>[]) {
      const { status, body: refused } = await callRegister(token, body);
      expect([status, refused.message]).toEqual([403, expect.stringContaining("cannot register")]);
    }
    expect(stranger.requests).toEqual([]);
    expect(await rowsOfIdentity(await personUid(stranger.url, subject))).toEqual(nobody);
    stranger.close();
  });

  test.each<[string, () => Promise<string | undefined>, number]>([
    ["no token", async () => undefined, 401],
    ["our own token", async () => organization.owner.token, 403],
    ["a token for another audience", () => bare({ aud: "https://other.example" }), 403],
    ["a token for the registry only", () => bare({ aud: "registry.example" }), 403],
    ["an expired token", () => bare({ exp: 1_000_000_000 }), 403],
    ["a token without an end", () => bare({ exp: undefined }), 403],
    ["a token without a subject", () => bare({ sub: "" }), 403],
    ["a subject of great length", () => bare({ sub: "a".repeat(256) }), 403],
    ["a token in the issuer's name", async () => forged(), 403],
  ])("no person is made by %s", async (_, token, status) => {
    const before = await sql<{ n: number }>(
      "select count(*) as n from identities where issuer = ?",
      registrar.url,
    );
    expect((await callRegister(await token())).status).toBe(status);
    const after = "select count(*) as n from identities where issuer = ?";
    expect(await sql(after, registrar.url)).toEqual(before);
  });

  async function forged() {
    const eve = await startIssuer();
    const token = await eve.sign({ iss: registrar.url, sub: subject });
    eve.close();
    return token;
  }
});

describe("a person who logs in through an identity provider", () => {
  const byProvider = expect.stringContaining("identity_provider");

  async function loggedIn(columns: Record<string, number> = {}) {
    const idp = await newProvider(organization.uid, { issuer: registrar.url, ...columns });
    const scimUser = columns.scim_enabled ? await newScimUser(idp, subject) : "";
    const answers = serveTokens(registrar);
    return {
      scimUser,
      ...tokensOf(await logInWithIdToken(registrar, answers, idp, { sub: subject })),
    };
  }

  test("cannot avoid it by registering", async () => {
    await loggedIn();
    const before = await rowsOfIdentity(await uidOf());
    const { code } = await newInviteCode(organization, { roleUid: await roleUid("owner") });
    for (const body of [{}, { code }, { identity_id: await uidOf() }] as Record<string, string>[]) {
      const { status, body: refused } = await callRegister(await bare(), body);
      expect([status, refused.message]).toEqual([403, byProvider]);
    }
    expect((await exchange(await bare())).status).toBe(403);
    expect(await rowsOfIdentity(await uidOf())).toEqual(before);
  });

  test.each([
    ["without a code", false],
    ["with one", true],
  ])("can register or sign in first, at the same time, %s", async (_, isInvited) => {
    const idp = await newProvider(organization.uid, { issuer: registrar.url });
    const now = () => Math.floor(Date.now() / 1000);
    for (let round = 0; round < 10; round += 1) {
      subject = randomName("ada");
      const { code } = await newInviteCode(organization);
      const idToken = await bare({ aud: "public", iat: now() });
      const [registered, signedIn] = await Promise.all([
        callRegister(await bare(), isInvited ? { code } : {}),
        exchange(idToken, { identity_provider: idp }),
      ]);
      expect(signedIn.status).toBe(200);
      const { identities, events } = await rowsOfIdentity(await uidOf());
      const types = events.map(({ type }) => type);
      const wasFirst = registered.status === 200;
      if (!wasFirst)
        expect([registered.status, registered.body.message]).toEqual([403, byProvider]);
      expect(identities).toMatchObject([{ issuer: wasFirst ? registrar.url : null }]);
      expect(types.filter((type) => type.endsWith("identity.created.v1"))).toHaveLength(1);
      expect(types.includes("dev.vendor.api.auth.registered.v1")).toBe(wasFirst);
    }
  });

  test("who registered before is still blocked from its group by a deactivation", async () => {
    await callRegister(await bare());
    const elsewhere = await newOrganization();
    const there = { uid: elsewhere.uid, token: elsewhere.owner.token };
    await bindPerson(there, await uidOf(), "viewer");
    const { scimUser } = await loggedIn({ scim_enabled: 1 });
    const { token } = await exchangeForToken(await bare());
    const direct = await bare({ aud: platform });
    const statuses = () =>
      Promise.all(
        [token, direct].flatMap((one) =>
          [organization.uid, elsewhere.uid].map(
            async (uid) => (await callRest(`/iam/v2/groups/${uid}`, { token: one })).status,
          ),
        ),
      );
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    await sql("update scim_users set active = 0 where uid = ?", scimUser);
    expect(await statuses()).toEqual([403, 200, 403, 200]);
    await sql("delete from scim_users where uid = ?", scimUser);
    expect(await statuses()).toEqual([403, 200, 403, 200]);
  });

  test.each([
    ["having registered", true],
    ["by logins alone", false],
  ])("%s, is blocked as an identity that names them too", async (_, isRegistered) => {
    if (isRegistered) await callRegister(await bare());
    const { scimUser } = await loggedIn({ scim_enabled: 1 });
    const exact = { issuer: registrar.url, subject };
    const byPattern = { issuer: registrar.url, subjectPattern: subject };
    const identities = [
      await newIdentityWithMatchers(organization, { claimMatch: exact }, "viewer"),
      await newIdentityWithMatchers(organization, { claimMatch: byPattern }, "viewer"),
    ];
    const tokensNow = async () => [
      await bare({ aud: platform }),
      ...(await Promise.all(
        identities.map(
          async (identity) => (await exchangeForToken(await bare(), { identity })).token,
        ),
      )),
    ];
    const path = `/iam/v2/groups/${organization.uid}`;
    const statusesOf = (tokens: string[]) =>
      Promise.all(tokens.map(async (token) => (await callRest(path, { token })).status));
    const before = await tokensNow();
    expect(await statusesOf(before)).toEqual([200, 200, 200]);
    await sql("update scim_users set active = 0 where uid = ?", scimUser);
    expect(await statusesOf(before)).toEqual([403, 403, 403]);
    expect(await statusesOf(await tokensNow())).toEqual([403, 403, 403]);
  });
});
