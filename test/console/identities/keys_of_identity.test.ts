/** The keys of an identity in the console: created, shown once and deleted. */
import { expect, test } from "vitest";
import { newIdentity, newOrganization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

describeInChromium("the keys of an identity", () => {
  test("are created with limits, shown once, and deleted", async () => {
    const org = await newOrganization();
    const { uid } = await newIdentity(org, "registry.pull");
    const path = `/console/identities/${uid}?view=keys`;
    const { page } = await openConsole({ as: org.owner.uid, path });
    await page.getByText("A key is a password that can leak").waitFor();
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name").fill("old-build-server");
    await page.getByLabel("Networks").fill("192.0.2.1/24");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("without bits after its length").waitFor();
    await page.getByLabel("Networks").fill("192.0.2.0/24 2001:db8::/32");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("The platform does not show it again").waitFor();
    const shown = await page.getByRole("dialog").innerText();
    expect(shown).toMatch(/[a-z]{2}key_[0-9A-Za-z]{49}/);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("192.0.2.0/24, 2001:db8::/32").waitFor();
    const listed = await callRest(`/iam/v2/keys?uidp.children_of=${uid}`, {
      token: org.owner.token,
    });
    expect(listed.body.keys).toMatchObject([{ name: "old-build-server", actions: ["pull"] }]);
    await page.getByRole("button", { name: "Delete" }).nth(1).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No keys").waitFor();
  });
});
