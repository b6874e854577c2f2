/** Attacks on a login. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { issuer as platform, sql } from "../../world/platform.ts";
import { type ForeignIssuer, newKey, startIssuer } from "../foreign_issuer.ts";
import { Browser, type OpenedPage } from "./browser.ts";
import { errorOf, loginUrl, newProvider, redirect, serveTokens, tokensOf } from "./logins.ts";

let issuer: ForeignIssuer;
let answers: ReturnType<typeof serveTokens>;
let organization: Organization;
let idp = "";
let browser: Browser;

beforeAll(async () => {
  issuer = await startIssuer();
  answers = serveTokens(issuer);
});
afterAll(() => issuer.close());
beforeEach(async () => {
  organization = await newOrganization();
  idp = await newProvider(organization.uid, { issuer: issuer.url });
  browser = new Browser();
  delete answers.status;
});

/** Starts a login. Returns the request that the provider receives. */
async function start(query: Record<string, string> = {}): Promise<URLSearchParams> {
  const { status, location } = await browser.open(loginUrl({ redirect, idp_id: idp, ...query }));
  expect([status, location.pathname]).toEqual([302, "/authorize"]);
  return location.searchParams;
}

/** Returns from the provider with an ID token that has these claims. */
async function comeBack(
  request: URLSearchParams,
  claims: Record<string, unknown> = {},
  query: Record<string, string> = {},
): Promise<OpenedPage> {
  const nonce = request.get("nonce");
  answers.idToken = await issuer.sign({ aud: "public", nonce, ...claims });
  const state = request.get("state") ?? "";
  const back = request.get("redirect_uri") ?? "";
  return browser.open(`${back}?${new URLSearchParams({ code: "c", state, ...query })}`);
}

const noPerson = async () =>
  expect(await sql("select * from sign_ins where identity_provider_uid = ?", idp)).toEqual([]);

/** Expects an error page. The browser is not redirected. */
function expectPage({ status, location, text }: OpenedPage, expected: number, words: RegExp): void {
  expect([status, location.href]).toEqual([expected, "about:blank"]);
  expect(text).toMatch(words);
}

test("the expected response is accepted", async () => {
  const { claims } = tokensOf(await comeBack(await start(), { sub: "ada" }));
  expect(claims.idp).toBe(idp);
});

describe("a response is rejected, and no browser is redirected with it,", () => {
  test("from a browser without the cookie", async () => {
    const request = await start();
    browser = new Browser();
    expectPage(await comeBack(request), 403, /no such login in progress/);
    await noPerson();
  });

  test("from the browser of another login", async () => {
    const request = await start();
    browser = new Browser();
    await start();
    expectPage(await comeBack(request), 403, /no such login in progress/);
    await noPerson();
  });

  test("of a provider other than that of the login", async () => {
    const honest = await newProvider(organization.uid, { issuer: issuer.url });
    const { searchParams: sought } = (
      await new Browser().open(loginUrl({ redirect, idp_id: honest }))
    ).location;
    const request = await start();
    // Each has its own address, because neither sends `iss` in its response.
    expect(sought.get("redirect_uri")).not.toBe(request.get("redirect_uri"));
    for (const back of [sought.get("redirect_uri") ?? "", `${platform}/oauth/callback`]) {
      const forged = new URLSearchParams(request);
      forged.set("redirect_uri", back);
      expectPage(await comeBack(forged), 403, /no such login/);
    }
    await noPerson();
  });

  test("with another state, with none, or with two", async () => {
    const request = await start();
    const state = request.get("state") ?? "";
    expectPage(await comeBack(request, {}, { state: `${state}x` }), 403, /no such login/);
    expectPage(await comeBack(request, {}, { state: "" }), 403, /no such login/);
    const twice = await browser.open(
      `${request.get("redirect_uri")}?code=c&state=${state}&state=${state}`,
    );
    expectPage(twice, 403, /no such login/);
    await noPerson();
  });

  test("with a cookie that was changed, or put under another login's name", async () => {
    const [first, second] = [await start(), await start()];
    const [one = "", other = ""] = browser.cookies.keys();
    browser.cookies.set(one, browser.cookies.get(other) ?? "");
    expectPage(await comeBack(first), 403, /no such login/);
    browser.cookies.set(other, `${browser.cookies.get(other)?.slice(0, -2)}AA`);
    expectPage(await comeBack(second), 403, /no such login/);
    await noPerson();
  });

  test("a response is rejected a second time, and the browser is not redirected", async () => {
    const request = await start();
    tokensOf(await comeBack(request));
    expect(browser.cookies.size).toBe(0);
    expectPage(await comeBack(request), 403, /no such login/);
  });
});

