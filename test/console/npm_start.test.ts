/**
 * Every page of the console with `npm start` and its sample data, as a newcomer sees it.
 * @module-tag long
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sections } from "../../console/frame/sections.ts";
import { listenOnNewPort } from "../world/new_port.ts";
import { tiers } from "../world/tiers.ts";
import { describeInChromium, expectAccessible, faultsOf, launch } from "./chromium.ts";
import { expectPicture } from "./screenshots.ts";

const root = join(import.meta.dirname, "../..");
const places = sections.flatMap(({ places }) => places);

type Look = { theme: "light" | "dark"; width: number };

const looks: Look[] = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 1280 },
  { theme: "light", width: 390 },
];

/** Every page in every look. */
const shown = looks.flatMap((look) =>
  places.map(({ title, address }) => ({ ...look, title, address: address() })),
);

const fileName = (title: string) => title.toLowerCase().replaceAll(" ", "-");

describeInChromium("with npm start", () => {
  let folder: string;
  let platform: ChildProcess;
  let browser: Browser;
  let origin = "";

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "platform-console-"));
    const server = createServer();
    const port = await listenOnNewPort(server);
    await new Promise((done) => server.close(done));
    origin = `http://localhost:${port}`;
    const args = ["cli/start.ts", "--port", `${port}`, "--state", folder];
    platform = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
    if (!platform.stdout) throw new Error("npm start has no output");
    for await (const line of createInterface(platform.stdout))
      if (line.startsWith("Reference")) break;
    browser = await launch();
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    platform.kill("SIGTERM");
    if (platform.exitCode === null) await once(platform, "exit");
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  /** A page that one click has signed in. */
  async function signedIn(theme: "light" | "dark", width: number) {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme: theme,
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const faults = faultsOf(page);
    await page.goto(`${origin}/`);
    await page.getByRole("button", { name: "Sign in as the owner of acme.example" }).click();
    // The page with the button has a heading too.
    await page.locator(".frame main h1").waitFor();
    return { context, page, faults };
  }

  const excess = (page: Page) =>
    page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

  /** Waits until nothing on the page is on its way. */
  const settled = async (page: Page) => {
    await page.waitForLoadState("networkidle");
    await expect
      .poll(() => page.locator(".loading, .cell .bar").count(), { timeout: 15_000 })
      .toBe(0);
  };

  /** One signed-in page for each look. */
  const pages = new Map<string, ReturnType<typeof signedIn>>();
  const pageIn = ({ theme, width }: Look) => {
    const key = `${theme} ${width}`;
    const opened = pages.get(key) ?? signedIn(theme, width);
    pages.set(key, opened);
    return opened;
  };

  for (const [rows, tier] of tiers(shown, ({ theme, width }) => `${theme} ${width}`))
    test.for(rows)(
      "$title is shown without a fault, fits, is accessible and looks as before, in the $theme theme and $width px wide",
      tier,
      async ({ title, address, ...look }) => {
        const { page, faults } = await pageIn(look);
        await page.goto(`${origin}/console${address}`);
        await page.locator("main#main h1").waitFor();
        await settled(page);
        expect(await excess(page)).toBeLessThanOrEqual(0);
        await expectAccessible(page);
        expect(faults).toEqual([]);
        // Documents of the sample image are read after its push, so the order of the events differs.
        const changing = title === "Event log" ? "[role=row]" : "";
        await expectPicture(page, `${fileName(title)}-${look.theme}-${look.width}`, changing);
      },
    );

  for (const [rows, tier] of tiers(looks, () => "any"))
    test.for(rows)(
      "at 2,560 px nothing is stretched beyond a readable width, in the $theme theme after $width px",
      tier,
      async (look) => {
        const { page } = await pageIn(look);
        await page.setViewportSize({ width: 2560, height: 1200 });
        await page.goto(`${origin}/console/repositories`);
        await settled(page);
        const box = await page.locator("main#main").boundingBox();
        expect(box?.width).toBeLessThan(1800);
        await page.setViewportSize({ width: look.width, height: 800 });
      },
    );

  test("without a network the page keeps what it shows, says so, and recovers", async () => {
    const { context, page } = await signedIn("light", 1280);
    await page.goto(`${origin}/console/repositories`);
    await page.getByRole("link", { name: "python" }).waitFor();
    await context.setOffline(true);
    await page.getByText("You are offline.").first().waitFor();
    await page.getByRole("link", { name: "python" }).waitFor();
    await page.getByRole("button", { name: "Name" }).click();
    await page.getByRole("alert").waitFor();
    await expectAccessible(page);
    await context.setOffline(false);
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "python" }).waitFor();
    await context.close();
  });

  test("a slow platform shows that rows are on their way", async () => {
    const { context, page } = await signedIn("light", 1280);
    let release = () => {};
    const gate = new Promise<void>((done) => {
      release = done;
    });
    await page.route("**/registry/v2/repos?*", async (route) => {
      await gate;
      await route.continue();
    });
    await page.goto(`${origin}/console/repositories`);
    await page.getByText("Loading Repositories…").waitFor({ state: "attached" });
    await expectAccessible(page);
    release();
    await page.getByRole("link", { name: "python" }).waitFor();
    await context.close();
  });

  test("an error of the platform shows its request id, and trying again helps", async () => {
    const { context, page } = await signedIn("light", 1280);
    await page.route("**/registry/v2/repos?*", (route) =>
      route.fulfill({
        status: 503,
        headers: { "x-request-id": "request-of-the-test" },
        json: { code: 14, message: "the database is not available", details: [] },
      }),
    );
    await page.goto(`${origin}/console/repositories`);
    await page.getByText("the database is not available").waitFor();
    await page.getByText("request-of-the-test").waitFor();
    await expectAccessible(page);
    await page.unroute("**/registry/v2/repos?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: "python" }).waitFor();
    await context.close();
  });

  test("one click opens acme.example, and a later visit the organization that was used last", async () => {
    const token = await fetch(`${origin}/console/local-owner`, {
      ...{ method: "POST", headers: { origin } },
    }).then(async (answer) => ((await answer.json()) as { access_token: string }).access_token);
    const created = await fetch(`${origin}/iam/v2/groups`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "a-first-one" }),
    });
    const { uid: first } = (await created.json()) as { uid: string };
    const { context, page } = await signedIn("light", 1280);
    const picker = page.getByLabel("Organization");
    const named = async () => (await picker.locator("option:checked").innerText()).trim();
    await expect.poll(named).toBe("acme.example");
    expect(await picker.locator("option").allInnerTexts()).toContain("a-first-one");
    await picker.selectOption(first);
    await expect.poll(() => new URL(page.url()).searchParams.get("group")).toBe(first);
    const later = await context.newPage();
    await later.goto(`${origin}/console`);
    await later.getByRole("button", { name: "Sign in as the owner of acme.example" }).click();
    await expect.poll(() => new URL(later.url()).searchParams.get("group")).toBe(first);
    const kept = await later.evaluate(() => ({ ...localStorage }));
    expect(kept).toEqual({ "console.place": first });
    await context.close();
  });

  test("the page to sign in shows the name of the command as code", async () => {
    const page = await browser.newPage();
    await page.goto(`${origin}/console`);
    await page.locator("code", { hasText: "npm start" }).waitFor();
    expect(await page.locator("body").innerText()).not.toContain("`");
    await page.close();
  });
});
