/** People log in with the real command line, a real browser, a real OpenID provider and a real platform. */

import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { describeInChromium, newProfile } from "../console/chromium.ts";
import { type OpenidProvider, startProvider } from "../issuer/login/openid_provider.ts";
import { randomName, randomUid } from "../world/personas.ts";
import { type OwnPlatform, startOwnPlatform } from "./own_platform.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A program that runs until the end of the test. */
interface Running {
  child: ChildProcess;
  out(): string;
  err(): string;
  ended: Promise<number | null>;
}

describeInChromium("a login with the command line", () => {
  let platform: OwnPlatform;
  let provider: OpenidProvider;
  let page: Page;
  let env: NodeJS.ProcessEnv;
  let organization = "";
  let name = "";
  let folder = "";

  beforeAll(async () => {
    platform = await startOwnPlatform();
    provider = await startProvider({ callback: `${platform.url}/oauth/callback` });
  });

  afterAll(async () => {
    provider?.close();
    await platform?.close();
  });

  beforeEach(async () => {
    page = await (await newProfile()).newPage();
    folder = await mkdtemp(join(tmpdir(), "login-journey-"));
    organization = randomUid();
    name = randomName("company");
    const opener = join(folder, "browser.sh");
    // The addresses that the program would open, for the test to open in Chromium.
    await writeFile(
      opener,
      `#!/bin/sh\nprintf '%s' "$1" > "${folder}/opened.tmp"\nmv "${folder}/opened.tmp" "${folder}/opened"\n`,
    );
    await chmod(opener, 0o755);
    env = {
      PATH: process.env.PATH,
      PLATFORM_STATE: "/nowhere",
      XDG_CONFIG_HOME: folder,
      PLATFORM_URL: platform.url,
      BROWSER: opener,
    };
    await platform.sql(
      `insert into groups (uid, name, verified, create_time, update_time) values (?, ?, 1, 1, 1)`,
      organization,
      name,
    );
    const [viewer] = await platform.sql("select uid from roles where name = 'viewer'");
    await platform.sql(
      `insert into identity_providers (uid, name, default_role, issuer, client_id, pkce_enabled,
         additional_scopes, create_time, update_time)
       values (?, 'people', ?, ?, 'public', 1, '["email","profile"]', 1, 1)`,
      `${organization}/${randomUid().slice(0, 16)}`,
      viewer?.uid,
      provider.url,
    );
    return () => page.context().close();
  });

  function platformctl(...args: string[]): Running {
    const child = spawn(process.execPath, [join(root, "cli/platformctl.js"), ...args], { env });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    return { child, ended, out: () => out, err: () => err };
  }

  async function until<T>(read: () => Promise<T | undefined> | T | undefined): Promise<T> {
    for (let tries = 0; tries < 300; tries += 1) {
      const found = await read();
      if (found !== undefined) return found;
      await pause(100);
    }
    throw new Error("it did not come");
  }

  const opened = () => until(() => readFile(join(folder, "opened"), "utf8").catch(() => undefined));

  async function signIn(account: string): Promise<void> {
    await page.fill("input[name=login]", account);
    await page.click("button[name=go]");
  }

  const credentials = async () => {
    const file = join(folder, "platform", "credentials.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    return JSON.parse(await readFile(file, "utf8")).logins[platform.url];
  };

  async function whoami(): Promise<Record<string, never>> {
    const asked = platformctl("whoami", "--json");
    expect([await asked.ended, asked.err()]).toEqual([0, ""]);
    return JSON.parse(asked.out());
  }

  test("a login opens the browser, and is renewed with its refresh token", async () => {
    const account = randomName("ada");
    provider.accounts.set(account, { name: "Ada", email: "ada@x.example", email_verified: true });
    const login = platformctl("auth", "login", "--org", name);
    await page.goto(await opened());
    await signIn(account);
    await page.getByText("You are signed in").waitFor();
    expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/done$/);
    expect([await login.ended, login.out()]).toEqual([0, expect.stringContaining("Logged in to")]);
    const kept = await credentials();
    expect(Date.parse(kept.refreshExpiry) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    expect(await whoami()).toMatchObject({
      identity: { name: "ada" },
      roles: [{ group: { uid: organization }, role: { name: "viewer" } }],
    });

    // An hour later, several commands at once renew it, and none of them ends the login.
    const file = join(folder, "platform", "credentials.json");
    const old = (await readFile(file, "utf8")).replace(kept.expiry, "2020-01-01T00:00:00.000Z");
    await writeFile(file, old);
    const all = [1, 2, 3].map(() => platformctl("auth", "token"));
    expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0]);
    const renewed = await credentials();
    expect(renewed.refreshToken).not.toBe(kept.refreshToken);
    await whoami();

    const logout = platformctl("auth", "logout");
    expect([await logout.ended, logout.err()]).toEqual([0, ""]);
    const [row] = await platform.sql(
      "select count(*) as living from refresh_tokens where revoke_time is null and identity_uid = ?",
      JSON.parse(atob(renewed.token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))).sub,
    );
    expect(row).toEqual({ living: 0 });
    const gone = platformctl("whoami");
    expect([await gone.ended, gone.err()]).toEqual([
      1,
      expect.stringContaining("You are not logged in"),
    ]);
  });

  test("a rejection by the person is shown by the program", async () => {
    const login = platformctl("auth", "login", "--org", name);
    await page.goto(await opened());
    await page.click("button[name=cancel]");
    await page.getByText("The login failed").waitFor();
    expect([await login.ended, login.err()]).toEqual([1, expect.stringContaining("access_denied")]);
  });

  test("another page cannot send its own token to the program", async () => {
    const login = platformctl("auth", "login", "--org", name, "--no-browser");
    const address = await until(() => /http\S+oauth\S+/.exec(login.err())?.[0]);
    const redirect = new URL(new URL(address).searchParams.get("redirect") ?? "");
    const evil = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<script>location = "${redirect.origin}/callback?token=forged"</script>`);
    }).listen(0, "127.0.0.1");
    await until(() => (evil.listening ? true : undefined));
    const forged = page.waitForResponse(/forged/);
    await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
    expect((await forged).status()).toBe(404);
    evil.close();
    await page.goto(address);
    await signIn(randomName("ada"));
    await page.getByText("You are signed in").waitFor();
    expect(await login.ended).toBe(0);
    expect((await credentials()).token).not.toBe("forged");
  });

  test("a program without a browser can log in with a browser elsewhere", async () => {
    const login = platformctl("auth", "login", "--org", name, "--headless");
    const address = await until(() => /http\S+oauth\S+/.exec(login.err())?.[0]);
    const code = await until(() => /[0-9a-z]{4}-[0-9a-z]{4}$/m.exec(login.err().trimEnd())?.[0]);
    await page.goto(address);
    expect(await page.textContent("code")).toBe(code);
    await page.click("button");
    await page.waitForURL(/interaction/);
    await signIn(randomName("ada"));
    await page.getByText("You are signed in as").waitFor();
    expect([await login.ended, login.out()]).toEqual([0, expect.stringContaining("Logged in to")]);
    const kept = await credentials();
    expect(kept).not.toHaveProperty("refreshToken");
    expect((await whoami()).roles).toMatchObject([{ role: { name: "viewer" } }]);
  });

  test("a program without a browser shows a code, which a person types and approves", async () => {
    env = { ...env, BROWSER: "", SSH_CONNECTION: "203.0.113.7 1 203.0.113.8 22" };
    const login = platformctl("auth", "login", "--org", name);
    const code = await until(() => /^ {2}([A-Z]{4}-[A-Z]{4})$/m.exec(login.err())?.[1]);
    const address = await until(() => /http\S+oauth\S+/.exec(login.err())?.[0]);
    expect(address).toBe(`${platform.url}/oauth/device`);
    await page.goto(address);
    await page.fill("input[name=user_code]", code.toLowerCase());
    await page.click("button");
    await page.getByText("“platformctl”").waitFor();
    expect(await page.inputValue("input[name=idp_id]")).toBe(name);
    await page.click("button:not(.plain)");
    await page.waitForURL(/interaction/);
    await signIn(randomName("ada"));
    await page.getByText("Let this program act as you?").waitFor();
    await page.click("button[value=approve]");
    await page.getByText("You are signed in as").waitFor();
    expect([await login.ended, login.out()]).toEqual([0, expect.stringContaining("Logged in to")]);
    expect(await credentials()).not.toHaveProperty("refreshToken");
    expect((await whoami()).roles).toMatchObject([{ role: { name: "viewer" } }]);
    const helper = platformctl("auth", "token", "--audience", "registry");
    expect([await helper.ended, helper.err()]).toEqual([0, ""]);
  });

  test("markup in names is shown as text", async () => {
    const account = randomName("eve");
    const email = `"><img src=x onerror="document.title='run'">@x.example`;
    provider.accounts.set(account, { email, email_verified: true });
    await page.goto(`${platform.url}/oauth?idp_id=${name}`);
    await signIn(account);
    await page.getByText("You are signed in as").waitFor();
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toBe("Signed in");
  });
});
