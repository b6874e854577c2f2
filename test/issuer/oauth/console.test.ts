/** The console signs people in as a client of the issuer that needs neither a registration nor a confirmation. */
import { base64url, decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "../../../src/aip/sha256.ts";
import { newOrganization, type Organization, randomName, roleUid } from "../../world/personas.ts";
import {
  audience,
  baseUrl,
  callRest,
  issuer,
  registryAudience,
  tokenFor,
} from "../../world/platform.ts";
import { Browser, type OpenedPage } from "../login/browser.ts";
import { answerInvite, continueToProvider, newProvider, questionIn } from "../login/logins.ts";
import { type OpenidProvider, startProvider } from "../login/openid_provider.ts";

const redirectUri = `${issuer}/console/signed-in`;
const verifier = "v".repeat(43);

let provider: OpenidProvider;
let organization: Organization;
let idp: string;
beforeAll(async () => {
  provider = await startProvider();
  organization = await newOrganization();
  idp = await newProvider(organization.uid, { issuer: provider.url });
});
afterAll(() => provider.close());

async function post(path: string, body: string | Record<string, string>, headers = {}) {
  const sent = typeof body === "string" ? body : new URLSearchParams(body);
  const response = await fetch(`${baseUrl()}${path}`, { method: "POST", body: sent, headers });
  const text = await response.text();
  const json = text === "" ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body: json };
}

async function authorizePath(given: Record<string, string | undefined> = {}) {
  const challenge = base64url.encode(Buffer.from(await sha256(verifier), "hex"));
  const all = {
    ...{ response_type: "code", client_id: "console", redirect_uri: redirectUri, state: "s" },
    ...{ code_challenge: challenge, code_challenge_method: "S256", idp_id: idp },
    ...given,
  };
  const pairs = Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(pairs)}`;
}

const open = async (given: Record<string, string | undefined> = {}, browser = new Browser()) =>
  browser.open(await authorizePath(given));

/** Signs in at the provider, and returns the address where the platform sends the browser at the end. */
async function signIn(
  page: OpenedPage,
  browser: Browser,
  account: string,
  answer = "accept",
): Promise<URL> {
  expect(page.text).toContain("<title>Provider</title>");
  const done = await browser.open(browser.last, { login: account });
  const last = await browser.follow(done.location, ({ searchParams, pathname }) =>
    pathname !== "/oauth/callback" ? searchParams.has("iss") : false,
  );
  if (questionIn(last) === "") return last.location;
  return (await answerInvite(last, answer, browser)).location;
}

/** If a page asks about an invite, the person gives this answer. */
async function logIn(
  given: Record<string, string> = {},
  account = randomName("ada"),
  answer = "accept",
) {
  const browser = new Browser();
  const page = await browser.follow(await authorizePath(given), () => false);
  return signIn(page, browser, account, answer);
}

const codeOf = ({ searchParams }: URL) => searchParams.get("code") ?? "";

const redeem = (code: string, given: Record<string, string> = {}) =>
  post("/oauth/token", {
    ...{ grant_type: "authorization_code", code, client_id: "console" },
    ...{ redirect_uri: redirectUri, code_verifier: verifier, ...given },
  });

const renew = (token: string, client = "console") =>
  post("/oauth/token", {
    ...{ grant_type: "refresh_token", refresh_token: token, client_id: client },
  });

async function register(): Promise<string> {
  const metadata = { client_name: "console", redirect_uris: [redirectUri] };
  return (await post("/oauth/register", JSON.stringify(metadata))).body.client_id;
}

test("a login redirects straight to the identity provider, and back to the console", async () => {
  const first = await open();
  expect(first.status).toBe(302);
  expect(first.location.origin).toBe(provider.url);
  const last = await logIn();
  expect(last.href.startsWith(`${redirectUri}?`)).toBe(true);
  expect([last.searchParams.get("state"), last.searchParams.get("iss")]).toEqual(["s", issuer]);
  expect((await redeem(codeOf(last))).status).toBe(200);
});

describe("a page asks for the organization", () => {
  const expectForm = ({ text }: OpenedPage) => {
    expect(text).toContain('<label for="organization">');
    expect(text).not.toContain("A program");
  };

  test("if the request names none", async () => {
    for (const idp_id of [undefined, "", " "]) {
      const browser = new Browser();
      const page = await open({ idp_id }, browser);
      expectForm(page);
      expect([page.status, page.text.includes('aria-invalid="')]).toEqual([200, false]);
      const onward = await continueToProvider(page, idp, browser);
      expect(codeOf(await signIn(onward, browser, randomName("ada")))).not.toBe("");
    }
  });

  test.each<[string, () => Promise<string>, number, RegExp]>([
    ["is unknown", async () => '"><script>', 404, /No identity provider has that name/],
    [
      "has several identity providers",
      async () => {
        const { uid } = await newOrganization();
        for (const client_id of ["one", "two"])
          await newProvider(uid, { issuer: provider.url, client_id });
        return uid;
      },
      400,
      /name one of them by its uid/,
    ],
    [
      "has an identity provider that does not respond",
      async () =>
        newProvider((await newOrganization()).uid, {
          issuer: "http://localhost:1",
          client_id: "x",
        }),
      503,
      /try again later/,
    ],
  ])("again if the organization %s", async (_, name, status, reason) => {
    const browser = new Browser();
    const idp_id = await name();
    const page = await open({ idp_id }, browser);
    const [, state = ""] = /name="state" value="([^"]+)"/.exec(page.text) ?? [];
    const again = await browser.open("/oauth/authorize", { state, idp_id });
    for (const shown of [page, again]) {
      expectForm(shown);
      expect(shown.status).toBe(status);
      expect(shown.text).toMatch(reason);
      expect(shown.text).not.toContain("<script>");
      expect(shown.text).toContain('aria-describedby="hint problem" aria-invalid="true"');
      expect(shown.text).toContain(`Request id: ${shown.headers.get("x-request-id")}`);
    }
    const onward = await continueToProvider(again, idp, browser);
    expect(onward.text).toContain("<title>Provider</title>");
  });
});

describe("a request with another redirect URI ends on a page, and goes nowhere", () => {
  test.each([
    undefined,
    `${redirectUri}/`,
    `${redirectUri}?a=b`,
    `${redirectUri}#a`,
    "http://localhost:8788/console/signed-in",
    "http://localhost/console/signed-in",
    "http://127.0.0.1:8787/console/signed-in",
    "https://localhost:8787/console/signed-in",
    "http://localhost:8787/console/../console/signed-in",
    "http://localhost:8787/console",
    "http://a@localhost:8787/console/signed-in",
    "https://evil.example/console/signed-in",
  ])("%s", async (redirect_uri) => {
    const { status, headers, text } = await open({ redirect_uri });
    expect([status, headers.get("location")]).toEqual([400, null]);
    expect(headers.getSetCookie()).toEqual([]);
    expect(text).toContain(`Request id: ${headers.get("x-request-id")}`);
  });
});

