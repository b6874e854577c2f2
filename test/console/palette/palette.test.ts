/** The search in the bar: one field for pages, resources, guides and operations. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createResource, newIdentity, newOrganization, randomName } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, expectAccessible, newProfile, openConsole } from "../chromium.ts";

describeInChromium("the command palette", () => {
  test("it finds a repository and a tag by the keyboard alone, and goes there", async () => {
    const { owner, uid } = await newOrganization();
    const name = randomName("repo");
    const repo = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name });
    const digest = `sha256:${"a".repeat(64)}`;
    await createResource(`/registry/v2/tags/${repo.uid}`, owner.token, { name: "3.12", digest });
    const visit = { as: owner.uid, path: "/console/repositories" };
    const { page } = await openConsole(visit);
    await page.keyboard.press("Control+k");
    const field = page.getByRole("dialog").getByRole("combobox");
    await field.fill(`${name}:3`);
    await page.getByRole("option", { name: `${name}:3.12` }).waitFor();
    await field.fill(name.slice(0, -2));
    await page.getByRole("option", { name: `${name} Repository` }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/repositories/${repo.uid}`);
  });

  test("it finds sections of guides, operations and vulnerabilities, and Escape closes it", async () => {
    const { owner } = await newOrganization();
    const { page } = await openConsole({ as: owner.uid, path: "/console" });
    await page.getByRole("button", { name: /^Search or go to/ }).click();
    const field = page.getByRole("dialog").getByRole("combobox");
    await field.fill("page token");
    await page.getByRole("option", { name: /Page token.*Glossary/ }).waitFor();
    await field.fill("ListTagMoves");
    await page.getByRole("option", { name: /GET \/registry\/v2\/tagMoves/ }).waitFor();
    await expectAccessible(page);
    await field.fill("cve-2024-24680");
    await page.getByRole("option", { name: "CVE-2024-24680 Vulnerability" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("it opens the dialogs that create something, for those who may", async () => {
    const organization = await newOrganization();
    const { owner, uid } = organization;
    const find = async (page: Page, text: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").fill(text);
    };
    const visit = { as: owner.uid, path: `/console?group=${uid}` };
    const { page } = await openConsole(visit);
    await find(page, "give acc");
    await page.getByRole("option", { name: "Give access Action" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: /^Give access on/ }).waitFor();
    const address = page.url();
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => !url.searchParams.has("new"));
    await page.goto(address);
    await page.getByRole("dialog", { name: /^Give access on/ }).waitFor();

    const viewer = await newIdentity(organization, "viewer");
    const seen = await openConsole({ as: viewer.uid, path: new URL(address).pathname });
    await seen.page.goto(address);
    await seen.page.getByRole("button", { name: "Give access" }).waitFor();
    await find(seen.page, "groups and");
    await seen.page.getByRole("option", { name: /^Groups and access/ }).waitFor();
    await seen.page.getByRole("dialog").getByRole("combobox").fill("give acc");
    await seen.page.getByRole("option", { name: /Guide/ }).first().waitFor();
    expect(await seen.page.getByRole("option", { name: /Action$/ }).count()).toBe(0);
  });

  test("the guides have the same search, without a sign-in", long, async () => {
    const context = await newProfile();
    const page = await context.newPage();
    await page.goto(`${baseUrl()}/docs/start`);
    await page.getByRole("button", { name: /Search/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("clean-up and cost");
    await page
      .getByRole("option", { name: /Clean-up and cost/ })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/clean-up-and-cost/);
    await context.close();
  });
});
