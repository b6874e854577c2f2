/** Legal documents that a call requires, in the error of that call. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newIdentity, newOrganization } from "../../world/personas.ts";
import { callRest, vendor } from "../../world/platform.ts";
import { describeInChromium, expectAccessible, launch, openConsole } from "../chromium.ts";

const refusal = {
  code: 9,
  message: "Precondition failed: terms not accepted",
  details: [
    {
      "@type": `type.googleapis.com/${vendor}.platform.iam.v2.TermsNotAcceptedDetail`,
      missing: [
        { id: "sfdpa.v1", label: "Data Privacy Agreement", url: "https://example.com/dpa" },
        { id: "skills-tos.v1", label: "Terms", url: "javascript:alert(1)" },
      ],
    },
  ],
};

/** Refuses the list of invites until the organization has accepted the document, as the setting TERMS would. */
async function requireTerms(page: Page, uid: string, token: string): Promise<void> {
  await page.route("**/iam/v2/groupInvites?**", async (route) => {
    const { body } = await callRest(`/iam/v2/terms/${uid}`, { token });
    const isAccepted = JSON.stringify(body).includes("sfdpa.v1");
    return isAccepted ? route.continue() : route.fulfill({ status: 400, json: refusal });
  });
}

describeInChromium("missing terms in the console", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test("an owner accepts the documents, and the call is repeated", async () => {
    const { uid, name, owner } = await newOrganization();
    const path = `/console/repositories?group=${uid}`;
    const { page, faults, close } = await openConsole(browser, { as: owner.uid, path });
    await requireTerms(page, uid, owner.token);
    await page.getByRole("link", { name: "Invites" }).click();
    const link = page.getByRole("link", { name: "Data Privacy Agreement" });
    await expect.poll(() => link.getAttribute("href")).toBe("https://example.com/dpa");
    expect(await page.getByRole("link", { name: "Terms" }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole("button", { name: `Accept for ${name}` }).click();
    await page.getByText("There are no invites here").waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("someone who may not accept them sees why", async () => {
    const organization = await newOrganization();
    const { uid, owner } = organization;
    const viewer = await newIdentity(organization, "viewer");
    const path = `/console/repositories?group=${uid}`;
    const visit = { as: viewer.uid, path, theme: "dark" } as const;
    const { page, close } = await openConsole(browser, visit);
    await requireTerms(page, uid, owner.token);
    await page.getByRole("link", { name: "Invites" }).click();
    const button = page.getByRole("button", { name: /^Accept for/ });
    await button.and(page.locator('[aria-disabled="true"]')).waitFor();
    await button.focus();
    await page.getByText("You need the terms.accept capability").waitFor();
    await expectAccessible(page);
    await close();
  });
});
