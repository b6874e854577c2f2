/** Vulnerabilities with hostile names and texts, in all views, and the states without data. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { matchOf } from "../../registry/vuln_reports/grype_reports.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { describeInChromium, expectAccessible, launch, openConsole } from "../chromium.ts";
import { expectOnlyText, hostileTexts } from "../hostile_texts.ts";
import { importOsv, newPushedRepo, pushImage, storeReport, storeSbom } from "../scanned_images.ts";

const views = ["", "?view=packages&package=hostile", "?view=advisories", "/CVE-2026-1"];

describeInChromium("hostile vulnerabilities in the console", () => {
  let browser: Browser;
  let organization: Organization;
  beforeAll(async () => {
    browser = await launch();
    organization = await newOrganization();
    const repo = await newPushedRepo(organization);
    for (const text of hostileTexts) {
      const image = await pushImage(repo, { lines: [text.slice(0, 50)] });
      const artifact = { name: text.slice(0, 500), version: text.slice(0, 500) };
      const fix = { versions: [text.slice(0, 500)], state: "fixed" };
      await storeReport(repo, image.digest, [matchOf("CVE-2026-1", "Critical", { artifact, fix })]);
      await storeSbom(repo, image.digest, [
        { type: "library", name: "hostile", version: text.slice(0, 500) },
      ]);
    }
    await importOsv(
      organization,
      hostileTexts.map((text, at) => ({
        ...{ id: `EX-${at}`, aliases: ["CVE-2026-1"], modified: "2026-01-01T00:00:00Z" },
        ...{ summary: text.slice(0, 200), details: `${text} ${hostileTexts[3]}` },
        references: [
          { type: "WEB", url: "javascript:alert(1)" },
          { type: "WEB", url: `https://example.com/${"a".repeat(1500)}` },
        ],
        affected: [{ package: { ecosystem: "PyPI", name: text.slice(0, 200) } }],
      })),
    );
  });
  afterAll(() => browser?.close());

  test.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
  ] as const)("change only the text of the pages, %s at %d px", async (theme, width) => {
    const base = "/console/vulnerabilities";
    const { page, faults, close } = await openConsole(browser, {
      ...{ as: organization.owner.uid, path: base, theme, width },
    });
    for (const view of views) {
      await page.evaluate((to) => history.pushState(null, "", to), `${base}${view}`);
      await page.getByRole("row").nth(1).waitFor();
      await page.waitForFunction(() => document.querySelector("main .loading, main .bar") === null);
      if (view.startsWith("/")) await page.locator("main details summary").first().click();
      await expectOnlyText(page);
      await expectAccessible(page);
    }
    await page.getByRole("button", { name: /^Show all [12]0,\d+ characters$/ }).click();
    await expectOnlyText(page);
    expect(await page.locator('main a[href^="javascript"]').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  test("an error of the platform offers another try, and an unknown id says what was searched", async () => {
    const path = "/console/vulnerabilities?view=advisories";
    const { page, faults, close } = await openConsole(browser, {
      ...{ as: organization.owner.uid, path },
    });
    await page.getByText("4 advisories").waitFor();
    await page.route("**/registry/v2/findings?**", (route) =>
      route.fulfill({
        status: 503,
        json: { code: 14, message: "the database is not available", details: [] },
        headers: { "x-request-id": "request-9" },
      }),
    );
    await page.getByRole("link", { name: "In images" }).click();
    await page.getByText("the database is not available").waitFor();
    await page.getByText("request-9").waitFor();
    await page.unroute("**/registry/v2/findings?**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("row", { name: /CVE-2026-1/ }).waitFor();
    for (const id of ["CVE-1999-9999", "%3Cimg%20src=x%3E", "a".repeat(5000)]) {
      const to = `/console/vulnerabilities/${id}`;
      await page.evaluate((address) => history.pushState(null, "", address), to);
      await page.getByText(/^(Nothing here is known|This is not the id)/).waitFor();
      await expectOnlyText(page);
    }
    expect(faults).toEqual([]);
    await close();
  });
});