test.each<[Record<string, string | undefined>, string]>([
  [{ code_challenge: undefined }, "invalid_request"],
  [{ code_challenge_method: "plain" }, "invalid_request"],
  [{ scope: "admin" }, "invalid_scope"],
  [{ invite_code: "x".repeat(2000) }, "invalid_request"],
])("the console gets the other mistakes in its request: %j", async (given, error) => {
  const { status, location } = await open(given);
  expect(location.href.startsWith(`${redirectUri}?`)).toBe(true);
  expect([status, location.searchParams.get("error")]).toEqual([303, error]);
});

describe("another client with the name and the redirect URI of the console", () => {
  test("needs the confirmation of the person", async () => {
    const client_id = await register();
    const browser = new Browser();
    const page = await open({ client_id }, browser);
    expect([page.status, page.headers.get("location")]).toEqual([200, null]);
    expect(page.text).toContain("Sign in a program?");
    const [, state = ""] = /name="state" value="([^"]+)"/.exec(page.text) ?? [];
    const again = await browser.open("/oauth/authorize", { state, idp_id: "nobody" });
    expect(again.text).toContain("Sign in a program?");
  });

  test("cannot use the codes and refresh tokens of the console, nor the console its codes", async () => {
    const other = await register();
    const code = codeOf(await logIn());
    expect((await redeem(code, { client_id: other })).body.error).toBe("invalid_grant");
    const { body } = await redeem(code);
    expect((await renew(body.refresh_token, other)).body.error).toBe("invalid_grant");
    const browser = new Browser();
    const page = await open({ client_id: other }, browser);
    const onward = await continueToProvider(page, idp, browser);
    const theirs = codeOf(await signIn(onward, browser, randomName("ada")));
    expect((await redeem(theirs)).body.error).toBe("invalid_grant");
    expect((await redeem(theirs, { client_id: other })).status).toBe(200);
  });

  test("accepts no invite for the person", async () => {
    const invite_code = await newInvite();
    const browser = new Browser();
    const page = await open({ client_id: await register(), invite_code }, browser);
    const onward = await continueToProvider(page, idp, browser);
    await signIn(onward, browser, randomName("ada"));
    expect(codeOf(await logIn({ invite_code }))).not.toBe("");
  });
});

/** An invite that only one person can accept. */
async function newInvite(): Promise<string> {
  const { status, body } = await callRest(`/iam/v2/groupInvites/${organization.uid}`, {
    token: await tokenFor(organization.owner.uid),
    body: { roleUid: await roleUid("editor"), ttl: "3600s", singleUse: true },
  });
  expect(status).toBe(200);
  return body.code;
}

