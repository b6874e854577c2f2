/** An image whose builder chose hostile names, and all views of it with a keyboard, a screen reader and small windows. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { matchOf } from "../../registry/vuln_reports/grype_reports.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { describeInChromium, expectAccessible, launch, openConsole } from "../chromium.ts";
import { expectOnlyText, hostileTexts } from "../hostile_texts.ts";
import {
  attach,
  newPushedRepo,
  type PushedRepo,
  pushImage,
  pushIndex,
  storeReport,
  storeSbom,
} from "../scanned_images.ts";

const views = ["", "layers", "packages", "vulnerabilities", "tags", "attachments"];
const [markup, , , long] = hostileTexts;

describeInChromium("a hostile image in the console", () => {
  let browser: Browser;
  let organization: Organization;
  let repo: PushedRepo;
  let image: { digest: string; text: string };
  beforeAll(async () => {
    browser = await launch();
    organization = await newOrganization();
    repo = await newPushedRepo(organization);
    const labels = Object.fromEntries(hostileTexts.map((text, at) => [`${at}${text}`, text]));
    image = await pushImage(repo, {
      settings: {
        ...{ User: markup, WorkingDir: long, Entrypoint: hostileTexts, Labels: labels },
        Env: hostileTexts.map((text, at) => `NAME${at}=${text}`),
      },
      lines: [...hostileTexts],
    });
    await pushIndex(repo, { amd64: image }, "latest");
    await attach(repo, image, "application/vnd.example.note", { by: markup });
    await storeSbom(
      repo,
      image.digest,
      hostileTexts.map((text) => ({
        ...{ type: "library", name: text, version: text.slice(0, 500) },
        licenses: [{ license: { name: text } }],
      })),
    );
    await storeReport(
      repo,
      image.digest,
      hostileTexts.map((text, at) =>
        matchOf(`CVE-2026-100${at}`, "High", {
          artifact: { name: text.slice(0, 5000), version: text.slice(0, 500) },
          fix: { versions: [text.slice(0, 500)], state: "fixed" },
        }),
      ),
    );
  });
  afterAll(() => browser?.close());

  const open = (theme: "light" | "dark", width: number) =>
    openConsole(browser, {
      ...{ as: organization.owner.uid, theme, width },
      path: `/console/images/${repo.uid}@${image.digest}`,
    });

  test.each([
    ["light", 1280, views],
    ["dark", 1280, ["", "vulnerabilities"]],
    ["light", 390, views],
  ] as const)("changes only the text of the page, %s at %d px", async (theme, width, shown) => {
    const { page, faults, close } = await open(theme, width);
    const links = page.getByRole("navigation", { name: "Views of the image" }).getByRole("link");
    for (const view of shown) {
      await links.nth(views.indexOf(view)).click();
      await page.waitForFunction(() => document.querySelector("main .loading, main .bar") === null);
      await expectOnlyText(page);
      if (width > 390 || view !== "tags") await expectAccessible(page);
    }
    expect(faults).toEqual([]);
    await close();
  });

  test("with thousands of labels shows some of them, and all of them on demand", async () => {
    const labels = Array.from({ length: 2_000 }, (_, at) => [`label-${at}`, "x"]);
    const many = await pushImage(repo, { settings: { Labels: Object.fromEntries(labels) } });
    const { page, faults, close } = await openConsole(browser, {
      as: organization.owner.uid,
      path: `/console/images/${repo.uid}@${many.digest}`,
    });
    const shown = page.locator('dl[aria-label="Labels"] dt');
    await shown.first().waitFor();
    expect(await shown.count()).toBe(200);
    await page.getByRole("button", { name: "Show all 2,000 lines" }).click();
    await expect.poll(() => shown.count()).toBe(2_000);
    expect(faults).toEqual([]);
    await close();
  });
});
