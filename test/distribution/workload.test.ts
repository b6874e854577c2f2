/** `docker login -u oidc`: the token of a workload is the password. */
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newIdentityWithMatchers } from "../issuer/exchange_call.ts";
import { type ForeignIssuer, newKey, startIssuer } from "../issuer/foreign_issuer.ts";
import { newOrganization, randomName } from "../world/personas.ts";
import {
  callRest,
  costOf,
  issuer as platform,
  registryAudience,
  sql,
  tokenFor,
} from "../world/platform.ts";
import { pushImage } from "./client.ts";
import { basicHeader, newImage, newVerified, refusalOf, registryToken } from "./stored_images.ts";

let ci: ForeignIssuer;
beforeAll(async () => {
  ci = await startIssuer();
});
afterAll(() => ci.close());

/** A job that may pull an image: its identity, and its token for the registry. */
async function newJob(role = "registry.pull", matchers: object = {}) {
  const organization = await newVerified();
  await newImage(organization);
  const sub = randomName("repo:a/b");
  const claimMatch = { issuer: ci.url, subject: sub, ...matchers };
  const uid = await newIdentityWithMatchers(organization, { claimMatch }, role);
  const sign = (claims: object = {}) => ci.sign({ sub, aud: registryAudience, ...claims });
  const scope = `repository:${organization.name}/image:pull`;
  return { organization, uid, sub, sign, scope, name: `${organization.name}/image` };
}

const ask = (password: string, { scope = "", user = "oidc", more = "" } = {}) =>
  callRest(`/token?${scope && `scope=${scope}`}${more}`, { headers: basicHeader(password, user) });

const post = (form: Record<string, string>) =>
  callRest("/token", {
    body: new URLSearchParams(form).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });

const now = () => Math.floor(Date.now() / 1000);

describe("the token of a job logs in and pulls", () => {
  test("with the user name oidc, and the registry token names the job", async () => {
    const { uid, sub, sign, scope, name } = await newJob();
    const token = await sign();
    expect((await ask(token)).status).toBe(200);
    const { status, body } = await ask(token, { scope });
    expect(status).toBe(200);
    expect(decodeJwt(body.token)).toMatchObject({
      ...{ iss: platform, aud: registryAudience, sub: uid },
      act: { iss: ci.url, sub, aud: registryAudience },
      access: [{ type: "repository", name, actions: ["pull"] }],
    });
    const history = await callRest(`/v2/${name}/_vendor/history/latest`, { token: body.token });
    expect(history.status).toBe(200);
  });

  test("as a form, as containerd sends it", async () => {
    const { sign, scope } = await newJob();
    const form = { grant_type: "password", username: "oidc", password: await sign() };
    expect((await post({ ...form, scope, service: registryAudience })).status).toBe(200);
  });

  test("as the refresh token that Docker keeps after a login", async () => {
    const { sign, scope } = await newJob();
    const token = await sign();
    const { body } = await ask(token, { more: "&offline_token=true" });
    expect(body.refresh_token).toBe(token);
    const form = { grant_type: "refresh_token", refresh_token: body.refresh_token };
    expect((await post({ ...form, scope, service: registryAudience })).status).toBe(200);
  });

  test("and a push, in the name of its identity", async () => {
    const { organization, sign } = await newJob("registry.push");
    const name = `${organization.name}/pushed`;
    const { body } = await ask(await sign(), { scope: `repository:${name}:pull,push` });
    await pushImage({ name, token: body.token }, "v1");
  });
});

