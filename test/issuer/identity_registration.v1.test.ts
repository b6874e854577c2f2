/** Identities that accept an invite with the token of another issuer. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { personUid } from "../../src/auth/person.ts";
import { newOrganization, type Organization, randomName, randomUid } from "../world/personas.ts";
import { sql } from "../world/platform.ts";
import { exchange, newIdentityWithMatchers } from "./exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "./foreign_issuer.ts";
import { logInWithIdToken, newProvider, serveTokens, tokensOf } from "./login/logins.ts";
import { callRegister, newInviteCode, rowsOfIdentity } from "./registration_call.ts";

let issuer: ForeignIssuer;
let organization: Organization;
let subject = "";

beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());
beforeEach(async () => {
  organization = await newOrganization();
  subject = randomName("ada");
});

const bare = (claims: Record<string, unknown> = {}) => issuer.sign({ sub: subject, ...claims });

const named = (claims: Record<string, unknown> = {}) =>
  newIdentityWithMatchers(organization, { claimMatch: { issuer: issuer.url, subject }, ...claims });

test("a named identity accepts the invite, and no person is created", async () => {
  const identity = await named();
  const { code } = await newInviteCode(organization);
  const { status, body } = await callRegister(await bare(), { code, identityId: identity });
  expect([status, body]).toEqual([200, { identity, group: organization.uid }]);
  expect((await rowsOfIdentity(identity)).bindings).toHaveLength(1);
  expect((await rowsOfIdentity(await personUid(issuer.url, subject))).identities).toEqual([]);
});

test("a named identity without a code is returned, and nothing changes", async () => {
  const identity = await named();
  expect((await callRegister(await bare(), { identityId: identity })).body).toEqual({ identity });
  expect((await rowsOfIdentity(identity)).events).toEqual([]);
});

test("a named identity can have any issuer, because it names the issuer itself", async () => {
  const stranger = await startIssuer();
  const claimMatch = { issuer: stranger.url, subjectPattern: "^ada-.*" };
  const identity = await newIdentityWithMatchers(organization, { claimMatch });
  const { code } = await newInviteCode(organization);
  const token = await stranger.sign({ sub: subject });
  expect((await callRegister(token, { code, identityId: identity })).status).toBe(200);
  stranger.close();
});

test("a named identity must match the token, and cannot leave its organization", async () => {
  const identity = await named();
  const { code } = await newInviteCode(organization);
  const unknown = `${organization.uid}/${"0".repeat(16)}`;
  for (const [token, identityId] of [
    [await bare({ sub: "eve" }), identity],
    [await bare({ aud: "other.example" }), identity],
    [await bare(), unknown],
    [await bare(), organization.owner.uid],
  ] as const) {
    expect((await callRegister(token, { code, identityId })).status).toBe(403);
  }
  const malformed = await callRegister(await bare(), { code, identityId: "x" });
  expect([malformed.status, malformed.body.message]).toEqual([
    400,
    expect.stringContaining("identity_id"),
  ]);
  const other = await newOrganization();
  const away = await newIdentityWithMatchers(other, {
    claimMatch: { issuer: issuer.url, subject },
  });
  const { status, body } = await callRegister(await bare(), { code, identityId: away });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("OUT_OF_REACH")]);
  expect(await sql("select * from role_bindings where identity_uid = ?", away)).toEqual([]);
});

test("a registration that names a person reveals nothing about them to anyone else", async () => {
  const idp = await newProvider(organization.uid, { issuer: issuer.url });
  const done = await logInWithIdToken(issuer, serveTokens(issuer), idp, { sub: subject });
  const uid = tokensOf(done).claims.sub ?? "";
  const eve = await startIssuer();
  const unproved = [
    await eve.sign({ iss: issuer.url, sub: subject }),
    await eve.sign({ sub: subject }),
    await bare({ sub: "eve" }),
    await bare({ aud: "https://other.example" }),
    await bare({ exp: 1_000_000_000 }),
  ];
  const calls = [
    (token: string, identity: string) => callRegister(token, { identityId: identity }),
    (token: string, identity: string) => exchange(token, { identity }),
  ];
  for (const call of calls) {
    for (const token of unproved) {
      const nobody = randomUid();
      const [there, not] = [await call(token, uid), await call(token, nobody)];
      expect([there.status, not.status]).toEqual([403, 403]);
      expect(JSON.stringify(there.body).replaceAll(uid, nobody)).toBe(JSON.stringify(not.body));
    }
    const { status, body } = await call(await bare(), uid);
    expect([status, body.message]).toEqual([403, expect.stringContaining("identity_provider")]);
  }
  expect(eve.requests).toEqual([]);
  eve.close();
});
