/** A newcomer reads the reference and calls the platform from it, in a real browser. */
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { describeInChromium, newProfile } from "../console/chromium.ts";
import { createResource, newOrganization, randomName } from "../world/personas.ts";
import { baseUrl } from "../world/platform.ts";

describeInChromium("the reference and the guides", () => {
  let page: Page;
  /** Problems of a page: a request to another host, a violation of its policy, an error. */
  let faults: string[];

  beforeEach(() => {
    faults = [];
  });

  /** A page in a browser with a new profile. */
  async function newPage(): Promise<Page> {
    const context = await newProfile({ viewport: { width: 1280, height: 800 } });
    await context.route(
      (url) => url.protocol.startsWith("http") && url.origin !== baseUrl(),
      (route) => {
        faults.push(`asks ${route.request().url()}`);
        return route.abort();
      },
    );
    const opened = await context.newPage();
    // A violation of the Content-Security-Policy is reported here, too.
    opened.on("console", (line) => line.type() === "error" && faults.push(line.text()));
    opened.on("pageerror", (error) => faults.push(error.message));
    return opened;
  }

  const operation = () => page.locator("#operations-Repos-listRepos");

  /** Sends the call that the page shows. Returns the request and the response. */
  async function send() {
    const answered = page.waitForResponse(/\/registry\/v2\/repos(\?|$)/);
    await operation().getByRole("button", { name: "Execute" }).click();
    const response = await answered;
    return { response, headers: await response.request().allHeaders() };
  }

  // The reference takes five seconds of processor time to draw: once for both, and once again after a reload.
  describe("on one page of the reference", () => {
    beforeAll(async () => {
      page = await newPage();
      return () => page.context().close();
    });

    test("a call without a token shows the error that it returned", async () => {
      await page.goto(`${baseUrl()}/docs#/Repos/listRepos`);
      await operation().getByText("repo.list").first().waitFor();
      const belowBar = async () => {
        const [bar, shown] = [page.locator(".site-bar"), operation()];
        const [above, below] = [await bar.boundingBox(), await shown.boundingBox()];
        return above && below && Math.round(below.y - above.height);
      };
      await expect.poll(belowBar).toBe(8);
      const { response } = await send();
      expect(response.status()).toBe(401);
      // Only the size of the page is sent. The examples of the filters are not.
      expect(new URL(response.url()).search).toBe("?pageSize=50");
      await operation().locator(".live-responses-table").getByText('"code"').first().waitFor();
      // The browser itself reports every 401.
      expect(faults.filter((fault) => !fault.includes("401"))).toEqual([]);
    });

    test("an operation can be found and called with a pasted token, and its rows are shown", async () => {
      const organization = await newOrganization();
      const { token } = organization.owner;
      const name = randomName("repo");
      await createResource(`/registry/v2/repos/${organization.uid}`, token, { name });

      // The page stays where it has the reference already.
      await page.goto(`${baseUrl()}/docs#`);
      await page.locator("#operations-tag-Repos").click();
      await operation().waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "Authorize" }).first().click();
      const dialog = page.locator(".dialog-ux");
      await dialog.locator("#auth-bearer-value").first().fill(token);
      await dialog.getByRole("button", { name: "Apply credentials" }).first().click();
      await dialog.getByRole("button", { name: "Close" }).first().click();
      await page.getByRole("button", { name: /^Search or go to/ }).click();
      await page.getByRole("combobox", { name: /^Go to a page/ }).fill("list repos");
      await page.getByRole("option").filter({ hasText: "GET /registry/v2/repos" }).first().click();
      await operation().getByText("repo.list").first().waitFor();

      const { response, headers } = await send();
      expect([response.status(), new URL(response.url()).origin]).toEqual([200, baseUrl()]);
      expect(headers.authorization).toBe(`Bearer ${token}`);
      await operation().locator(".live-responses-table").getByText(`"${name}"`).waitFor();

      const isDark = () => page.evaluate(() => document.documentElement.matches(".dark-mode"));
      expect(await isDark()).toBe(false);
      await page.emulateMedia({ colorScheme: "dark" });
      await expect.poll(isDark).toBe(true);

      // The token is still there after a reload, for the next call.
      await page.reload();
      const again = await send();
      expect([again.response.status(), again.headers.authorization]).toEqual([
        200,
        `Bearer ${token}`,
      ]);
      expect(faults).toEqual([]);
    });
  });

  describe("on a new page", () => {
    beforeEach(async () => {
      page = await newPage();
      return () => page.context().close();
    });

    test("a guide can be read, its code copied, and a link followed to another", async () => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      // The link is there before the reference is drawn.
      await page.goto(`${baseUrl()}/docs`, { waitUntil: "commit" });
      await page.getByRole("link", { name: "Guides" }).click();
      await page.getByRole("heading", { level: 1, name: "Get started" }).waitFor();
      await page
        .getByRole("navigation", { name: "Guides" })
        .getByText("Read a list page by page")
        .click();
      await page.getByRole("heading", { level: 1, name: "Read a list page by page" }).waitFor();

      const code = page.locator(".code").first();
      await code.hover();
      await code.getByRole("button", { name: "Copy" }).click();
      await code.getByRole("button", { name: "Copied" }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toBe(await code.locator("code").textContent());

      await page.locator("article a[href^='/docs/']").first().click();
      await page.waitForURL(/\/docs\/(?!paging)/);
      await page.locator("article h1").waitFor();
      expect(faults).toEqual([]);
    });

    test("the keyboard can skip the bar and the menu of a guide at once", async () => {
      await page.goto(`${baseUrl()}/docs/paging`);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.closest("main")?.id)).toBe("text");
      expect(faults).toEqual([]);
    });

    test("on a phone, a guide is as wide as the screen and its menu opens", async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(`${baseUrl()}/docs/migrating`);
      const excess = () =>
        page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(await excess()).toBeLessThanOrEqual(0);
      await page.locator("summary").click();
      await page.locator(".menu").getByText("Errors").click();
      await page.getByRole("heading", { level: 1, name: "Errors" }).waitFor();
      await page.waitForLoadState("load");
      expect(await excess()).toBeLessThanOrEqual(0);
      expect(faults).toEqual([]);
    });
  });
});
