/** Authorization codes are bound to their request, work once, and never leave the person's machine. */
import { base64url } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "../../../src/aip/sha256.ts";
import { newOrganization, type Organization, randomName, roleUid } from "../../world/personas.ts";
import { baseUrl, callRest, issuer, sql } from "../../world/platform.ts";
import { exchangeForToken } from "../exchange_call.ts";
import { Browser } from "./browser.ts";
import { continueToProvider, mapGroup, newProvider, signInOnPage } from "./logins.ts";
import { type OpenidProvider, startProvider } from "./openid_provider.ts";

let provider: OpenidProvider;
let organization: Organization;
let idp: string;
let clientId: string;
beforeAll(async () => {
  provider = await startProvider();
  organization = await newOrganization();
  idp = await newProvider(organization.uid, {
    issuer: provider.url,
    groups_claim: "groups",
    additional_scopes: ["groups"],
  });
  clientId = await register({ client_name: "one" });
});
afterAll(() => provider.close());

const redirectUri = "http://127.0.0.1:9/callback";
const verifier = "v".repeat(43);

async function post(path: string, body: string | URLSearchParams, headers = {}) {
  const response = await fetch(`${baseUrl()}${path}`, { method: "POST", body, headers });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

async function register(metadata: object): Promise<string> {
  const body = JSON.stringify({ redirect_uris: [redirectUri], ...metadata });
  const { status, body: client } = await post("/oauth/register", body);
  expect(status).toBe(201);
  return client.client_id;
}

const challenge = async () => base64url.encode(Buffer.from(await sha256(verifier), "hex"));

const authorizePath = async (given: Record<string, string | undefined> = {}) => {
  const all = {
    ...{ response_type: "code", client_id: clientId, redirect_uri: redirectUri, state: "s" },
    ...{ code_challenge: await challenge(), code_challenge_method: "S256" },
    ...given,
  };
  const pairs = Object.entries(all).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return `/oauth/authorize?${new URLSearchParams(pairs)}`;
};

async function authorize(given: Record<string, string> = {}, account = randomName("ada")) {
  const browser = new Browser();
  const page = await browser.open(await authorizePath(given));
  const login = await continueToProvider(page, idp, browser);
  const { location } = await signInOnPage(account, login, browser);
  return location.searchParams.get("code") ?? "";
}

const redeem = (code: string, given: Record<string, string> = {}) =>
  post(
    "/oauth/token",
    new URLSearchParams({
      ...{ grant_type: "authorization_code", code, client_id: clientId },
      ...{ redirect_uri: redirectUri, code_verifier: verifier },
      ...given,
    }),
  );

const refresh = (token: string, given: Record<string, string> = {}) =>
  post(
    "/oauth/token",
    new URLSearchParams({
      ...{ grant_type: "refresh_token", refresh_token: token, client_id: clientId },
      ...given,
    }),
  );

describe("a client that is not on the person's machine cannot register", () => {
  test.each([
    [{ redirect_uris: ["https://program.example/callback"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["http://localhost.evil.example/"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["http://user:password@localhost/"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["http://localhost/#fragment"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["https://localhost/callback"] }, "invalid_redirect_uri"],
    [{ redirect_uris: [] }, "invalid_redirect_uri"],
    [{ redirect_uris: [{}] }, "invalid_redirect_uri"],
    [{ redirect_uris: [`http://localhost/${"x".repeat(300)}`] }, "invalid_redirect_uri"],
    [{ redirect_uris: [redirectUri], client_name: {} }, "invalid_client_metadata"],
    [[], "invalid_redirect_uri"],
    [null, "invalid_client_metadata"],
  ])("%j", async (metadata, error) => {
    const { status, body } = await post("/oauth/register", JSON.stringify(metadata));
    expect([status, body.error]).toEqual([400, error]);
  });

  test("an unreadable body is refused, and so is a large one", async () => {
    expect((await post("/oauth/register", "{")).body.error).toBe("invalid_client_metadata");
    expect((await post("/oauth/register", "x".repeat(20_000))).body.error).toBe("invalid_request");
    expect((await fetch(`${baseUrl()}/oauth/register`)).status).toBe(405);
  });
});

describe("a request whose client or redirect URI is wrong ends on a page", () => {
  test.each<Record<string, string | undefined>>([
    { client_id: "unknown" },
    { client_id: undefined },
    { redirect_uri: undefined },
    { redirect_uri: "http://127.0.0.1:9/callback/more" },
    { redirect_uri: "http://127.0.0.1:9/callback?a=b" },
    { redirect_uri: "http://localhost:9/callback" },
    { redirect_uri: "http://127.0.0.1.evil.example:9/callback" },
    { redirect_uri: "http://a@127.0.0.1:9/callback" },
    { redirect_uri: "https://127.0.0.1:9/callback" },
  ])("%j", async (given) => {
    const { status, headers } = await new Browser().open(await authorizePath(given));
    expect([status, headers.get("location")]).toEqual([400, null]);
    expect(headers.getSetCookie()).toEqual([]);
  });
});

describe("another mistake in a request goes to the program, with the issuer's name", () => {
  test.each<[Record<string, string | undefined>, string]>([
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ response_type: undefined }, "invalid_request"],
    [{ code_challenge: undefined }, "invalid_request"],
    [{ code_challenge: "short" }, "invalid_request"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge_method: undefined }, "invalid_request"],
    [{ scope: "admin" }, "invalid_scope"],
    [{ resource: "https://other.example" }, "invalid_target"],
    [{ resource: `${issuer}/mcp#x` }, "invalid_target"],
  ])("%j", async (given, error) => {
    const { status, location } = await new Browser().open(await authorizePath(given));
    expect(location.href.startsWith(`${redirectUri}?`)).toBe(true);
    const { searchParams: said } = location;
    expect([status, said.get("error"), said.get("state"), said.get("iss")]).toEqual([
      ...[303, error, "s", issuer],
    ]);
    expect(said.has("code")).toBe(false);
  });
});

test("the page shows the names as text, and needs the browser's own cookie", async () => {
  const evil = await register({ client_name: "<b>Safe</b>\u202e\u0000 program" });
  const browser = new Browser();
  const page = await browser.open(await authorizePath({ client_id: evil }));
  expect(page.status).toBe(200);
  expect(page.text).toContain("“&lt;b&gt;Safe&lt;/b&gt; program”");
  expect(page.headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'/);
  const [, state = ""] = /name="state" value="([^"]+)"/.exec(page.text) ?? [];
  const form = { state, idp_id: idp };
  expect((await new Browser().open("/oauth/authorize", form)).status).toBe(403);
  expect((await browser.open("/oauth/confirm", { state })).status).toBe(404);
  const wrong = await browser.open("/oauth/authorize", { state, idp_id: '"><script>' });
  expect([wrong.status, wrong.text]).toEqual([404, expect.not.stringContaining("<script>")]);
  expect((await browser.open("/oauth/authorize", form)).status).toBe(200);
  expect((await browser.open("/oauth/authorize", form)).status).toBe(403);
});

describe("a code is refused with another client, redirect URI, verifier, resource or grant type", () => {
  test.each<[Record<string, string>, string]>([
    [{ code_verifier: "w".repeat(43) }, "invalid_grant"],
    [{ code_verifier: "short" }, "invalid_grant"],
    [{ code_verifier: "" }, "invalid_request"],
    [{ redirect_uri: "http://127.0.0.1:10/callback" }, "invalid_grant"],
    [{ client_id: "another" }, "invalid_grant"],
    [{ client_id: "" }, "invalid_request"],
    [{ resource: "https://other.example" }, "invalid_target"],
    [{ grant_type: "password" }, "unsupported_grant_type"],
    [{ code: "garbage" }, "invalid_grant"],
  ])("%j", async (given, error) => {
    const code = await authorize();
    const { status, body } = await redeem(code, given);
    expect([status, body.error]).toEqual([400, error]);
    expect((await redeem(code)).status).toBe(200);
  });
});

test("a code works once, and its second use ends the tokens that came from the first", async () => {
  const code = await authorize();
  const first = await redeem(code);
  expect(first.status).toBe(200);
  expect((await redeem(code)).body).toMatchObject({
    error: "invalid_grant",
    error_description: expect.stringContaining("was used before"),
  });
  expect((await refresh(first.body.refresh_token)).body.error).toBe("invalid_grant");
});

test("a code is valid for a minute", async () => {
  const code = await authorize();
  const [row] = await sql<{ digest: string; create_time: number; expire_time: number }>(
    `select digest, create_time, expire_time from refresh_tokens where identity_provider_uid = ?
     order by create_time desc limit 1`,
    idp,
  );
  const lifetime = (row?.expire_time ?? 0) - (row?.create_time ?? 0);
  // The end is a whole second.
  expect(Math.ceil(lifetime / 1000)).toBe(60);
  await sql("update refresh_tokens set expire_time = 1 where digest = ?", row?.digest);
  const { status, body } = await redeem(code);
  expect([status, body.error]).toEqual([400, "invalid_grant"]);
});

test("of many uses of a code at once, one succeeds at most", async () => {
  const code = await authorize();
  const all = await Promise.all([1, 2, 3, 4].map(() => redeem(code)));
  expect(all.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
});

test("a refresh token belongs to its client, works once, and keeps the limits of the login", async () => {
  const { body } = await redeem(await authorize());
  const other = await register({ client_name: "other" });
  const stolen = await refresh(body.refresh_token, { client_id: other });
  expect(stolen.body.error).toBe("invalid_grant");
  const asFirstParty = await callRest("/sts/exchange_refresh_token?aud=http://localhost:8787", {
    method: "POST",
    token: body.refresh_token,
  });
  expect(asFirstParty.status).toBe(403);
  const next = await refresh(body.refresh_token, { scope: "read write" });
  expect([next.status, next.body.scope]).toEqual([200, "read"]);
  const { claims } = await exchangeForToken(next.body.access_token);
  expect(claims.capabilities).toBeInstanceOf(Array);
  expect((await refresh(body.refresh_token)).body.error).toBe("invalid_grant");
  expect((await refresh(next.body.refresh_token)).body.error).toBe("invalid_grant");
});

test("a client can revoke its refresh token", async () => {
  const { body } = await redeem(await authorize());
  await post("/oauth/revoke", new URLSearchParams({ token: body.refresh_token }));
  expect((await refresh(body.refresh_token)).body.error).toBe("invalid_grant");
});

test("a person whose roles come from groups gets no refresh token", async () => {
  const account = randomName("grouped");
  provider.accounts.set(account, { groups: ["developers"] });
  await mapGroup(idp, "developers", await roleUid("viewer"), organization.uid);
  const { status, body } = await redeem(await authorize({}, account));
  expect([status, body.refresh_token]).toEqual([200, undefined]);
});

test("a person who cancels sends the program an error", async () => {
  const browser = new Browser();
  const page = await browser.open(await authorizePath());
  await continueToProvider(page, idp, browser);
  const done = await browser.open(browser.last, { login: "x", cancel: "1" });
  const { location } = await browser.follow(done.location, (at) => at.port === "9");
  expect(location.searchParams.get("error")).toBe("access_denied");
  expect(location.searchParams.get("state")).toBe("s");
});
