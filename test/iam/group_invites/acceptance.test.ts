import type { JWTPayload } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Issuer, startIssuer } from "../../auth/oidc_issuer.ts";
import { newProvider } from "../../issuer/login/logins.ts";
import {
  bindPerson,
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  type Persona,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { type Answer, callRest, sql, tokenFor } from "../../world/platform.ts";
import { violatedField } from "../../world/resource_calls.ts";

let organization: Organization;
let token: string;
let viewer: string;
let guest: Persona;
beforeEach(async () => {
  [organization, guest] = await Promise.all([newOrganization(), newUser()]);
  token = organization.owner.token;
  viewer = await roleUid("viewer");
});

const newInvite = (body: object = {}, group = organization.uid) =>
  createResource(`/iam/v2/groupInvites/${group}`, token, {
    roleUid: viewer,
    ttl: "3600s",
    ...body,
  }) as Promise<{ uid: string; code: string }>;
const accept = (code: unknown, as = guest.token) =>
  callRest("/iam/v2/groupInvites:accept", { token: as, body: { code } });
const bindings = (group = organization.uid) =>
  sql<{ identity_uid: string; role_uid: string }>(
    "select identity_uid, role_uid from role_bindings where parent = ? and identity_uid <> ?",
    group,
    organization.owner.uid,
  );
const events = () =>
  sql<{ data: string; subject: string }>(
    "select subject, data from events where group_uid = ? and type like '%rolebindings.created%'",
    organization.uid,
  );
const violation = ({ body }: Answer) => body.details[1]?.violations?.[0]?.type;

describe("a person who accepts an invite", () => {
  test("has its role on the group from the next call on", async () => {
    const group = `/iam/v2/groups/${organization.uid}`;
    const { code } = await newInvite();
    expect((await callRest(group, { token: guest.token })).status).toBe(403);
    const { status, body } = await accept(code);
    expect(status).toBe(200);
    expect((await callRest(group, { token: guest.token })).status).toBe(200);
    const binding = await callRest(`/iam/v2/roleBindings/${body.uid}`, { token });
    expect(binding.body).toMatchObject(body);
    expect(body).toMatchObject({
      identity: { uid: guest.uid },
      group: { uid: organization.uid, name: organization.name },
      role: { uid: viewer, name: "viewer" },
    });
  });

  test("twice gets the same binding, and no second event", async () => {
    const { code } = await newInvite();
    const [first, second] = [await accept(code), await accept(code)];
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(await bindings()).toHaveLength(1);
    expect(await events()).toHaveLength(1);
  });

  test("and already has the role leaves a single-use invite for another person", async () => {
    await bindPerson({ uid: organization.uid, token }, guest.uid, "viewer");
    const { code } = await newInvite({ singleUse: true });
    expect((await accept(code)).status).toBe(200);
    expect((await accept(code, (await newUser()).token)).status).toBe(200);
    expect(await bindings()).toHaveLength(2);
  });

  test("to a group below the organization joins only that group", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "below",
    });
    const { code } = await newInvite({}, group.uid);
    expect((await accept(code)).body.group.uid).toBe(group.uid);
    const above = await callRest(`/iam/v2/groups/${organization.uid}`, { token: guest.token });
    expect(above.status).toBe(403);
  });
});

