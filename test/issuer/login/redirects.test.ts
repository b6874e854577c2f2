/** The addresses to which the result of a login can be sent. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newOrganization } from "../../world/personas.ts";
import { type ForeignIssuer, startIssuer } from "../foreign_issuer.ts";
import { Browser } from "./browser.ts";
import { logInWithIdToken, loginUrl, newProvider, serveTokens } from "./logins.ts";

let issuer: ForeignIssuer;
let answers: ReturnType<typeof serveTokens>;
let idp = "";
let browser: Browser;

beforeAll(async () => {
  issuer = await startIssuer();
  answers = serveTokens(issuer);
});
afterAll(() => issuer.close());
beforeEach(async () => {
  idp = await newProvider((await newOrganization()).uid, { issuer: issuer.url });
  browser = new Browser();
});

describe("tokens are sent only to this machine and the platform", () => {
  test.each([
    "https://evil.example/",
    "http://evil.example/",
    "//evil.example/",
    "http://127.0.0.1.evil.example/",
    "http://127.0.0.1@evil.example/",
    "http://user@127.0.0.1/",
    "http://localhost.evil.example:1/",
    "https://127.0.0.1/",
    "javascript:alert(1)",
    "data:text/html,x",
    "http:\\\\evil.example",
    "http://127.0.0.1:9/#fragment",
    "http://[::2]/",
    "ftp://127.0.0.1/",
    " ",
    `http://127.0.0.1/${"x".repeat(1100)}`,
  ])("tokens are not sent to %s", async (bad) => {
    const { status, location, text } = await browser.open(loginUrl({ redirect: bad, idp_id: idp }));
    expect([status, location.href]).toEqual([400, "about:blank"]);
    expect(text).toContain("redirect");
    expect(browser.cookies.size).toBe(0);
  });

  test.each([
    "http://127.0.0.1:1/x?y=z",
    "http://localhost:65535/",
    "http://[::1]:80/",
    "http://localhost:8787/done",
  ])("tokens are sent to %s", async (good) => {
    const { location } = await browser.open(loginUrl({ redirect: good, idp_id: idp }));
    expect(location.origin).toBe(issuer.url);
  });

  test("the contents of the redirect are not read as a result", async () => {
    const forged = "http://127.0.0.1:9/?token=forged&error=forged&refresh_token=forged";
    const query = { redirect: forged };
    const { location } = await logInWithIdToken(issuer, answers, idp, { sub: "ada" }, query);
    expect(location.searchParams.getAll("token")).toEqual([expect.stringMatching(/^eyJ/)]);
    expect(location.searchParams.has("refresh_token")).toBe(false);
    expect(location.searchParams.has("error")).toBe(false);
  });
});