async function rolesOf(token: string): Promise<string[]> {
  const path = `/iam/v2/roleBindings?uidp.children_of=${organization.uid}&page_size=200`;
  const { sub } = decodeJwt(token);
  const { body } = await callRest(path, { token: await tokenFor(organization.owner.uid) });
  const all = body.roleBindings as { identity: { uid: string }; role: { name: string } }[];
  return all.filter(({ identity }) => identity.uid === sub).map(({ role }) => role.name);
}

test("a login accepts an invite, also after the page that asks for the organization", async () => {
  const direct = await redeem(codeOf(await logIn({ invite_code: await newInvite() })));
  const browser = new Browser();
  const page = await open({ idp_id: undefined, invite_code: await newInvite() }, browser);
  const onward = await continueToProvider(page, idp, browser);
  const asked = await redeem(codeOf(await signIn(onward, browser, randomName("ada"))));
  for (const { body } of [direct, asked])
    expect((await rolesOf(body.access_token)).toSorted()).toEqual(["editor", "viewer"]);
});

test("a person can sign in to the console without accepting the invite, and accept it later", async () => {
  const account = randomName("ada");
  const invite_code = await newInvite();
  for (const [answer, roles] of [
    ["decline", ["viewer"]],
    ["accept", ["editor", "viewer"]],
  ] as const) {
    const { body } = await redeem(codeOf(await logIn({ invite_code }, account, answer)));
    expect((await rolesOf(body.access_token)).toSorted()).toEqual(roles);
  }
});

test("a login with an unknown invite sends an error to the console", async () => {
  const { searchParams } = await logIn({ invite_code: "0123456789abcdef" });
  expect([searchParams.get("error"), searchParams.has("code")]).toEqual(["access_denied", false]);
  expect(searchParams.get("error_description")).toMatch(/^Not found/);
});

describe("a page of another origin", () => {
  const headers = { origin: "https://api.acme.test" };

  test("can redeem a code, renew the token, exchange it for the registry, and sign out", async () => {
    const form = {
      grant_type: "authorization_code",
      client_id: "console",
      redirect_uri: redirectUri,
    };
    const code = codeOf(await logIn({ scope: "write" }));
    const first = await post("/oauth/token", { ...form, code, code_verifier: verifier }, headers);
    expect(first.headers.get("access-control-allow-origin")).toBe("*");
    expect(first.body).toMatchObject({ token_type: "Bearer", scope: "read write" });
    expect(decodeJwt(first.body.access_token).aud).toBe(audience);

    const next = await renew(first.body.refresh_token);
    expect(next.headers.get("access-control-allow-origin")).toBe("*");

    const exchanged = await callRest(`/sts/exchange?aud=${registryAudience}`, {
      token: next.body.access_token,
      headers,
    });
    expect(exchanged.headers.get("access-control-allow-origin")).toBe("*");
    expect(decodeJwt(exchanged.body.token).aud).toBe(registryAudience);
    const { status } = await callRest("/v2/", { token: exchanged.body.token, headers });
    expect(status).toBe(200);

    const token = next.body.refresh_token;
    const revoked = await post("/oauth/revoke", { token, client_id: "console" }, headers);
    expect([revoked.status, revoked.headers.get("access-control-allow-origin")]).toEqual([
      200,
      "*",
    ]);
    expect((await renew(token)).body.error).toBe("invalid_grant");
  });

  test.each([
    ["/oauth/token", "POST"],
    ["/oauth/revoke", "POST"],
    ["/sts/exchange", "GET"],
    ["/v2/", "GET"],
  ])("may send the header Authorization to %s", async (path, method) => {
    const answer = await fetch(`${baseUrl()}${path}`, {
      method: "OPTIONS",
      headers: {
        ...headers,
        "access-control-request-method": method,
        "access-control-request-headers": "authorization",
      },
    });
    expect(answer.status).toBeLessThan(300);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-headers")).toMatch(/authorization/i);
  });

  test.each(["GET", "PUT"])("cannot revoke with %s", async (method) => {
    const { status, headers } = await callRest("/oauth/revoke", { method });
    expect([status, headers.get("allow")]).toEqual([405, "POST"]);
  });
});

test("a login can read, and can write only if the console asked for that", async () => {
  const account = randomName("ada");
  await logIn({ invite_code: await newInvite() }, account);
  const body = { name: randomName("repo") };
  const path = `/registry/v2/repos/${organization.uid}`;
  const reading = await redeem(codeOf(await logIn({}, account)));
  expect((await callRest(path, { token: reading.body.access_token, body })).status).toBe(403);
  const writing = await redeem(codeOf(await logIn({ scope: "read write" }, account)));
  expect((await callRest(path, { token: writing.body.access_token, body })).status).toBe(200);
});