describe("the code of an invite", () => {
  test("works once for a single-use invite", async () => {
    const { code, uid } = await newInvite({ singleUse: true });
    expect((await accept(code)).status).toBe(200);
    expect((await accept(code, (await newUser()).token)).status).toBe(404);
    expect((await callRest(`/iam/v2/groupInvites/${uid}`, { token })).status).toBe(404);
    expect(await bindings()).toHaveLength(1);
  });

  test("of a single-use invite works for exactly one of many people at once", async () => {
    const { code } = await newInvite({ singleUse: true });
    const people = await Promise.all(Array.from({ length: 8 }, newUser));
    const answers = await Promise.all(people.map((one) => accept(code, one.token)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 404)]);
    expect(await bindings()).toHaveLength(1);
    expect(await events()).toHaveLength(1);
  });

  test("sent twice at once by one person lets them join once", async () => {
    const { code } = await newInvite({ singleUse: true });
    const answers = await Promise.all([accept(code), accept(code)]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(await bindings()).toHaveLength(1);
    expect(await events()).toHaveLength(1);
  });

  test("that cannot be used has the same response for every reason", async () => {
    const [expired, withdrawn, used, altered] = [
      await newInvite(),
      await newInvite(),
      await newInvite({ singleUse: true }),
      await newInvite(),
    ];
    await sql(
      "update group_invites set expiration_time = ? where uid = ?",
      Date.now(),
      expired.uid,
    );
    await callRest(`/iam/v2/groupInvites/${withdrawn.uid}`, { method: "DELETE", token });
    await accept(used.code, (await newUser()).token);
    const end = altered.code.endsWith("A") ? "B" : "A";
    const codes = [
      expired.code,
      withdrawn.code,
      used.code,
      altered.code.slice(0, -1) + end,
      altered.code.split(".")[0],
      altered.code.split(".")[1],
      "garbage",
      "%",
    ];
    const answers = await Promise.all(codes.map((code) => accept(code)));
    expect(answers.map(({ status }) => status)).toEqual(codes.map(() => 404));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await bindings()).toHaveLength(1);
  });

  test.each([[""], [undefined], ["x".repeat(256)]])("of %j is malformed", async (code) => {
    const { status, body } = await accept(code);
    expect(status).toBe(400);
    expect(violatedField(body)).toBe("code");
  });

  test("works as long as the invite, and again once the invite is extended", async () => {
    const { code, uid } = await newInvite();
    await sql("update group_invites set expiration_time = 1 where uid = ?", uid);
    expect((await accept(code)).status).toBe(404);
    const body = { ttl: "60s" };
    await callRest(`/iam/v2/groupInvites/${uid}`, { method: "PATCH", token, body });
    expect((await accept(code)).status).toBe(200);
  });

  test("of a deleted role is a failed precondition", async () => {
    const role = await createResource(`/iam/v2/roles/${organization.uid}`, token, {
      name: "short-lived",
      capabilities: ["CAP_REPO_LIST"],
    });
    const { code } = await newInvite({ roleUid: role.uid });
    await callRest(`/iam/v2/roles/${role.uid}`, { method: "DELETE", token });
    const answer = await accept(code);
    expect(answer.status).toBe(400);
    expect(violation(answer)).toBe("ROLE_GONE");
    expect(await bindings()).toEqual([]);
  });
});

