/** Every token that is issued, and every login that ends, is an event without the token itself. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectLog } from "../world/logs.ts";
import { newOrganization, type Organization, randomName, randomUid } from "../world/personas.ts";
import {
  audience,
  baseUrl,
  callRest,
  issuer as platform,
  registryAudience,
  sql,
} from "../world/platform.ts";
import { exchange, exchangeForToken, newIdentityWithMatchers } from "./exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "./foreign_issuer.ts";
import { logIn, newProvider, tokensOf } from "./login/logins.ts";
import { type OpenidProvider, startProvider } from "./login/openid_provider.ts";

let github: ForeignIssuer;
let people: OpenidProvider;
let organization: Organization;
beforeAll(async () => {
  github = await startIssuer();
  people = await startProvider();
  organization = await newOrganization();
});
afterAll(() => {
  github.close();
  people.close();
});

const typePrefix = "dev.vendor.api.";

/** The events of an identity's actions without the prefix of their types, oldest first. */
async function eventsOf(actor: string) {
  const rows = await sql<Record<string, string>>(
    `select type, source, subject, group_uid, audience, extensions, body_type, data, parent
     from events where json_extract(data, '$.actor.subject') = ? order by seq`,
    actor,
  );
  return rows.map(({ type = "", data = "", extensions = "", ...row }) => ({
    ...row,
    type: type.slice(typePrefix.length),
    extensions: JSON.parse(extensions),
    data: JSON.parse(data),
  }));
}

/** An identity of the organization for one subject of the issuer, and a token of that subject. */
async function newRobot(claims: Record<string, unknown> = {}) {
  const sub = randomName("repo:a/b");
  const matchers = { claimMatch: { issuer: github.url, subject: sub } };
  const uid = await newIdentityWithMatchers(organization, matchers);
  return { uid, sub, token: await github.sign({ sub, ...claims }) };
}

const exchanged = (uid: string) => ({
  type: "auth.token.exchanged.v1",
  source: "http://localhost:8787/sts/exchange",
  subject: uid,
  group_uid: organization.uid,
  parent: organization.uid,
  audience: "customer",
  extensions: {},
  body_type: "platform.events.v2.TokenExchange",
});

describe("an exchange is an event", () => {
  test("of a token of another issuer, with the claims of that token and what was requested", async () => {
    const { uid, sub, token } = await newRobot({ email: "a@example.com" });
    const { expiry } = await exchangeForToken(token, {
      ...{ identity: uid, aud: [audience, registryAudience], scopes: organization.uid },
      cap: ["repo.list", "tag.list", "repo.list"],
    });
    const act = { iss: github.url, sub, aud: platform, email: "a@example.com" };
    const body = {
      ...{ identityUid: uid, kind: "KIND_FOREIGN_TOKEN", audiences: [audience, registryAudience] },
      ...{ scopes: [organization.uid], capabilities: ["repo.list", "tag.list"] },
      expireTime: expiry,
    };
    const data = { actor: { subject: uid, act }, body };
    expect(await eventsOf(uid)).toEqual([{ ...exchanged(uid), data }]);
  });

  test("of our own token, with the claims that the first token came with", async () => {
    const { uid, sub, token } = await newRobot();
    const { token: ours } = await exchangeForToken(token, { identity: uid });
    const { expiry } = await exchangeForToken(ours);
    const act = { iss: github.url, sub, aud: platform };
    const body = { identityUid: uid, kind: "KIND_ACCESS_TOKEN", audiences: [audience] };
    const [, event, ...more] = await eventsOf(uid);
    expect(more).toEqual([]);
    const data = { actor: { subject: uid, act }, body: { ...body, expireTime: expiry } };
    expect(event).toEqual({ ...exchanged(uid), data });
  });

  test("of our own token for another identity, which names the identity before it", async () => {
    const { uid, token } = await newRobot();
    const matchers = { claimMatch: { issuer: platform, subject: uid } };
    const other = await newIdentityWithMatchers(organization, matchers);
    const { token: ours } = await exchangeForToken(token, { identity: uid });
    await exchangeForToken(ours, { identity: other });
    const [event] = await eventsOf(other);
    expect(event).toMatchObject(exchanged(other));
    expect(event?.data.actor).toEqual({
      subject: other,
      act: { iss: platform, sub: uid, aud: audience },
    });
  });

  test("that only the operator receives, for a person without an identity provider", async () => {
    const sub = randomName("ada");
    const person = randomUid();
    await sql(
      "insert into identities (uid, name, relationship_type, relationship, issuer, subject, last_seen_time, create_time, update_time) values (?, 'ada', 1, ?, ?, ?, 1, 1, 1)",
      person,
      JSON.stringify({ case: "claimMatch", value: { issuer: github.url, subject: sub } }),
      github.url,
      sub,
    );
    await exchangeForToken(await github.sign({ sub }));
    const everyone = { group_uid: "/", parent: "", audience: "internal" };
    expect(await eventsOf(person)).toMatchObject([{ ...exchanged(person), ...everyone }]);
  });

  test("of an ID token, and so is its login", async () => {
    const idp = await newProvider(organization.uid, { issuer: github.url });
    const sub = randomName("ada");
    const token = await github.sign({ aud: "public", sub, email: "ada@people.example" });
    const { claims } = await exchangeForToken(token, { identity_provider: idp });
    const uid = claims.sub ?? "";
    const events = await eventsOf(uid);
    const login = "iam.identity_providers.login.v1";
    expect(events.map(({ type }) => type)).toEqual([
      ...["iam.identity.created.v1", "iam.rolebindings.created.v1"],
      ...[login, "auth.token.exchanged.v1"],
    ]);
    const own = { extensions: { identityprovider: idp } };
    const [signedIn, issued] = events.slice(2);
    expect(signedIn).toMatchObject({
      ...exchanged(uid),
      ...own,
      type: login,
      body_type: "platform.iam.v2.Login",
    });
    expect(issued).toMatchObject({ ...exchanged(uid), ...own });
    expect(issued?.data).toMatchObject({
      actor: { act: { iss: github.url, sub, aud: "public", email: "ada@people.example" } },
      body: { kind: "KIND_ID_TOKEN", identityProviderUid: idp },
    });
  });

  test("only if it succeeds", async () => {
    const { uid, token } = await newRobot();
    const stranger = await (await startIssuer()).sign({ sub: "stranger" });
    const elsewhere = await newOrganization();
    const { token: ours } = await exchangeForToken(token, {
      identity: uid,
      scopes: organization.uid,
    });
    const [count] = await sql<{ n: number }>(
      "select count(*) as n from events where type like '%exchanged.v1' and (subject = ? or group_uid = ?)",
      uid,
      organization.uid,
    );
    const refused = [
      await exchange(undefined, { identity: uid }),
      await exchange("nonsense", { identity: uid }),
      await exchange(stranger, { identity: uid }),
      await exchange(`${token}x`, { identity: uid }),
      await exchange(token, { identity: uid, cap: "no.such" }),
      await exchange(ours, { scopes: elsewhere.uid }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 403, 403, 403, 400, 403]);
    const [after] = await sql<{ n: number }>(
      "select count(*) as n from events where type like '%exchanged.v1' and (subject = ? or group_uid = ?)",
      uid,
      organization.uid,
    );
    expect(after).toEqual(count);
  });

  test("or there is no token and no trace of it", async () => {
    const { uid, token } = await newRobot();
    const name = `refused_${randomUid()}`;
    await sql(
      `create trigger ${name} before insert on events when new.subject = '${uid}'
       begin select raise(abort, '${name}'); end`,
    );
    const logged = await expectLog(name);
    const { status } = await exchange(token, { identity: uid });
    await sql(`drop trigger ${name}`);
    expect(status).toBe(500);
    expect(await logged()).toContain("at ");
    const [row] = await sql(
      "select first_used_time = (select max(first_used_time) from identities) as unused from identities where uid = ?",
      uid,
    );
    expect(row).toEqual({ unused: 1 });
    expect(await eventsOf(uid)).toEqual([]);
  });
});

