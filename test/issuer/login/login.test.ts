/** Logins in a browser, at a real OpenID provider. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { personUid } from "../../../src/auth/person.ts";
import {
  bindPerson,
  newOrganization,
  type Organization,
  randomName,
  roleUid,
} from "../../world/personas.ts";
import { audience, callRest, issuer, sql } from "../../world/platform.ts";
import { exchange, exchangeForToken } from "../exchange_call.ts";
import { Browser } from "./browser.ts";
import { errorOf, logIn, loginUrl, newProvider, redirect, tokensOf } from "./logins.ts";
import { clientSecret, type OpenidProvider, startProvider } from "./openid_provider.ts";

let provider: OpenidProvider;
let organization: Organization;
let idp = "";
let subject = "";

beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());

beforeEach(async () => {
  organization = await newOrganization();
  idp = await newProvider(organization.uid, { issuer: provider.url });
  subject = randomName("ada");
  provider.accounts.set(subject, {
    email: "Ada@People.example",
    email_verified: true,
    name: "Ada Lövelace",
  });
});

const bindingsOf = (identity: string) =>
  sql<{ uid: string; parent: string; role_uid: string }>(
    "select uid, parent, role_uid from role_bindings where identity_uid = ?",
    identity,
  );
const eventsOf = (actor: string) =>
  sql<{
    type: string;
    group_uid: string;
    subject: string;
    audience: string;
    data: string;
    extensions: string;
  }>("select * from events where json_extract(data, '$.actor.subject') = ? order by rowid", actor);

const login = "iam.identity_providers.login.v1";
const firstLogin = [
  ...["iam.identity.created.v1", "iam.identity.metadata.updated.v1", "iam.rolebindings.created.v1"],
  login,
];
const typesOf = async (actor: string) =>
  (await eventsOf(actor)).map(({ type }) => type.slice("dev.vendor.api.".length));

test("a login returns a token of the person, for the organization of the provider and no other", async () => {
  const done = await logIn(subject, { idp_id: idp });
  expect(done.location.origin + done.location.pathname).toBe("http://127.0.0.1:9/callback/nonce");
  expect(done.location.searchParams.get("kept")).toBe("1");
  const { claims, token, refreshToken } = tokensOf(done);
  const uid = await personUid(provider.url, subject);
  expect(claims).toMatchObject({
    iss: issuer,
    sub: uid,
    aud: audience,
    act: { iss: provider.url, sub: subject, aud: "public" },
    email: "Ada@People.example",
    email_verified: true,
    idp,
    scopes: [organization.uid],
  });
  expect(claims).not.toHaveProperty("groups");
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600);
  expect(refreshToken).toBeUndefined();
  expect(done.headers.get("cache-control")).toBe("no-store");
  expect(done.headers.get("referrer-policy")).toBe("no-referrer");
  const repos = await callRest(`/registry/v2/repos?uidp.children_of=${organization.uid}`, {
    token,
  });
  expect(repos.status).toBe(200);
});

test("a login does not reach what the same person can reach in another organization", async () => {
  const other = await newOrganization();
  const uid = await personUid(provider.url, subject);
  await logIn(subject, { idp_id: idp });
  await bindPerson({ uid: other.uid, token: other.owner.token }, uid, "owner");
  const { token } = tokensOf(await logIn(subject, { idp_id: idp }));
  const path = `/registry/v2/repos?uidp.children_of=${other.uid}`;
  expect((await callRest(path, { token })).status).toBe(403);
  const again = await exchangeForToken(token);
  expect((await callRest(path, { token: again.token })).status).toBe(403);
  expect((await exchange(token, { scopes: other.uid })).status).toBe(403);
});

test("the first login creates the person and binds the default role, with their events", async () => {
  const { claims } = tokensOf(await logIn(subject, { idp_id: idp }));
  const uid = claims.sub ?? "";
  const [row] = await sql("select * from identities where uid = ?", uid);
  expect(row).toMatchObject({ name: "ada lovelace", email: "Ada@People.example", issuer: null });
  const viewer = await roleUid("viewer");
  const [binding, ...more] = await bindingsOf(uid);
  expect(more).toEqual([]);
  expect(binding).toMatchObject({ parent: organization.uid, role_uid: viewer });
  const events = (await eventsOf(uid)).map((one) => ({ ...one, data: JSON.parse(one.data) }));
  expect(events).toMatchObject([
    {
      type: "dev.vendor.api.iam.identity.created.v1",
      audience: "internal",
      group_uid: "/",
      subject: uid,
    },
    {
      type: "dev.vendor.api.iam.identity.metadata.updated.v1",
      audience: "internal",
      group_uid: "",
      subject: uid,
      data: { body: { uid, name: "Ada Lövelace", givenName: "Ada", familyName: "Lövelace" } },
    },
    {
      type: "dev.vendor.api.iam.rolebindings.created.v1",
      audience: "customer",
      group_uid: organization.uid,
      subject: binding?.uid,
      data: {
        actor: { subject: uid, act: { iss: provider.url, sub: subject, email: claims.email } },
        body: {
          uid: binding?.uid,
          identity: { uid, name: "ada lovelace", subject, issuer: provider.url },
          group: { uid: organization.uid, name: organization.name },
          role: { uid: viewer, name: "viewer" },
        },
      },
    },
    {
      type: "dev.vendor.api.iam.identity_providers.login.v1",
      audience: "customer",
      group_uid: organization.uid,
      subject: uid,
      extensions: JSON.stringify({ identityprovider: idp }),
      data: {
        actor: { subject: uid, act: { iss: provider.url, sub: subject, email: claims.email } },
        body: { identityUid: uid, identityProviderUid: idp },
      },
    },
  ]);
});

test("the display name from the provider is part of the person's metadata", async () => {
  const path = "/iam/v2/identities:updateIdentityMetadata";
  const lookUp = (token: string) =>
    callRest(path, { method: "PATCH", token, body: { identityMetadata: { jobTitle: "analyst" } } });
  const first = await lookUp(tokensOf(await logIn(subject, { idp_id: idp })).token);
  const ada = { name: "Ada Lövelace", givenName: "Ada", familyName: "Lövelace" };
  expect(first.body).toMatchObject({ ...ada, jobTitle: "analyst" });
  provider.accounts.set(subject, { ...provider.accounts.get(subject), name: "Ada King" });
  const second = await lookUp(tokensOf(await logIn(subject, { idp_id: idp })).token);
  expect(second.body).toMatchObject({ name: "Ada King", familyName: "King", jobTitle: "analyst" });
  const changed = "iam.identity.metadata.updated.v1";
  const types = await typesOf(await personUid(provider.url, subject));
  expect(types).toEqual([...firstLogin, changed, changed, login]);
});

test("a removed default role does not return with the next login", async () => {
  const { claims } = tokensOf(await logIn(subject, { idp_id: idp }));
  const [binding] = await bindingsOf(claims.sub ?? "");
  const gone = await callRest(`/iam/v2/roleBindings/${binding?.uid}`, {
    method: "DELETE",
    token: organization.owner.token,
  });
  expect(gone.status).toBe(200);
  tokensOf(await logIn(subject, { idp_id: idp }));
  expect(await bindingsOf(claims.sub ?? "")).toEqual([]);
  expect(await typesOf(claims.sub ?? "")).toEqual([...firstLogin, login]);
});

test("two first logins at once bind the default role once", async () => {
  const done = await Promise.all([1, 2].map(() => logIn(subject, { idp_id: idp })));
  const [uid] = done.map((one) => tokensOf(one).claims.sub);
  expect(await bindingsOf(uid ?? "")).toHaveLength(1);
  expect(await typesOf(uid ?? "")).toEqual([...firstLogin, login]);
});

test("an unverified address is marked so and stored separately", async () => {
  provider.accounts.set(subject, { email: "ada@people.example", email_verified: false });
  const { claims } = tokensOf(await logIn(subject, { idp_id: idp }));
  expect(claims.email_verified).toBe(false);
  const [row] = await sql("select * from identities where uid = ?", claims.sub);
  expect(row).toMatchObject({ email: "", email_unverified: "ada@people.example" });
});

test("a client with a secret can log in too, with and without PKCE", async () => {
  idp = await newProvider(organization.uid, {
    ...{ issuer: provider.url, client_id: "private", secret: clientSecret, pkce_enabled: 0 },
  });
  const start = await new Browser().open(loginUrl({ redirect, idp_id: idp }));
  expect(start.location.searchParams.get("code_challenge_method")).toBe("S256");
  expect(tokensOf(await logIn(subject, { idp_id: idp })).claims.idp).toBe(idp);
});

test("the error for a wrong client secret says so and does not contain the secret", async () => {
  idp = await newProvider(organization.uid, {
    ...{ issuer: provider.url, client_id: "private", secret: "not the secret" },
  });
  const [status, error] = errorOf(await logIn(subject, { idp_id: idp }));
  expect(status).toBe("403");
  expect(error).not.toContain("not the secret");
});

test("an address and groups that only UserInfo returns count", async () => {
  const thin = await startProvider({ configuration: { conformIdTokenClaims: true } });
  try {
    thin.accounts.set(subject, { email: "ada@people.example", email_verified: true });
    idp = await newProvider(organization.uid, { issuer: thin.url });
    const { claims } = tokensOf(await logIn(subject, { idp_id: idp }));
    expect(claims).toMatchObject({ email: "ada@people.example", email_verified: true });
  } finally {
    thin.close();
  }
});

test("audience and scope narrow the token", async () => {
  const { body: group } = await callRest(`/iam/v2/groups/${organization.uid}`, {
    token: organization.owner.token,
    body: { name: "team" },
  });
  const query = { idp_id: idp, audience: `${issuer},localhost:8787`, scope: [group.uid] };
  const { claims } = tokensOf(await logIn(subject, query));
  expect(claims.aud).toEqual([issuer, "localhost:8787"]);
  expect(claims.scopes).toEqual([group.uid]);
  const elsewhere = await newOrganization();
  const outside = await logIn(subject, { idp_id: idp, scope: [elsewhere.uid] });
  expect(errorOf(outside)[0]).toBe("403");
});

test("a login with identity acts as that identity if it matches the person", async () => {
  const uid = await personUid(provider.url, subject);
  const make = (claimMatch: object) =>
    callRest(`/iam/v2/identities/${organization.uid}`, {
      token: organization.owner.token,
      body: { name: "robot", claimMatch },
    });
  // An issuer over plain http is stored for the tests' own platform only.
  const { body: robot } = await make({ issuer, subject: uid });
  const { claims } = tokensOf(await logIn(subject, { idp_id: idp, identity: robot.uid }));
  expect(claims).toMatchObject({ sub: robot.uid, act: { iss: issuer, sub: uid } });
  expect(claims.scopes).toEqual([organization.uid]);
  const [issued, ...more] = await eventsOf(robot.uid);
  expect(more).toEqual([]);
  expect(issued).toMatchObject({
    type: "dev.vendor.api.auth.token.exchanged.v1",
    group_uid: organization.uid,
    subject: robot.uid,
    audience: "customer",
  });
  expect(JSON.parse(issued?.data ?? "")).toMatchObject({
    actor: { act: { iss: issuer, sub: uid } },
    body: { kind: "KIND_LOGIN", identityUid: robot.uid },
  });
  const { body: other } = await make({ issuer, subject: "someone-else" });
  expect(errorOf(await logIn(subject, { idp_id: idp, identity: other.uid }))[0]).toBe("403");
});

test("a login without a redirect ends with a page that names the person", async () => {
  const email = `"><script>alert(1)</script>@x.example`;
  provider.accounts.set(subject, { email, email_verified: true });
  const done = await logIn(subject, { idp_id: idp, redirect: "" });
  expect(done.status).toBe(200);
  expect(done.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(done.text).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;@x.example");
  expect(done.text).not.toContain("<script");
  expect(done.text).not.toMatch(/eyJ/);
});

test("a rejection at the provider reaches the waiting program", async () => {
  const browser = new Browser();
  await browser.follow(loginUrl({ redirect, idp_id: idp }), () => false);
  const back = await browser.open(browser.last, { cancel: "1" });
  const done = await browser.follow(back.location, (at) => at.port === "9");
  expect(errorOf(done)).toEqual([
    "403",
    "Permission denied: the identity provider refused the login: access_denied",
  ]);
});
