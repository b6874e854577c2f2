import type { JWTPayload } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { newProvider } from "../../issuer/login/logins.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  type Persona,
  randomName,
  randomUid,
} from "../../world/personas.ts";
import { callRest, requestInfo, sql, tokenFor } from "../../world/platform.ts";

let organization: Organization;
let domain: string;
let person: Persona;
beforeEach(async () => {
  [organization, person] = await Promise.all([newOrganization(), newUser()]);
  domain = `${randomName("corp")}.example`;
  await verify(organization.uid, domain);
});

const verify = (uid: string, name: string) =>
  sql("update groups set name = ?, verified = 1 where uid = ?", name, uid);
const act = { iss: "https://trusted.example", sub: "ann", aud: "x" };
const claims = (email = `ann@${domain}`) => ({ email, email_verified: true, act });
const tokenOf = (tokenClaims: JWTPayload = claims(), uid = person.uid) =>
  tokenFor(uid, tokenClaims);

const lookup = (token: string) => callRest("/iam/v2/groups:lookupGroup", { token });
const check = (token: string) => callRest("/iam/v2/groups:checkEligibility", { token });
const request = (token: string, uid = organization.uid) =>
  callRest(`/iam/v2/groups/${uid}:requestGroupAccess`, { token, body: {} });
const events = () =>
  sql<{ type: string; audience: string; data: string; subject: string }>(
    "select type, audience, data, subject from events where group_uid = ? and type like '%access_requested%'",
    organization.uid,
  );

describe("a person with an address of a verified organization", () => {
  test("finds it, is eligible, and can request access", async () => {
    const token = await tokenOf();
    const { status, body } = await lookup(token);
    expect(status).toBe(200);
    expect(body.group).toMatchObject({ uid: organization.uid, name: domain, verified: true });
    expect((await check(token)).body).toEqual({ eligible: true });
    expect(await request(token)).toMatchObject({ status: 200, body: {} });
  });

  test("finds it with a token of a login, which reaches only another group", async () => {
    const { uid: home } = await newOrganization();
    const login = { idp: await newProvider(home, { issuer: act.iss }), scopes: [home] };
    const token = await tokenOf({ ...claims(), ...login });
    expect((await lookup(token)).status).toBe(200);
    expect((await request(token)).status).toBe(200);
    const narrowed = await tokenOf({ ...claims(), ...login, scopes: [`${home}/0123456789abcdef`] });
    expect((await lookup(narrowed)).status).toBe(404);
  });

  test("finds it in any spelling of the address", async () => {
    const token = await tokenOf(claims(`Ann@${domain.toUpperCase()}`));
    expect((await lookup(token)).body.group.uid).toBe(organization.uid);
  });

  test("an access request sends subscribers an event with the data that they need to grant access", async () => {
    await request(await tokenOf());
    const [identity] = await sql<{ name: string }>(
      "select name from identities where uid = ?",
      person.uid,
    );
    const [event, ...more] = await events();
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: "dev.vendor.api.iam.group.access_requested.v1",
      audience: "customer",
      subject: organization.uid,
    });
    expect(JSON.parse(event?.data ?? "").body).toEqual({
      groupUid: organization.uid,
      identityUid: person.uid,
      email: `ann@${domain}`,
      name: identity?.name,
    });
  });

  test("cannot request access with a token that is limited to some capabilities", async () => {
    const { status, body } = await request(await tokenOf({ ...claims(), capabilities: [1] }));
    expect([status, body.message]).toEqual([403, expect.stringContaining("limited")]);
    expect(await events()).toEqual([]);
  });

  test("gets no access from a request", async () => {
    const token = await tokenOf();
    await request(token);
    expect((await callRest(`/iam/v2/groups/${organization.uid}`, { token })).status).toBe(403);
  });

  test("can request once in 24 hours, independently of other people", async () => {
    const token = await tokenOf();
    expect((await request(token)).status).toBe(200);
    const { status, body } = await request(token);
    expect(status).toBe(429);
    expect(body).toMatchObject({
      code: 8,
      details: [{ reason: "RESOURCE_EXHAUSTED" }, requestInfo],
    });
    const other = await tokenOf(claims(`bob@${domain}`), (await newUser()).uid);
    expect((await request(other)).status).toBe(200);
    const age = async (hours: number) => {
      const time = Date.now() - hours * 3_600_000;
      const where = "group_uid = ? and identity_uid = ?";
      const update = `update group_access_requests set time = ? where ${where}`;
      await sql(update, time, organization.uid, person.uid);
    };
    await age(23.9);
    expect((await request(token)).status).toBe(429);
    await age(24.1);
    expect((await request(token)).status).toBe(200);
    expect((await request(token)).status).toBe(429);
    expect(await events()).toHaveLength(3);
  });

  test("has one request for many calls at once", async () => {
    const token = await tokenOf();
    const answers = await Promise.all(Array.from({ length: 6 }, () => request(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429, 429, 429]);
    expect(await events()).toHaveLength(1);
  });
});

