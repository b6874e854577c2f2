/** Any response of a provider becomes a clear message for the person, and never an internal error. */
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newOrganization } from "../../world/personas.ts";
import { type ForeignIssuer, startIssuer } from "../foreign_issuer.ts";
import { Browser } from "./browser.ts";
import {
  errorOf,
  logInWithIdToken,
  loginUrl,
  newProvider,
  redirect,
  serveTokens,
} from "./logins.ts";

let provider: ForeignIssuer;
let idp: string;
beforeEach(async () => {
  provider = await startIssuer();
  idp = await newProvider((await newOrganization()).uid, { issuer: provider.url });
});
afterEach(() => provider.close());

const start = () => new Browser().open(loginUrl({ redirect, idp_id: idp }));
const long = "x".repeat(64 * 1024);
const reset = (response: ServerResponse) => response.socket?.resetAndDestroy();

describe("a discovery document that cannot be used ends a login with 400 at its redirect:", () => {
  test.each<[string, Record<string, unknown>]>([
    ["number for an authorization endpoint", { authorization_endpoint: 1 }],
    ["object for an authorization endpoint", { authorization_endpoint: {} }],
    ["null for an authorization endpoint", { authorization_endpoint: null }],
    ["list for a token endpoint", { token_endpoint: ["https://x.example"] }],
    ["truth for a token endpoint", { token_endpoint: true }],
    ["no token endpoint", { token_endpoint: undefined }],
    ["number for a UserInfo endpoint", { userinfo_endpoint: 1 }],
    ["text that is not an address", { token_endpoint: "token" }],
    ["number for the PKCE methods", { code_challenge_methods_supported: 1 }],
    ["object for the PKCE methods", { code_challenge_methods_supported: {} }],
    ["numbers among the client methods", { token_endpoint_auth_methods_supported: [1] }],
    ["text for the algorithms", { id_token_signing_alg_values_supported: "ES256" }],
    ["number for the address of the keys", { jwks_uri: 1 }],
  ])("%s", async (_, further) => {
    serveTokens(provider, further);
    expect(errorOf(await start())).toEqual(["400", expect.stringContaining("cannot be used")]);
  });
});

describe("a discovery document that cannot be fetched ends a login with 503 at its redirect:", () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ["too large", (response) => response.end(JSON.stringify({ issuer: provider.url, long }))],
    ["reset", reset],
    ["reset in the middle", (response) => response.write("{") && reset(response)],
    ["an error", (response) => response.writeHead(500).end()],
    ["no JSON", (response) => response.end("<html>")],
    ["a list", (response) => response.setHeader("content-type", "application/json").end("[]")],
    ["a redirect", (response) => response.writeHead(302, { location: "/x" }).end()],
    ["an issuer that is a number", (response) => response.end(JSON.stringify({ issuer: 1 }))],
  ])("%s", async (_, page) => {
    provider.pages["/.well-known/openid-configuration"] = page;
    expect(errorOf(await start())).toEqual(["503", expect.stringContaining("discovery of")]);
  });
});

const json = (response: ServerResponse, body: unknown) =>
  response.setHeader("content-type", "application/json").end(JSON.stringify(body));

describe("a response to the code ends a login with its own status at its redirect:", () => {
  test.each<[string, string, (response: ServerResponse) => void]>([
    ["larger than 64 KiB", "503", (response) => json(response, { access_token: long })],
    ["reset", "503", reset],
    ["reset in the middle", "503", (response) => response.write("{") && reset(response)],
    ["no JSON", "403", (response) => response.end("<html>")],
    ["JSON that is not an object", "403", (response) => json(response, [1])],
    ["nothing", "403", (response) => response.end()],
    ["a redirect", "403", (response) => response.writeHead(302, { location: "/x" }).end()],
    ["an error of the server", "403", (response) => response.writeHead(500).end("{}")],
    ["a number for a token", "403", (response) => json(response, { access_token: 1 })],
    [
      "an error that is not text",
      "403",
      (response) => json(Object.assign(response, { statusCode: 400 }), { error: 1 }),
    ],
    [
      "an invalid ID token",
      "403",
      (response) => json(response, { access_token: "a", token_type: "Bearer", id_token: "x.y.z" }),
    ],
  ])("%s", async (_, status, page) => {
    const answers = serveTokens(provider);
    provider.pages["/token"] = page;
    const done = await logInWithIdToken(provider, answers, idp, { sub: "ada" });
    expect(errorOf(done)).toEqual([status, expect.stringMatching(/./)]);
    expect(errorOf(done)[1]).not.toContain("nternal error");
  });
});

describe("a response of UserInfo ends a login with its own status at its redirect:", () => {
  test.each<[string, string, (response: ServerResponse) => void]>([
    ["larger than 64 KiB", "503", (response) => json(response, { sub: "ada", long })],
    ["reset", "503", reset],
    ["no JSON", "403", (response) => response.end("<html>")],
    ["another person", "403", (response) => json(response, { sub: "bob" })],
    ["a number for a subject", "403", (response) => json(response, { sub: 1 })],
  ])("%s", async (_, status, page) => {
    const answers = serveTokens(provider, { userinfo_endpoint: `${provider.url}/userinfo` });
    provider.pages["/userinfo"] = page;
    const done = await logInWithIdToken(provider, answers, idp, { sub: "ada" });
    expect(provider.requests).toContain("/userinfo");
    expect(errorOf(done)).toEqual([status, expect.stringMatching(/./)]);
  });

  test.each([[{ email: 1 }], [{ email: {} }], [{ name: [] }], [{ email_verified: "yes" }]])(
    "or is accepted, without the members of another type: %j",
    async (claims) => {
      const answers = serveTokens(provider, { userinfo_endpoint: `${provider.url}/userinfo` });
      provider.pages["/userinfo"] = (response) => json(response, { sub: "ada", ...claims });
      const done = await logInWithIdToken(provider, answers, idp, { sub: "ada" });
      expect(done.location.searchParams.get("status_code")).not.toBe("500");
    },
  );
});

test.each([
  ["keys that are reset", reset],
  ["keys that are too many", (response: ServerResponse) => json(response, { keys: [], long })],
])("%s end a login with 503", async (_, page) => {
  const answers = serveTokens(provider);
  provider.pages["/keys"] = page;
  const done = await logInWithIdToken(provider, answers, idp, { sub: "ada" });
  expect(errorOf(done)[0]).toBe("503");
});
