/** An exchange of our own token: the new token never lasts longer and never has more access. */
import { decodeJwt } from "jose";
import { beforeAll, expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  type Persona,
  randomUid,
} from "../world/personas.ts";
import { audience, callRest, issuer, registryAudience, sql, tokenFor } from "../world/platform.ts";
import { exchange, exchangeForToken, newIdentityWithMatchers } from "./exchange_call.ts";

let organization: Organization;
/** Two subgroups. The organization and each of them have a repository. */
let left: string;
let right: string;
let viewer: Persona;
beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  const group = async (name: string) =>
    (await createResource(`/iam/v2/groups/${uid}`, owner.token, { name })).uid;
  [left, right] = [await group("left"), await group("right")];
  for (const at of [uid, left, right]) {
    await createResource(`/registry/v2/repos/${at}`, owner.token, { name: "image" });
  }
  viewer = await newIdentity(organization, "viewer");
});

const listed = async (token: string, under: string) => {
  const path = `/registry/v2/repos?uidp.descendants_of=${under}`;
  const { status, body } = await callRest(path, { token });
  return status === 200 ? body.repos.length : status;
};

test("our own token can be exchanged for another audience", async () => {
  const { claims } = await exchangeForToken(viewer.token, { aud: registryAudience });
  expect(claims).toMatchObject({ sub: viewer.uid, aud: registryAudience, iss: issuer });
});

test("an exchange never extends the validity of a token", async () => {
  const token = await tokenFor(viewer.uid, {}, 90);
  const once = await exchangeForToken(token);
  const twice = await exchangeForToken(once.token);
  expect(once.claims.exp).toBe(decodeJwt(token).exp);
  expect(twice.claims.exp).toBe(decodeJwt(token).exp);
});

test("scopes limit the resources that the API shows", async () => {
  const { token, claims } = await exchangeForToken(viewer.token, { scopes: left });
  expect(claims.scopes).toEqual([left]);
  expect(await listed(token, left)).toBe(1);
  expect(await listed(token, right)).toBe(403);
  expect(await listed(token, organization.uid)).toBe(1);
  expect(await listed(viewer.token, organization.uid)).toBe(3);
});

test("scope and scopes are combined, without duplicates", async () => {
  const { claims } = await exchangeForToken(viewer.token, { scope: left, scopes: [right, left] });
  expect([...(claims.scopes as string[])].sort()).toEqual([left, right].sort());
});

test("a scope can be the name of a verified organization, and of no other", async () => {
  const refused = await exchange(viewer.token, { scopes: organization.name });
  expect(refused.status).toBe(400);
  await sql("update groups set verified = 1 where uid = ?", organization.uid);
  const { claims } = await exchangeForToken(viewer.token, { scopes: organization.name });
  expect(claims.scopes).toEqual([organization.uid]);
});

test("capabilities limit the actions that the API allows", async () => {
  const { token } = await exchangeForToken(viewer.token, { cap: ["repo.list"] });
  expect(await listed(token, organization.uid)).toBe(3);
  const roles = await callRest(`/iam/v2/groups/${organization.uid}`, { token });
  expect(roles.status).toBe(403);
});

test("a request cannot add a capability that the identity does not have", async () => {
  const { token } = await exchangeForToken(viewer.token, { cap: ["repo.create"] });
  const path = `/registry/v2/repos/${organization.uid}`;
  expect((await callRest(path, { token, body: { name: "new" } })).status).toBe(403);
});

test("a registry token is never exchanged", async () => {
  const registry = await tokenFor(viewer.uid, { aud: registryAudience });
  const refused = await exchange(registry);
  expect(refused.status).toBe(403);
  expect(refused.body.message).toContain("audience");
  const access = [{ type: "repository", name: "a/b", actions: ["pull"] }];
  const image = await tokenFor(viewer.uid, { aud: [audience, registryAudience], access });
  expect((await exchange(image)).status).toBe(403);
});

test("a token for another service is not exchanged", async () => {
  const other = await exchangeForToken(viewer.token, { aud: "https://other.example.com" });
  expect((await exchange(other.token)).status).toBe(403);
});

test("a token of a deleted identity cannot be exchanged", async () => {
  const { token } = organization.owner;
  const doomed = await newIdentity(organization, "viewer");
  await callRest(`/iam/v2/identities/${doomed.uid}`, { token, method: "DELETE" });
  const { status, body } = await exchange(doomed.token);
  expect(status).toBe(403);
  expect(body.message).toContain("no longer exists");
});

test("an identity can assume another whose claim match names our issuer and its uid", async () => {
  const claimMatch = { issuer, subject: viewer.uid };
  const other = await newIdentityWithMatchers(organization, { claimMatch }, "editor");
  const narrow = await exchangeForToken(viewer.token, { scopes: left });
  const { claims } = await exchangeForToken(narrow.token, { identity: other });
  expect(claims).toMatchObject({
    sub: other,
    scopes: [left],
    act: { iss: issuer, sub: viewer.uid, aud: audience },
  });
  expect(claims.exp).toBe(narrow.claims.exp);
});

test("an identity that is not named cannot assume another, and gets the bytes for an unknown one", async () => {
  const claimMatch = { issuer, subject: organization.owner.uid };
  const other = await newIdentityWithMatchers(organization, { claimMatch });
  const unknown = randomUid();
  const one = await exchange(viewer.token, { identity: other });
  const two = await exchange(viewer.token, { identity: unknown });
  expect([one.status, two.status]).toEqual([403, 403]);
  const text = (uid: string, body: unknown) => JSON.stringify(body).replaceAll(uid, "");
  expect(text(unknown, two.body)).toBe(text(other, one.body));
});