describe("the response is the same, and no event is written, for", () => {
  const known = (name: string) => claims(`ann@${name}`);
  const cases: [string, () => JWTPayload | Promise<JWTPayload>][] = [
    ["a token without an address", () => ({})],
    ["an address that is not verified", () => ({ ...claims(), email_verified: false })],
    ["an address of unknown verification", () => ({ email: claims().email, act })],
    [
      "an issuer that is not trusted",
      () => ({ ...claims(), act: { ...act, iss: "https://x.example" } }),
    ],
    [
      "an identity provider of some organization",
      async () => ({
        ...claims(),
        act: { ...act, iss: "https://x.example" },
        idp: await newProvider(organization.uid, { issuer: "https://x.example" }),
      }),
    ],
    ["a token of no upstream", () => ({ ...claims(), act: undefined })],
    ["a domain of no organization", () => known("nobody.example")],
    ["a domain below the organization's", () => known(`sub.${domain}`)],
    ["a domain with a root dot", () => known(`${domain}.`)],
    ["a token narrowed to other groups", () => ({ ...claims(), scopes: [randomUid()] })],
    ["a text that is not an address", () => ({ ...claims(), email: domain })],
    ["an empty domain", () => ({ ...claims(), email: "ann@" })],
  ];

  test.each(cases)("%s", async (_, tokenClaims) => {
    const token = await tokenOf(await tokenClaims());
    const [found, asked] = [await lookup(token), await request(token)];
    const nobody = await lookup(await tokenOf({}));
    expect([found.status, asked.status]).toEqual([404, 404]);
    expect(found.body).toEqual(nobody.body);
    expect(asked.body).toEqual((await request(await tokenOf({}))).body);
    expect(await events()).toEqual([]);
  });

  test("an organization that is not verified", async () => {
    await sql("update groups set verified = 0 where uid = ?", organization.uid);
    expect((await lookup(await tokenOf())).status).toBe(404);
    expect((await request(await tokenOf())).status).toBe(404);
  });

  test("a group below an organization", async () => {
    const name = `${randomName("below")}.example`;
    const { token } = organization.owner;
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name });
    await verify(group.uid, name);
    const tokenClaims = await tokenOf(known(name));
    expect((await lookup(tokenClaims)).status).toBe(404);
    expect((await request(tokenClaims, group.uid)).status).toBe(404);
  });

  test.each(["gmail.com", "GMail.com", "yahoo.co.uk", "mail.example"])(
    "the public domain %s, even if an organization has its name",
    async (name) => {
      const lower = name.toLowerCase();
      await sql("update groups set verified = 0 where name = ?", lower);
      await verify(organization.uid, lower);
      const token = await tokenOf(known(name));
      const answers = [await lookup(token), await request(token), await check(token)];
      await sql("update groups set verified = 0 where uid = ?", organization.uid);
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 200]);
      expect(answers[2]?.body).toEqual({ eligible: false });
    },
  );

  test("another organization than the caller's own, and one that does not exist", async () => {
    const other = await newOrganization();
    const token = await tokenOf();
    for (const uid of [other.uid, randomUid(), `${organization.uid}/${"0".repeat(16)}`]) {
      const { status, body } = await request(token, uid);
      expect(status).toBe(404);
      expect(body.message).toBe(`Not found: Group ${uid}`);
    }
  });
});

test("a person with a trusted address is eligible, whether or not the organization exists", async () => {
  const eligible = async (tokenClaims: JWTPayload) =>
    (await check(await tokenOf(tokenClaims))).body.eligible;
  expect(await eligible(claims("ann@nobody.example"))).toBe(true);
  expect(await eligible({})).toBe(false);
  expect(await eligible({ ...claims(), email_verified: false })).toBe(false);
  expect(await eligible({ ...claims(), act: { ...act, iss: "https://x.example" } })).toBe(false);
});

test("an identity of another organization or of a group below cannot join, so it cannot request access", async () => {
  const { uid, owner } = organization;
  const group = await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "team" });
  for (const bot of [
    await newIdentity(await newOrganization(), undefined),
    await newIdentity(organization, undefined, { group: group.uid }),
  ]) {
    const { status, body } = await request(await tokenOf(claims(), bot.uid));
    expect(status).toBe(400);
    expect(body.details[1].violations[0].type).toBe("OUT_OF_REACH");
  }
  expect(await events()).toEqual([]);
});

test("access requests for a group are deleted with the group", async () => {
  await request(await tokenOf());
  const { token } = organization.owner;
  const gone = await callRest(`/iam/v2/groups/${organization.uid}`, { method: "DELETE", token });
  expect(gone.status).toBe(200);
  const left = "select * from group_access_requests where group_uid = ?";
  expect(await sql(left, organization.uid)).toEqual([]);
});