describe("an invite for an email address", () => {
  const email = "Kim.Lee@Corp.example";
  const trusted = { iss: "https://trusted.example", sub: "ann", aud: "x" };
  const tokenWith = (claims: JWTPayload) => tokenFor(guest.uid, claims);
  const provider = (group: string) => newProvider(group, { issuer: "https://idp.example" });

  test("lets its owner join, in any case of the address", async () => {
    for (const written of [email, "kim.lee@corp.EXAMPLE"]) {
      const { code } = await newInvite({ email });
      const claims = { email: written, email_verified: true, act: trusted };
      expect((await accept(code, await tokenWith(claims))).status).toBe(200);
    }
  });

  test("lets people join whose address an identity provider of the group, or above it, has verified", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "below",
    });
    const act = { ...trusted, iss: "https://idp.example" };
    const idp = await provider(organization.uid);
    const claims = { email, email_verified: true, act, idp };
    for (const at of [organization.uid, group.uid]) {
      const { code } = await newInvite({ email }, at);
      expect((await accept(code, await tokenWith(claims))).status).toBe(200);
    }
  });

  test.each([
    ["no address", { act: trusted }],
    ["another address", { email: "eve@corp.example", email_verified: true, act: trusted }],
    [
      "an address that lower case makes it (U+212A)",
      {
        email: "\u212aim.lee@corp.example",
        email_verified: true,
        act: trusted,
      },
    ],
    ["the address unverified", { email, email_verified: false, act: trusted }],
    ["the address, and nothing of its verification", { email, act: trusted }],
    [
      "the address by an issuer that is not trusted",
      { email, email_verified: true, act: { ...trusted, iss: "https://evil.example" } },
    ],
    [
      "the address by an issuer that is almost trusted",
      { email, email_verified: true, act: { ...trusted, iss: "https://trusted.example/" } },
    ],
    ["the address without any issuer", { email, email_verified: true }],
    [
      "an identity provider of another organization",
      {
        email,
        email_verified: true,
        act: { ...trusted, iss: "https://idp.example" },
        idp: async () => provider((await newOrganization()).uid),
      },
    ],
  ])("keeps out %s, and stays", async (_, claims) => {
    const { code, uid } = await newInvite({ email, singleUse: true });
    const idp = "idp" in claims ? { idp: await claims.idp() } : {};
    const { status, body } = await accept(code, await tokenWith({ ...claims, ...idp }));
    expect(status).toBe(403);
    expect(body.message).toContain("verified");
    expect(JSON.stringify(body).toLowerCase()).not.toContain("kim.lee");
    expect(await bindings()).toEqual([]);
    expect((await callRest(`/iam/v2/groupInvites/${uid}`, { token })).status).toBe(200);
  });

  test("rejects people whose address an identity provider of a group below has verified", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "below",
    });
    const { code } = await newInvite({ email });
    const act = { ...trusted, iss: "https://idp.example" };
    const claims = { email, email_verified: true, act, idp: await provider(group.uid) };
    expect((await accept(code, await tokenWith(claims))).status).toBe(403);
  });

  test("shows nothing to a caller without the code", async () => {
    const { code } = await newInvite({ email });
    expect((await accept(`${code.slice(0, -2)}__`)).status).toBe(404);
  });
});

describe("an identity that was created in a group", () => {
  test("can join groups at or below its own, and no others", async () => {
    const other = await newOrganization();
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "team",
    });
    const [own, foreign, below] = [
      await newIdentity(organization, undefined),
      await newIdentity(other, undefined),
      await newIdentity(organization, undefined, { group: group.uid }),
    ];
    const { code } = await newInvite();
    expect((await accept(code, own.token)).status).toBe(200);
    for (const out of [foreign, below]) {
      const answer = await accept(code, out.token);
      expect(answer.status).toBe(400);
      expect(violation(answer)).toBe("OUT_OF_REACH");
    }
    expect(await bindings()).toHaveLength(1);
  });

  let issuer: Issuer;
  beforeEach(async () => {
    issuer = await startIssuer();
  });
  afterEach(() => issuer.close());

  test("is the one in the invite's organization if a foreign token matches several", async () => {
    const other = await newOrganization();
    const match = { name: "ci", claimMatch: { issuer: issuer.url, subject: "ci" } };
    const [own] = await Promise.all(
      [organization, other].map(({ uid, owner }) =>
        createResource(`/iam/v2/identities/${uid}`, owner.token, match),
      ),
    );
    const { code } = await newInvite();
    const { status, body } = await accept(code, await issuer.sign("ci"));
    expect(status).toBe(200);
    expect(body.identity).toMatchObject({ uid: own?.uid, issuer: issuer.url, subject: "ci" });
  });
});

describe("a narrowed token", () => {
  test.each([
    ["other groups", () => ({ scopes: [randomUid(), `${organization.uid}/${"0".repeat(16)}`] })],
    ["capabilities", () => ({ capabilities: [1] })],
  ])("of %s cannot join", async (_, claims) => {
    const { code } = await newInvite();
    expect((await accept(code, await tokenFor(guest.uid, claims()))).status).toBe(403);
    expect(await bindings()).toEqual([]);
  });

  test("of the group, or of one above it, can join", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "below",
    });
    const narrowed = await tokenFor(guest.uid, { scopes: [organization.uid] });
    for (const at of [organization.uid, group.uid]) {
      const { code } = await newInvite({}, at);
      expect((await accept(code, narrowed)).status).toBe(200);
    }
  });
});