describe("a response is rejected, and the waiting program gets the error,", () => {
  test("if the provider rejects the code", async () => {
    answers.status = 400;
    const words = "Permission denied: the identity provider refused the code: invalid_grant";
    expect(errorOf(await comeBack(await start()))).toEqual(["403", words]);
  });

  test.each<[string, Record<string, unknown>]>([
    ["another nonce", { nonce: "n" }],
    ["no nonce", { nonce: undefined }],
    ["another audience", { aud: "someone-else" }],
    ["an additional audience", { aud: ["public", "someone-else"] }],
    ["another issuer", { iss: "https://other.example" }],
    ["an expiry in the past", { exp: 1_000_000_000 }],
    ["no expiry", { exp: undefined }],
    ["no subject", { sub: undefined }],
  ])("when the ID token has %s", async (_, claims) => {
    const [status, words] = errorOf(await comeBack(await start(), claims));
    expect(status).toBe("403");
    expect(words).toMatch(/verifying token/);
    await noPerson();
  });

  test("if the ID token is signed by another key", async () => {
    const request = await start();
    const key = await newKey("first");
    const nonce = request.get("nonce");
    answers.idToken = await issuer.sign({ aud: "public", nonce }, key);
    const state = request.get("state") ?? "";
    const done = await browser.open(`${request.get("redirect_uri")}?code=c&state=${state}`);
    expect(errorOf(done)).toEqual([
      "403",
      "Permission denied: verifying token: the signature of the token is wrong",
    ]);
    await noPerson();
  });

  test("if it comes from another provider than requested (RFC 9207)", async () => {
    const done = await comeBack(await start(), {}, { iss: "https://other.example" });
    expect(errorOf(done)[1]).toMatch(/iss/);
    await noPerson();
  });

  test("if the provider says that it sends its name in responses, and this one has none", async () => {
    const naming = await startIssuer();
    serveTokens(naming, { authorization_response_iss_parameter_supported: true });
    idp = await newProvider(organization.uid, { issuer: naming.url });
    expect(errorOf(await comeBack(await start()))[1]).toMatch(/iss/);
    naming.close();
  });

  test("if the identity provider was deleted meanwhile", async () => {
    const request = await start();
    await sql("delete from identity_providers where uid = ?", idp);
    expect(errorOf(await comeBack(request))).toEqual([
      "403",
      "Permission denied: verifying token: the identity provider was deleted",
    ]);
    await noPerson();
  });

  test("in our words, whatever the provider sends", async () => {
    const query = { error: "<script>alert(1)</script>", error_description: "call 555" };
    const [status, words] = errorOf(await comeBack(await start(), {}, query));
    expect(status).toBe("403");
    expect(words).not.toMatch(/script|555/);
  });
});

test.each<[string, Record<string, string | string[]>, string]>([
  ["no provider", { idp_id: "" }, "idp_id"],
  ["an invalid audience", { audience: "not an audience" }, "aud"],
  ["an identity that is not a uid", { identity: "me" }, "identity"],
  ["an invalid boolean", { create_refresh_token: "yes" }, "create_refresh_token"],
  ["a parameter twice", { invite: ["a", "b"] }, "invite"],
  ["a code that is not a key", { headless_code: "x" }, "headless_code"],
  ["an unknown scope", { scope: "nobody-at-all" }, "scopes"],
])("%s is refused in the redirect", async (_, query, field) => {
  const started = await browser.open(loginUrl({ redirect, idp_id: idp, ...query }));
  const done = started.status === 302 ? await comeBack(started.location.searchParams) : started;
  expect(errorOf(done)).toEqual(["400", expect.stringContaining(field)]);
});

test("text of an address is always escaped in a page", async () => {
  const script = `"'><script>alert(1)</script>`;
  for (const query of [{ redirect: script }, { redirect: "", idp_id: script }, { exit: script }]) {
    const { text, headers } = await browser.open(loginUrl({ idp_id: idp, ...query }));
    expect(text).not.toContain("<script");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("x-frame-options")).toBe("DENY");
  }
});

test("parameters that do not fit into a cookie are rejected", async () => {
  const long = {
    invite: "x".repeat(1000),
    scope: Array.from({ length: 9 }, (_, i) => `${i}`.repeat(300)),
  };
  const done = await browser.open(loginUrl({ redirect, idp_id: idp, ...long }));
  expect(errorOf(done)).toEqual(["400", expect.stringContaining("too long")]);
});

test("a provider whose endpoints are not https URLs is not used", async () => {
  const odd = await startIssuer();
  serveTokens(odd, { token_endpoint: "http://10.0.0.1/token" });
  idp = await newProvider(organization.uid, { issuer: odd.url });
  const done = await browser.open(loginUrl({ redirect, idp_id: idp }));
  expect(errorOf(done)).toEqual(["400", expect.stringContaining("endpoint")]);
  odd.close();
});

test("PKCE is used if the provider requires it", async () => {
  const old = await startIssuer();
  serveTokens(old, { code_challenge_methods_supported: ["plain"] });
  idp = await newProvider(organization.uid, { issuer: old.url });
  const done = await browser.open(loginUrl({ redirect, idp_id: idp }));
  expect(errorOf(done)).toEqual(["400", expect.stringContaining("PKCE")]);
  old.close();
});