describe("the user name can be the uid of the identity", () => {
  test("which decides between several with the same subject", async () => {
    const { uid, sub, sign } = await newJob();
    const claimMatch = { issuer: ci.url, subject: sub };
    await newIdentityWithMatchers(await newOrganization(), { claimMatch });
    const token = await sign();
    const refused = await ask(token);
    expect(refusalOf(refused)).toEqual([401, "DENIED"]);
    expect(refused.body.errors[0].message).toContain("user name");
    const { body } = await ask(token, { user: uid });
    expect(decodeJwt(body.token).sub).toBe(uid);
  });

  test("which finds one that matches by a pattern", async () => {
    const sub = randomName("build");
    const pattern = { subject: undefined, subjectPattern: `${sub}-.*` };
    const { uid, sign } = await newJob("registry.pull", pattern);
    const token = await sign({ sub: `${sub}-7` });
    expect((await ask(token)).status).toBe(401);
    expect((await ask(token, { user: uid })).status).toBe(200);
  });

  test("and then Docker keeps the password, because a refresh token names no one", async () => {
    const { uid, sign } = await newJob();
    const { body } = await ask(await sign(), { user: uid, more: "&offline_token=true" });
    expect(body.refresh_token).toBeUndefined();
  });
});

describe("the audience of the token", () => {
  test("can be one that the identity allows, and then no other", async () => {
    const audience = "https://github.com/acme";
    const { uid: user, sign } = await newJob("registry.pull", { audience });
    expect((await ask(await sign({ aud: audience }), { user })).status).toBe(200);
    expect((await ask(await sign(), { user })).status).toBe(401);
  });

  test.each([platform, "https://elsewhere.example"])("is not %s by default", async (aud) => {
    const { sign } = await newJob();
    const { body, ...answer } = await ask(await sign({ aud }));
    expect(answer.status).toBe(401);
    expect(body.errors[0].message).toContain(`not for the audience ${registryAudience}`);
  });
});

test("a registry token lives no longer than the token of the job, and the response says when that ends", async () => {
  const { sign, scope } = await newJob();
  const short = await ask(await sign({ exp: now() + 60 }), { scope });
  expect(short.body.expires_in).toBeLessThanOrEqual(60);
  const exp = now() + 3600;
  const long = await ask(await sign({ exp }));
  expect(long.body.expires_in).toBe(300);
  const header = long.headers.get("platform-credential-expires") ?? "";
  expect(Date.parse(header)).toBe(exp * 1000);
});

describe("an expired token is refused with one line", () => {
  test.each([
    [12 * 60 + 5, "12 minutes"],
    [61, "1 minute"],
    [3 * 3600, "3 hours"],
    [5, "5 seconds"],
  ])("%i seconds later", async (seconds, text) => {
    const { sign, scope } = await newJob();
    const answer = await ask(await sign({ exp: now() - seconds }), { scope });
    expect(refusalOf(answer)).toEqual([401, "DENIED"]);
    const { message } = answer.body.errors[0];
    // A second can pass before the platform looks at its clock.
    const says =
      text === "5 seconds" ? expect.stringMatching(/expired [56] seconds ago/) : undefined;
    expect(message).toEqual(
      says ?? `the token of ${ci.url} expired ${text} ago; get a new one in the job`,
    );
  });

  test("but only after its signature was proved", async () => {
    const { sub } = await newJob();
    const claims = { sub, aud: registryAudience, exp: now() - 600 };
    const forged = await ci.sign(claims, await newKey("first"));
    const { body } = await ask(forged);
    expect(body.errors[0].message).toContain("signature of the token is wrong");
  });
});

test("an unknown issuer or subject costs no fetch and no row", async () => {
  const stranger = await startIssuer();
  const { sign } = await newJob();
  const sub = randomName("stranger");
  const requests = ci.requests.length;
  for (const token of [await stranger.sign({ sub, aud: registryAudience }), await sign({ sub })]) {
    const answer = await ask(token);
    expect(refusalOf(answer)).toEqual([401, "DENIED"]);
    expect(answer.body.errors[0].message).toContain("no identity matches");
    expect(costOf(answer)).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
  }
  expect(await sql("select uid from events where instr(data, ?) > 0", sub)).toEqual([]);
  expect([stranger.requests, ci.requests.length]).toEqual([[], requests]);
  stranger.close();
});

