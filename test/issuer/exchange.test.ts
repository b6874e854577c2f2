import { createClient } from "@connectrpc/connect";
import { decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SecurityTokenService } from "../../schema/gen/platform/oidc/security_token_pb.js";
import { newOrganization, type Organization, randomName, randomUid } from "../world/personas.ts";
import {
  audience,
  callRest,
  costOf,
  issuer as platform,
  registryAudience,
  sql,
  transports,
} from "../world/platform.ts";
import { exchange, exchangeForToken, newIdentityWithMatchers } from "./exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "./foreign_issuer.ts";

let github: ForeignIssuer;
let organization: Organization;
beforeAll(async () => {
  [github, organization] = await Promise.all([startIssuer(), newOrganization()]);
});
afterAll(() => github.close());

/** An identity that matches exactly one subject of the issuer, and a token of that subject. */
async function robot(role?: string) {
  const sub = randomName("repo:a/b");
  const uid = await newIdentityWithMatchers(
    organization,
    { claimMatch: { issuer: github.url, subject: sub } },
    role,
  );
  return { uid, sub, token: await github.sign({ sub }) };
}

test("a token of another issuer can be exchanged for our token, which acts as the identity", async () => {
  const { uid, token } = await robot("viewer");
  const { token: ours, claims } = await exchangeForToken(token, { identity: uid });
  expect(claims).toMatchObject({ iss: platform, sub: uid, aud: audience });
  const read = await callRest(`/iam/v2/groups/${organization.uid}`, { token: ours });
  expect(read.status).toBe(200);
});

test("an identity with a person's issuer and subject does not keep the person from acting as themselves", async () => {
  const sub = randomName("ada");
  const person = randomUid();
  await sql(
    "insert into identities (uid, name, relationship_type, relationship, issuer, subject, last_seen_time, create_time, update_time) values (?, 'ada', 1, ?, ?, ?, 1, 1, 1)",
    person,
    JSON.stringify({ case: "claimMatch", value: { issuer: github.url, subject: sub } }),
    github.url,
    sub,
  );
  await newIdentityWithMatchers(await newOrganization(), {
    claimMatch: { issuer: github.url, subject: sub },
  });
  const { claims } = await exchangeForToken(await github.sign({ sub }));
  expect(claims.sub).toBe(person);
});

test("the token is valid for at most one hour, and the response has its expiry", async () => {
  const { uid, token } = await robot();
  const { claims, expiry } = await exchangeForToken(token, { identity: uid });
  const { iat = 0, exp = 0 } = claims;
  expect(exp - iat).toBeLessThanOrEqual(3600);
  expect(exp - iat).toBeGreaterThan(3590);
  expect(Date.parse(expiry)).toBe(exp * 1000);
  expect(expiry).toMatch(/\.000Z$/);
});

test("every token has a unique id and names the key that signed it", async () => {
  const { uid, token } = await robot();
  const one = await exchangeForToken(token, { identity: uid });
  const other = await exchangeForToken(token, { identity: uid });
  expect(one.claims.jti).not.toBe(other.claims.jti);
  expect(decodeProtectedHeader(one.token)).toMatchObject({ alg: "ES256", kid: expect.any(String) });
});

test("without identity, the one identity of exactly that issuer and subject is assumed", async () => {
  const { uid, token } = await robot();
  expect((await exchangeForToken(token)).claims.sub).toBe(uid);
});

test("without an identity, a subject that no identity accepts is rejected and nothing is fetched", async () => {
  const stranger = await startIssuer();
  const { status, body } = await exchange(await stranger.sign());
  expect([status, body.code]).toEqual([403, 7]);
  expect(body.message).toContain(`no identity matches the issuer "${stranger.url}"`);
  expect(stranger.requests).toEqual([]);
  stranger.close();
});

