/** Legal documents that a call requires, in the error of that call. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { newIdentity, newOrganization } from "../../world/personas.ts";
import { callRest, vendor } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

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
  test("an owner accepts the documents, and the call is repeated", async () => {
    const { uid, name, owner } = await newOrganization();
    const path = `/console/repositories?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await requireTerms(page, uid, owner.token);
    await page.getByRole("link", { name: "Invites" }).click();
    const link = page.getByRole("link", { name: "Data Privacy Agreement" });
    await expect.poll(() => link.getAttribute("href")).toBe("https://example.com/dpa");
    expect(await page.getByRole("link", { name: "Terms" }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole("button", { name: `Accept for ${name}` }).click();
    await page.getByText("There are no invites here").waitFor();
  });

  test("someone who may not accept them sees why", long, async () => {
    const organization = await newOrganization();
    const { uid, owner } = organization;
    const viewer = await newIdentity(organization, "viewer");
    const path = `/console/repositories?group=${uid}`;
    const visit = { as: viewer.uid, path, theme: "dark" } as const;
    const { page } = await openConsole(visit);
    await requireTerms(page, uid, owner.token);
    await page.getByRole("link", { name: "Invites" }).click();
    const button = page.getByRole("button", { name: /^Accept for/ });
    await button.and(page.locator('[aria-disabled="true"]')).waitFor();
    await button.focus();
    await page.getByText("You need the terms.accept capability").waitFor();
    await expectAccessible(page);
  });
});