test("a login and a pull take one round trip more than with a registry token, once", async () => {
  const { uid, sign, scope, name } = await newJob();
  const token = await sign();
  const own = await registryToken(uid);
  const trips = async (password: string, user: string) => {
    const login = await ask(password, { user });
    const pull = await ask(password, { user, scope });
    const history = `/v2/${name}/_vendor/history/latest`;
    const read = await callRest(history, { token: pull.body.token });
    return [login, pull, read].map((answer) => costOf(answer).roundTrips);
  };
  const [login = 0, pull = 0, read = 0] = await trips(own, "_token");
  expect(await trips(token, "oidc")).toEqual([login + 1, pull + 1, read]);
});

test("the login is an event of the organization, and counts as a use of the identity", async () => {
  const { uid, sub, sign } = await newJob();
  await ask(await sign());
  const [event, ...more] = await sql<{ data: string; source: string }>(
    "select data, source from events where subject = ? and type like '%token.exchanged.v1'",
    uid,
  );
  expect(more).toEqual([]);
  expect(event?.source).toMatch(/\/token$/);
  expect(JSON.parse(event?.data ?? "{}")).toMatchObject({
    actor: { subject: uid, act: { iss: ci.url, sub } },
    body: { kind: "KIND_FOREIGN_TOKEN", audiences: [registryAudience] },
  });
  const [row] = await sql<{ last_used_time: number; first_used_time: number }>(
    "select last_used_time, first_used_time from identities where uid = ?",
    uid,
  );
  expect(row?.last_used_time).toBeGreaterThan(0);
  expect(row?.first_used_time).toBeLessThanOrEqual(Date.now());
});

test.each([2_000, 8_000, 50_000])("a token of %i bytes works, also as a form", async (size) => {
  const { sign, scope } = await newJob();
  const groups = Array.from({ length: size / 46 }, (_, n) => `system:group-${n}-${"x".repeat(20)}`);
  const token = await sign({ "kubernetes.io": { namespace: "shop", pod: { name: "a" } }, groups });
  expect(token.length).toBeGreaterThan(size);
  expect((await ask(token, { scope })).status).toBe(200);
  const form = { grant_type: "password", username: "oidc", password: token };
  expect((await post({ ...form, scope })).status).toBe(200);
});

describe("is refused:", () => {
  const refused = async (answer: ReturnType<typeof ask>, status: number, says: string) => {
    const { body, ...rest } = await answer;
    expect([rest.status, body.errors[0].message]).toEqual([status, expect.stringContaining(says)]);
  };
  test("a token of the platform as the password of oidc", async () => {
    const { uid } = await newJob();
    const says = "the platform itself issued the token";
    await refused(ask(await registryToken(uid)), 401, says);
    await refused(ask(await tokenFor(uid), { user: uid }), 401, says);
  });
  test("the token of a job as the password of _token, and as a Bearer token", async () => {
    const { sign, scope } = await newJob();
    const token = await sign();
    await refused(ask(token, { user: "_token" }), 401, "user oidc");
    await refused(callRest(`/token?scope=${scope}`, { token }), 401, "user oidc");
  });
  test("the token of a job below /v2/, where a client first needs a registry token", async () => {
    const { sign, name } = await newJob();
    const headers = basicHeader(await sign(), "oidc");
    const answer = await callRest(`/v2/${name}/tags/list`, { headers });
    expect(refusalOf(answer)).toEqual([401, "UNAUTHORIZED"]);
    expect(answer.headers.get("www-authenticate")).toContain("/token");
  });
  test("a token as the user name, without a password and with any", async () => {
    const { sign } = await newJob();
    const token = await sign();
    for (const password of ["", "x", token])
      await refused(ask(password, { user: token }), 401, "the user name must be");
  });
  test("a user name of a prototype", async () => {
    const { sign } = await newJob();
    await refused(ask(await sign(), { user: "constructor" }), 401, "the user name must be");
  });
  test("the uid of an identity that does not accept the token", async () => {
    const [{ sign }, { uid }] = [await newJob(), await newJob()];
    await refused(ask(await sign(), { user: uid }), 401, "does not match an identity");
  });
  test("a text that is not a token", () => refused(ask("secret"), 401, "is not a JWT"));
});