test("two identities with one subject require `identity` to choose one", async () => {
  const { sub, token } = await robot();
  const second = await newIdentityWithMatchers(await newOrganization(), {
    claimMatch: { issuer: github.url, subject: sub },
  });
  const { status, body } = await exchange(token);
  expect([status, body.code]).toEqual([400, 9]);
  expect(body.message).toContain("name one of them");
  expect((await exchangeForToken(token, { identity: second })).claims.sub).toBe(second);
});

test("the token names the token that was exchanged for it, and events name that actor", async () => {
  const { uid, sub } = await robot("owner");
  const upstream = await github.sign({ sub, email: "a@example.com", email_verified: "true" });
  const { token, claims } = await exchangeForToken(upstream, { identity: uid });
  expect(claims.act).toEqual({ iss: github.url, sub, aud: platform });
  expect(claims).toMatchObject({ email: "a@example.com", email_verified: true });
  const path = `/registry/v2/repos/${organization.uid}`;
  const { body: repo } = await callRest(path, { token, body: { name: "image" } });
  const [event] = await sql<{ data: string }>(
    "select data from events where subject = ?",
    repo.uid,
  );
  expect(JSON.parse(event?.data ?? "{}").actor).toEqual({
    subject: uid,
    act: { iss: github.url, sub, aud: platform, email: "a@example.com" },
  });
});

test("an exchange records when the identity was seen, in two round trips, and does not change it", async () => {
  const { uid, token } = await robot();
  const read = () =>
    sql<{ last_seen_time: number; update_time: number }>(
      "select last_seen_time, update_time from identities where uid = ?",
      uid,
    );
  const [before] = await read();
  const answer = await exchange(token, { identity: uid });
  const [after] = await read();
  expect(after?.last_seen_time).toBeGreaterThan(before?.last_seen_time ?? 0);
  expect(after?.update_time).toBe(before?.update_time);
  expect(costOf(answer).roundTrips).toBe(2);
});

test("several audiences become a list, one becomes a string", async () => {
  const { uid, token } = await robot();
  const both = await exchangeForToken(token, { identity: uid, aud: [audience, registryAudience] });
  expect(both.claims.aud).toEqual([audience, registryAudience]);
  const one = await exchangeForToken(token, { identity: uid, aud: registryAudience });
  expect(one.claims.aud).toBe(registryAudience);
});

test("parameters are read from a form as from the query", async () => {
  const { uid, token } = await robot();
  const body = new URLSearchParams({ aud: audience, identity: uid }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const { status, body: answer } = await callRest("/sts/exchange", { token, body, headers });
  expect(status).toBe(200);
  expect(answer.token).toMatch(/^ey/);
});

test("a JSON body is ignored, so its audience is missing", async () => {
  const { uid, token } = await robot();
  const answer = await callRest("/sts/exchange", {
    token,
    body: { aud: [audience], identity: uid },
  });
  expect(answer.status).toBe(400);
  expect(answer.body.code).toBe(3);
  expect(answer.body.message).toContain("Audience must be specified");
});

test("a response with a token must not be stored", async () => {
  const { uid, token } = await robot();
  const { headers } = await exchange(token, { identity: uid });
  expect(headers.get("cache-control")).toBe("no-store");
});

test.for(["connect", "connectJson", "grpcWeb"] as const)(
  "%s exchanges and fails as REST does",
  async (kind) => {
    const { uid, sub, token } = await robot();
    const client = createClient(SecurityTokenService, transports(token)[kind]);
    const answer = await client.exchange({ aud: [audience], identity: uid });
    expect(answer.token).toMatch(/^ey/);
    await expect(client.exchange({ identity: uid })).rejects.toMatchObject({
      code: 3,
      rawMessage: expect.stringContaining("Audience must be specified"),
    });
    const expired = await github.sign({ sub, exp: 1_000_000_000 });
    const late = createClient(SecurityTokenService, transports(expired)[kind]);
    await expect(late.exchange({ aud: [audience], identity: uid })).rejects.toMatchObject({
      code: 7,
      rawMessage: expect.stringMatching(/^verifying token: oidc: token is expired/),
    });
  },
);
