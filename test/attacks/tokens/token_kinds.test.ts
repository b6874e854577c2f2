/** Tokens of one kind at a call for another: each kind works at its own calls and at no other. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newImage, newVerified, publicImage, pullToken } from "../../distribution/stored_images.ts";
import { newClient } from "../../iam/scim/client.ts";
import { exchangeForToken, newIdentityWithMatchers } from "../../issuer/exchange_call.ts";
import { type ForeignIssuer, newKey, startIssuer } from "../../issuer/foreign_issuer.ts";
import { logInWithIdToken, newProvider, serveTokens, tokensOf } from "../../issuer/login/logins.ts";
import { createResource, type Organization, randomName, roleUid } from "../../world/personas.ts";
import { audience, callRest, issuer as platform, registryAudience } from "../../world/platform.ts";
import { bearerHeader, sendRaw } from "../raw_call.ts";
import {
  accessTokenEntryPoints,
  otherTokenEntryPoints,
  type TokenEntryPoint,
} from "./entry_points.ts";

let issuer: ForeignIssuer;
let organization: Organization;
let entryPoints: Record<string, TokenEntryPoint>;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  organization = await newVerified();
  const { uid, owner } = organization;
  const { token } = owner;
  await newImage(organization);
  await Promise.all(
    ["one", "two"].map((name) =>
      createResource(`/iam/v2/groups/${uid}`, token, { name: randomName(name) }),
    ),
  );
  issuer = await startIssuer();
  const idp = await newProvider(uid, { issuer: issuer.url });
  const login = { create_refresh_token: "true" };
  const done = await logInWithIdToken(issuer, serveTokens(issuer), idp, { sub: "ada" }, login);
  const client = await newClient(organization);
  const key = await newKey();
  const device = { issuer: "https://unreachable.invalid", subject: "device" };
  const issuerKeys = JSON.stringify({ keys: [key.jwk] });
  const holder = await newIdentityWithMatchers(
    organization,
    { staticKeys: { ...device, issuerKeys } },
    "viewer",
  );
  const claims = { iss: device.issuer, sub: device.subject, aud: platform };
  const claimMatch = { issuer: issuer.url, subject: "job" };
  const workload = await newIdentityWithMatchers(organization, { claimMatch }, "registry.pull");
  const registry = await exchangeForToken(token, { aud: registryAudience });
  const invite = { ttl: "3600s", roleUid: await roleUid("viewer") };
  Object.assign(tokens, {
    "access token": token,
    "registry token": registry.token,
    "image token": await pullToken(`${uid}/image`, registry.token),
    "anonymous image token": await pullToken((await publicImage(["latest"])).name),
    "token for another service": (await exchangeForToken(token, { aud: "https://other.example" }))
      .token,
    "page token": (await callRest("/iam/v2/groups?page_size=1", { token })).body.nextPageToken,
    "refresh token": tokensOf(done).refreshToken,
    "SCIM token": client.token,
    "ID token": await issuer.sign({ aud: "public", sub: "ada" }),
    "static-key token": await issuer.sign(claims, key),
    "workload token": await issuer.sign({ sub: "job", aud: registryAudience }),
    "invite code": (await createResource(`/iam/v2/groupInvites/${uid}`, token, invite)).code,
  });
  entryPoints = {
    ...accessTokenEntryPoints(uid),
    ...otherTokenEntryPoints(client.idp, workload),
    page: { ask: askPage, refuses: [400] },
    "exchange at the provider": { ask: exchangeFor("identity_provider", idp), refuses: [403] },
    "exchange as the device": { ask: exchangeFor("identity", holder), refuses: [403] },
    invite: { ask: accept, refuses: [400, 404] },
  };
});
afterAll(() => issuer.close());

const exchangeFor = (name: string, uid: string) => (token: string) =>
  sendRaw({ path: `/sts/exchange?aud=${audience}&${name}=${uid}`, headers: [bearerHeader(token)] });
const askPage = (token: string) =>
  sendRaw({
    path: `/iam/v2/groups?page_size=1&page_token=${encodeURIComponent(token)}`,
    headers: [bearerHeader(organization.owner.token)],
  });
const accept = (code: string) =>
  sendRaw({
    method: "POST",
    path: "/iam/v2/groupInvites:accept",
    headers: [bearerHeader(organization.owner.token)],
    body: JSON.stringify({ code }),
  });

const ofExchange = ["exchange", "token exchange (RFC 8693)", "assertion (RFC 7523)"];
const ofAccess = ["REST", "REST of version 1", "Connect", ...ofExchange];
const byRefresh = "registry login by a refresh token";

/** The calls that accept each kind. */
const opens: Record<string, string[]> = {
  "access token": ofAccess,
  "registry token": ["registry token", "registry login as _token", byRefresh, "tag history"],
  "image token": ["tag history"],
  "anonymous image token": [],
  "token for another service": [],
  "page token": ["page"],
  "refresh token": ["refresh"],
  "SCIM token": ["SCIM"],
  "ID token": ["exchange at the provider"],
  "static-key token": ["exchange as the device"],
  // The audience of this registry is also the host of its issuer, so an exchange accepts the token too.
  "workload token": [
    ...[...ofExchange, byRefresh, "registry login as oidc", "registry login as oidc, in a form"],
    "registry login as an identity",
  ],
  "invite code": ["invite"],
};
const doorNames = [
  ...Object.keys({ ...accessTokenEntryPoints(""), ...otherTokenEntryPoints("", "") }),
  ...["page", "invite", "exchange at the provider", "exchange as the device"],
];

