/** Sessions of the console with a real OpenID provider, a real issuer and a real browser. */
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type OpenidProvider, startProvider } from "../../issuer/login/openid_provider.ts";
import { type OwnPlatform, startOwnPlatform } from "../../journeys/own_platform.ts";
import { randomName, randomUid } from "../../world/personas.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, expectAccessible, newProfile } from "../chromium.ts";

describeInChromium("a session", () => {
  let platform: OwnPlatform;
  let provider: OpenidProvider;
  let context: BrowserContext;
  let page: Page;
  let organization = "";
  let name = "";
  beforeAll(async () => {
    platform = await startOwnPlatform();
    provider = await startProvider({ callback: `${platform.url}/oauth/callback` });
  });
  afterAll(async () => {
    provider?.close();
    await platform?.close();
  });
  beforeEach(async () => {
    [organization, name] = [randomUid(), randomName("company")];
    await platform.sql(
      "insert into groups (uid, name, verified, create_time, update_time) values (?, ?, 1, 1, 1)",
      ...[organization, name],
    );
    const [viewer] = await platform.sql("select uid from roles where name = 'viewer'");
    await platform.sql(
      `insert into identity_providers (uid, name, default_role, issuer, client_id, pkce_enabled,
         additional_scopes, create_time, update_time)
       values (?, 'people', ?, ?, 'public', 1, '["email","profile"]', 1, 1)`,
      ...[`${organization}/${randomUid().slice(0, 16)}`, viewer?.uid, provider.url],
    );
    context = await newProfile();
    page = await context.newPage();
  });
  afterEach(() => context.close());

  async function signIn(path = "/console/repositories"): Promise<void> {
    const account = randomName("ada");
    provider.accounts.set(account, { name: "Ada", email: "ada@x.example", email_verified: true });
    await page.goto(`${platform.url}${path}`);
    await page.getByLabel("Organization", { exact: true }).fill(name);
    await page.getByRole("button", { name: "Sign in with your organization" }).click();
    await page.fill("input[name=login]", account);
    await page.click("button[name=go]");
    await page.getByRole("button", { name: "Signed in as ada@x.example" }).waitFor();
  }

  /** Everything that the browser keeps for the origin, and the address. */
  const kept = async () =>
    JSON.stringify([
      await context.storageState({ indexedDB: true }),
      await page.evaluate(() => ({ ...sessionStorage, ...history.state, href: location.href })),
    ]);

  test("begins at the identity provider and comes back to the same address", async () => {
    await signIn("/console/repositories?order=update_time+desc");
    await page.getByText("There are no repositories here yet").waitFor();
    const { pathname, search } = new URL(page.url());
    const group = `group=${organization}`;
    expect(pathname + search).toBe(`/console/repositories?order=update_time+desc&${group}`);
  });

  test(
    "opens the person's own organization if the last visit was to one that they cannot see",
    long,
    async () => {
      await context.addInitScript((uid) => localStorage.setItem("console.place", uid), randomUid());
      await signIn();
      await expect.poll(() => new URL(page.url()).searchParams.get("group")).toBe(organization);
    },
  );

  test(
    "opens the organization in the address, also after a visit to another one",
    long,
    async () => {
      await signIn();
      await expect
        .poll(() => page.evaluate(() => localStorage.getItem("console.place")))
        .toBe(organization);
      const other = randomUid();
      await page.goto(`${platform.url}/console/repositories?group=${other}`);
      await page.getByRole("button", { name: "Signed in as ada@x.example" }).waitFor();
      expect(new URL(page.url()).searchParams.get("group")).toBe(other);
      const kept = await page.evaluate(() => localStorage.getItem("console.place"));
      expect(kept).toBe(organization);
    },
  );

  test("keeps its tokens out of storage and the address, and survives a reload", async () => {
    const tokens: string[] = [];
    page.on("response", async (response) => {
      if (!response.url().endsWith("/oauth/token")) return;
      const { access_token, refresh_token } = await response.json();
      tokens.push(access_token, refresh_token);
    });
    await signIn();
    // A reload takes the body of a response from the browser, even if no one has read it yet.
    await expect.poll(() => tokens.length).toBe(2);
    await page.reload();
    await page.getByRole("button", { name: "Signed in as ada@x.example" }).waitFor();
    await expect.poll(() => tokens.length).toBe(4);
    const text = await kept();
    for (const token of tokens) {
      expect(token.length).toBeGreaterThan(40);
      expect(text).not.toContain(token);
      expect(text).not.toContain(token.slice(-40));
    }
  });

  test("is renewed with its refresh token, without a page", async () => {
    await page.clock.install();
    await signIn();
    const renewed = page.waitForRequest((request) =>
      (request.postData() ?? "").includes("grant_type=refresh_token"),
    );
    await page.clock.fastForward("01:00:00");
    await page.getByRole("link", { name: "Repositories" }).click();
    await page
      .getByRole("button", { name: "Name" })
      .or(page.getByText("no repositories"))
      .waitFor();
    await page.getByRole("button", { name: "Search or go to…" }).click();
    await page.getByRole("dialog").getByRole("combobox").fill("anything");
    const response = await (await renewed).response();
    expect(response?.status()).toBe(200);
  });

  test("that cannot be renewed asks for a new sign-in, and the page stays", async () => {
    await page.clock.install();
    await signIn();
    await page.getByRole("heading", { name: "Repositories", level: 1 }).waitFor();
    await page.route("**/oauth/token", (route) =>
      route.fulfill({ status: 400, json: { error: "invalid_grant", error_description: "over" } }),
    );
    await page.clock.fastForward("01:00:00");
    // The page reads everything again when it is back online.
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
    expect(await page.getByRole("heading", { name: "Repositories", level: 1 }).count()).toBe(1);
    await expectAccessible(page);
    await page.unroute("**/oauth/token");
    await page.getByRole("button", { name: "Sign in with your organization" }).click();
    await page.getByRole("button", { name: "Signed in as ada@x.example" }).waitFor();
  });

  test("ends at the issuer too when the person signs out", async () => {
    await signIn();
    const revoked = page.waitForResponse((response) => response.url().endsWith("/oauth/revoke"));
    await page.getByRole("button", { name: "Signed in as ada@x.example" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    expect((await revoked).status()).toBe(200);
    await page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
  });

  test("ends in all tabs of the person at once", async () => {
    await signIn();
    const other = await context.newPage();
    // The provider still knows the person.
    await other.goto(`${platform.url}/console/repositories`);
    await other.getByRole("button", { name: "Sign in with your organization" }).click();
    await other.getByRole("button", { name: "Signed in as ada@x.example" }).click();
    await other.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
  });

  test("the code of an invite goes to the issuer, and to no one else", async () => {
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url().replace(/#.*/, "")));
    const invite = new URLSearchParams({ invite_code: "the-code", organization: name });
    await page.goto(`${platform.url}/console#${invite}`);
    await page.getByText("You have an invite").waitFor();
    await page.getByRole("button", { name: "Sign in with your organization" }).click();
    await page.waitForSelector("input[name=login]");
    const withCode = sent.filter((url) => url.includes("the-code"));
    expect(withCode.map((url) => new URL(url).pathname)).toEqual(["/oauth/authorize"]);
    expect(await kept()).not.toContain("the-code");
  });

  test("says so if the issuer does not respond to the sign-out", long, async () => {
    await signIn();
    await page.route("**/oauth/revoke", (route) => route.abort());
    await page.getByRole("button", { name: "Signed in as ada@x.example" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("The issuer did not respond").waitFor();
    await expectAccessible(page);
  });

  test.each([
    ["a response that this tab did not ask for", "?code=x&state=y"],
    ["an error of the issuer", "?error=access_denied&error_description=No"],
  ])("does not begin with %s", long, async (_, query) => {
    await page.goto(`${platform.url}/console/signed-in${query}`);
    await page.getByText("This tab has no such sign-in in progress").waitFor();
    expect(new URL(page.url()).search).toBe("");
    await expectAccessible(page);
  });
});
