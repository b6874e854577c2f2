/** Repositories in the console, as a person uses them. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createResource, newOrganization, randomName } from "../../world/personas.ts";
import { describeInChromium, expectAccessible, launch, openConsole } from "../chromium.ts";

describeInChromium("repositories in the console", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test("the owner creates a repository, and the list then contains it", async () => {
    const { owner, uid } = await newOrganization();
    const path = `/console/repositories?group=${uid}`;
    const { page, faults, close } = await openConsole(browser, { as: owner.uid, path });
    await page.getByText("There are no repositories here yet").waitFor();
    await page.getByRole("button", { name: "New repository" }).click();
    const name = randomName("repo");
    await page.getByLabel("Name").fill("Not A Name");
    await page.getByRole("button", { name: "Create" }).click();
    await page.locator(".field-error").waitFor();
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await page.getByRole("link", { name: "Repositories" }).first().click();
    await page.getByRole("link", { name, exact: true }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test.each(["light", "dark"] as const)("the list is accessible in the %s theme", async (theme) => {
    const { owner, uid } = await newOrganization();
    await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: randomName("repo") });
    const path = `/console/repositories?group=${uid}`;
    const { page, close } = await openConsole(browser, { as: owner.uid, path, theme });
    await page.getByRole("table").waitFor();
    await expectAccessible(page);
    await close();
  });
});
