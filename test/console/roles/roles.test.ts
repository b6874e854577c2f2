import { expect, test } from "vitest";
import { createResource, newIdentity, newOrganization, roleUid } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import {
  describeInChromium,
  expectAccessible,
  expectNoOverflow,
  openConsole,
} from "../chromium.ts";

describeInChromium("roles in the console", () => {
  test("the owner creates a role, changes it with a preview, and deletes it once no one has it", async () => {
    const organization = await newOrganization();
    const { owner, uid } = organization;
    const path = `/console/roles?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await page.getByRole("row").filter({ hasText: "Built-in" }).first().waitFor();
    await page.getByRole("button", { name: "New role" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Not A Name");
    await page.getByLabel("Find a capability").fill("move existing tags");
    await page.getByRole("checkbox", { name: "tag.create" }).check();
    await page.getByRole("button", { name: "Create" }).click();
    await page.locator(".field-error").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("tagger");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "tagger", level: 1 }).waitFor();
    await page.getByText("Create tags, and move existing tags.").waitFor();

    const [role] = (await callRest("/iam/v2/roles?name=tagger", { token: owner.token })).body.roles;
    const bot = await newIdentity(organization, undefined);
    const body = { identityUid: bot.uid, roleUid: role.uid };
    const bound = await createResource(`/iam/v2/roleBindings/${uid}`, owner.token, body);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("checkbox", { name: "All of tags" }).check();
    await page.getByRole("checkbox", { name: "tag.create" }).uncheck();
    await page.getByRole("button", { name: "Review the change" }).click();
    const preview = page.getByLabel("Preview");
    await preview.getByText(/^bot-\w+ gains access, bot-\w+ loses access\.$/).waitFor();
    await preview.getByText("tag.delete").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved the role tagger.").waitFor();
    await page.getByRole("heading", { name: "tagger", exact: true, level: 1 }).waitFor();
    await page.getByText("tag.delete").waitFor();

    await page.getByRole("link", { name: "Who has it" }).click();
    await page.getByRole("row").filter({ hasText: /^bot-/ }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Someone still gets this role.").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await callRest(`/iam/v2/roleBindings/${bound.uid}`, { method: "DELETE", token: owner.token });
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByLabel("Preview").getByText("No one gains or loses access.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted the role tagger.").waitFor();
    await page.getByRole("row").filter({ hasText: "Built-in" }).first().waitFor();
    expect(await page.getByRole("link", { name: "tagger" }).count()).toBe(0);
  });

  test(
    "a viewer sees roles by kind and by name, and why they cannot change them",
    long,
    async () => {
      const organization = await newOrganization();
      const { owner, uid } = organization;
      const viewer = await newIdentity(organization, "viewer");
      const own = await createResource(`/iam/v2/roles/${uid}`, owner.token, {
        name: "own-role",
        capabilities: ["CAP_REPO_LIST"],
      });
      const path = `/console/roles?group=${uid}&kind=own`;
      const { page } = await openConsole({ as: viewer.uid, path });
      await page.getByText("1 role", { exact: true }).waitFor();
      await page.getByLabel("Show", { exact: true }).selectOption("All roles");
      await page.getByLabel("Find a role").fill("registry.pu");
      await page.waitForURL(/find=registry\.pu/);
      await page.getByRole("link", { name: "own-role" }).waitFor({ state: "detached" });
      await page.getByRole("link", { name: "registry.push", exact: true }).click();
      await page.getByRole("button", { name: "Edit", disabled: true }).focus();
      await page.getByText("No one can change a built-in role.").locator("visible=true").waitFor();

      await page.goto(page.url().replace(/roles\/.*$/, `roles/${own.uid}`));
      for (const button of ["Edit", "Delete", "Copy"]) {
        await page.getByRole("button", { name: button, disabled: true }).focus();
        await page
          .getByText(/You need the roles\.\w+ capability/)
          .locator("visible=true")
          .waitFor();
      }
    },
  );

  test("the copy of a role begins with its capabilities, and the editor is accessible on a phone", async () => {
    const { owner, uid } = await newOrganization();
    const copied = await roleUid("advisories.admin");
    const path = `/console/roles/new?group=${uid}&copy=${copied}`;
    const { page } = await openConsole({
      ...{ as: owner.uid, path, width: 390, theme: "dark" },
    });
    await page.getByText("5 chosen").waitFor();
    await page.getByLabel("Only the chosen ones").check();
    await page.getByRole("checkbox", { name: "advisories.approve" }).waitFor();
    expect(await page.getByRole("checkbox", { name: "repo.list" }).count()).toBe(0);
    await expectAccessible(page);
    await expectNoOverflow(page);
  });

  test("a role that cannot be read says so, with a way to try again", long, async () => {
    const { owner, uid } = await newOrganization();
    const path = `/console/roles?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    const json = { code: 14, message: "The database is not available.", details: [] };
    await page.route(/\/iam\/v2\/roles\//, (route) => route.fulfill({ status: 503, json }));
    await page.getByRole("link", { name: "viewer", exact: true }).click();
    await page.getByRole("alert").getByText("The database is not available.").waitFor();
    await page.unroute(/\/iam\/v2\/roles\//);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "viewer", level: 1 }).waitFor();
  });
});