describe.each(Object.entries(opens))("%s", (kind, opened) => {
  test.each(
    doorNames.map((name): [string, string] => [
      opened.includes(name) ? "opens" : "is refused at",
      name,
    ]),
  )("%s: %s", async (outcome, name) => {
    const entryPoint = entryPoints[name];
    const { status, text } = (await entryPoint?.ask(tokens[kind] ?? "")) ?? { status: 0, text: "" };
    const wanted = outcome === "opens" ? [200] : entryPoint?.refuses;
    expect(wanted, `${status} ${text}`).toContain(status);
  });
});

/** An authorization header with texts before and behind the token. */
const authorization =
  (before: string, behind = "") =>
  (token: string): SentToken => ({ headers: [["authorization", before + token + behind]] });
/** The token in another header. */
const header =
  (name: string, before = "") =>
  (token: string): SentToken => ({ headers: [[name, before + token]] });
const authorizations =
  (...tokens: (string | undefined)[]) =>
  (token: string): SentToken => ({ headers: tokens.map((one = token) => bearerHeader(one)) });

interface SentToken {
  path?: string;
  headers: [string, string][];
}

/** Invalid ways to send a valid token (RFC 6750 section 2; RFC 9110 section 11). */
const shown: [string, (token: string) => SentToken][] = [
  ["no scheme", authorization("")],
  ["the scheme alone", () => ({ headers: [["authorization", "Bearer"]] })],
  ["the scheme Token", authorization("Token ")],
  ["the scheme DPoP", authorization("DPoP ")],
  ["the scheme Basic", (token) => authorization("Basic ")(btoa(`_token:${token}`))],
  ["a tab", authorization("Bearer\t")],
  ["a colon", authorization("Bearer: ")],
  ["an equals sign", authorization("Bearer=")],
  ["a no-break space", authorization("Bearer\u00a0")],
  ["a scheme of another alphabet", authorization(Buffer.from("Веarer ").toString("latin1"))],
  ["something before the scheme", authorization("x Bearer ")],
  ["something behind the token", authorization("Bearer ", " x")],
  ["a parameter behind the token", authorization("Bearer ", ", realm=x")],
  ["a token in quotes", authorization('Bearer "', '"')],
  ["two headers, the first good", authorizations(undefined, "x")],
  ["two headers, the last good", authorizations("x", undefined)],
  ["two headers, both good", authorizations(undefined, undefined)],
  ["another header: x-authorization", header("x-authorization", "Bearer ")],
  ["another header: proxy-authorization", header("proxy-authorization", "Bearer ")],
  ["another header: x-forwarded-authorization", header("x-forwarded-authorization", "Bearer ")],
  ["another header: x-access-token", header("x-access-token")],
  ["a cookie", (token) => header("cookie")(`access_token=${token}; token=${token}`)],
  ["the query: access_token", (token) => ({ path: `?access_token=${token}`, headers: [] })],
  [
    "the query: token",
    (token) => ({ path: `?token=${token}&authorization=Bearer%20${token}`, headers: [] }),
  ],
  ["a user name in the host", (token) => header("host")(`${token.slice(0, 20)}@localhost`)],
];

describe("a valid token is not read from", () => {
  test.each(shown)("%s", async (_, show) => {
    const { path = "", headers } = show(tokens["access token"] ?? "");
    const at = ["/auth/v1/ok", `/iam/v2/groups/${organization.uid}`];
    for (const one of at) {
      const { status, text } = await sendRaw({ path: `${one}${path}`, headers });
      expect([400, 401], text).toContain(status);
    }
    const history = `/v2/${organization.uid}/image/_vendor/history/latest${path}`;
    const isBasic = headers.some(([, value]) => value.startsWith("Basic"));
    const { status } = await sendRaw({ path: history, headers });
    // The registry takes Basic, where the token is not for its audience.
    expect(isBasic ? [403] : [400, 401]).toContain(status);
  });
});

describe("a valid token is read from", () => {
  test.each([
    ["the scheme in lower case", "bearer "],
    ["the scheme in capitals", "BEARER "],
    ["two spaces", "Bearer  "],
    ["spaces before it", "  Bearer "],
  ])("%s", async (_, before) => {
    const headers: [string, string][] = [["authorization", `${before}${tokens["access token"]}`]];
    expect((await sendRaw({ path: "/auth/v1/ok", headers })).status).toBe(200);
  });
});