describe("a refresh token", () => {
  let idp = "";
  let person = "";
  let subject = "";
  let first = "";
  beforeEach(async () => {
    idp = await newProvider(organization.uid, { issuer: people.url });
    subject = randomName("ada");
    const login = tokensOf(await logIn(subject, { idp_id: idp, create_refresh_token: "true" }));
    first = login.refreshToken ?? "";
    person = login.claims.sub ?? "";
  });

  const refresh = (token: string) =>
    callRest(`/sts/exchange_refresh_token?aud=${audience}&cap=repo.list`, {
      method: "POST",
      token,
    });
  const revoke = (token: string) =>
    fetch(`${baseUrl()}/oauth/revoke`, { method: "POST", body: new URLSearchParams({ token }) });
  const laterEvents = async () =>
    (await eventsOf(person)).filter(({ type }) => type.startsWith("auth."));
  const revoked = (path: string, reason: string) => ({
    ...exchanged(person),
    type: "auth.refresh_token.revoked.v1",
    source: `http://localhost:8787${path}`,
    extensions: { identityprovider: idp },
    body_type: "platform.events.v2.RefreshTokenRevocation",
    data: {
      actor: { subject: person, act: { iss: people.url, sub: subject, aud: "public" } },
      body: { identityUid: person, identityProviderUid: idp, reason },
    },
  });

  test("is exchanged with an event that contains neither token", async () => {
    const { body } = await refresh(first);
    const [event, ...more] = await laterEvents();
    expect(more).toEqual([]);
    expect(event).toEqual({
      ...exchanged(person),
      source: "http://localhost:8787/sts/exchange_refresh_token",
      extensions: { identityprovider: idp },
      data: {
        actor: { subject: person, act: { iss: people.url, sub: subject, aud: "public" } },
        body: {
          ...{ identityUid: person, identityProviderUid: idp, kind: "KIND_REFRESH_TOKEN" },
          ...{ audiences: [audience], capabilities: ["repo.list"] },
          expireTime: body.token.expiry,
        },
      },
    });
    const { secret } = JSON.parse(Buffer.from(body.refreshToken.token, "base64").toString());
    const text = JSON.stringify(event);
    expect([text.includes(secret), text.includes(body.token.token)]).toEqual([false, false]);
  });

  test("that is used again ends its login with one event, whatever is tried afterwards", async () => {
    await refresh(first);
    for (const _ of [1, 2, 3]) expect((await refresh(first)).status).toBe(403);
    const [, ...ends] = await laterEvents();
    expect(ends).toEqual([revoked("/sts/exchange_refresh_token", "REASON_REUSED")]);
  });

  test("is revoked with one event, and an unknown one with none", async () => {
    const unknown = btoa(JSON.stringify({ exp: 1, secret: "unknown" }));
    for (const token of [first, first, unknown, "nonsense"]) {
      expect((await revoke(token)).status).toBe(200);
    }
    expect(await laterEvents()).toEqual([revoked("/oauth/revoke", "REASON_REQUESTED")]);
  });
});
