import { expect, test } from "vitest";
import { createResource, newIdentity, newOrganization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

describeInChromium("account associations in the console", () => {
  test("an owner links accounts, changes the links, undoes that, and deletes them", async () => {
    const { uid, name, owner } = await newOrganization();
    const path = `/console/account-associations?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    const read = async () =>
      (await callRest(`/iam/v2/accountAssociations/${uid}`, { token: owner.token })).body;
    await page.getByText("No group here is linked to accounts").waitFor();
    await page.getByRole("button", { name: "Link accounts" }).click();
    await page.getByLabel("Name", { exact: true }).fill("clouds");
    await page.getByLabel("Link AWS").check();
    await page.getByLabel("Account number").fill("12");
    await page.getByLabel("Link GitHub").check();
    await page.getByRole("button", { name: "Add installation" }).click();
    await page.getByLabel("App id").fill("7");
    await page.getByLabel("Installation id").fill("9");
    await page.getByLabel("Account", { exact: true }).fill("acme");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Link", exact: true }).click();
    await page.locator(".field-error").waitFor();
    await page.getByLabel("Account number").fill("123456789012");
    await page.getByRole("button", { name: "Link", exact: true }).click();
    await page.getByRole("heading", { name: `Accounts of ${name}`, level: 1 }).waitFor();
    const linked = {
      amazon: { account: "123456789012" },
      github: {
        appInstallations: { 7: { installations: [{ installationId: "9", name: "acme" }] } },
      },
    };
    expect(await read()).toMatchObject(linked);

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Link AWS").uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("region", { name: "AWS" }).waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "GitHub" }).waitFor();
    expect((await read()).amazon).toBeUndefined();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("region", { name: "AWS" }).waitFor();
    expect(await read()).toMatchObject(linked);

    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("This group is not linked to accounts").waitFor();
  });

  test("a check explains a link that works, one that does not, and an error", async () => {
    const organization = await newOrganization();
    const { uid, owner } = organization;
    await createResource(`/iam/v2/accountAssociations/${uid}`, owner.token, {
      ...{ name: "clouds", amazon: { account: "123456789012" } },
    });
    const viewer = await newIdentity(organization, "viewer");
    const path = `/console/account-associations/${uid}`;
    const { page } = await openConsole({
      ...{ as: viewer.uid, path, theme: "dark", width: 390 },
    });
    // The tests reach no cloud, so the responses of the platform are fixed here.
    const answers = [
      {
        json: {
          status: "CHECK_STATUS_NOT_READY",
          reason: "exchange failed",
          message: "<b>No.</b>",
        },
      },
      { status: 400, json: { code: 13, message: "It is down.", details: [] } },
      { json: { status: "CHECK_STATUS_READY" } },
    ];
    await page.route("**/*:checkAccountAssociation", (route) => route.fulfill(answers.shift()));
    await page.getByRole("button", { name: "Check the link" }).click();
    await page.getByText("Reason: <b>No.</b>").waitFor();
    await page.getByText(uid, { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByText("It is down.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("accepted a token of the platform").waitFor();
    await page.getByText("You need the account_associations.delete capability").waitFor({
      state: "attached",
    });
  });
});
