/** Giving, changing and removing access in the console. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  roleUid,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

/** The row of the table with this text. */
const rowOf = (page: Page, text: string | RegExp) =>
  page.getByRole("row").filter({ hasText: text }).first();

/** Chooses a suggestion of a field. */
async function choose(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole("dialog").getByRole("combobox", { name: label, exact: true }).fill(text);
  await page
    .getByRole("option", { name: new RegExp(`^${text}`) })
    .first()
    .click();
}

const confirm = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

describeInChromium("role bindings in the console", () => {
  test("the owner gives, changes and removes access, and sees before who gains and loses it", async () => {
    const { owner, uid } = await newOrganization();
    await createResource(`/iam/v2/identities/${uid}`, owner.token, { name: "deploy" });
    const path = `/console/access?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await page.getByRole("button", { name: "Give access" }).click();
    await choose(page, "Who", "deploy");
    await choose(page, "Role", "registry.pull");
    const preview = page.getByLabel("Preview");
    await preview.getByText("deploy gains access.").waitFor();
    await preview.getByText("groups.list").waitFor();
    await expectAccessible(page);
    await confirm(page, "Give access");
    await rowOf(page, /deploy\s*registry.pull/).waitFor();
    await page.getByText(/deploy now has the role registry.pull/).waitFor();

    await rowOf(page, "deploy").getByRole("button", { name: "Actions for deploy" }).click();
    await page.getByRole("button", { name: "Change role" }).locator("visible=true").click();
    await choose(page, "New role", "advisories.viewer");
    await preview.getByText("deploy gains access, deploy loses access.").waitFor();
    await confirm(page, "Change role");
    await rowOf(page, /deploy\s*advisories.viewer/).waitFor();

    await rowOf(page, "deploy").getByRole("button", { name: "Actions for deploy" }).click();
    await page.getByRole("button", { name: "Remove access" }).locator("visible=true").click();
    await preview.getByText("deploy loses access.").waitFor();
    await confirm(page, "Remove access");
    await rowOf(page, "deploy").waitFor({ state: "detached" });
    await page.getByText(/^Removed the role/).waitFor();
    await page.getByRole("button", { name: "Undo" }).last().click();
    await rowOf(page, /deploy\s*advisories.viewer/).waitFor();
  });

  test("an owner gives a role on one repository, and takes it back there", async () => {
    const { owner, uid } = await newOrganization();
    await createResource(`/iam/v2/identities/${uid}`, owner.token, { name: "job" });
    const repo = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "shop" });
    const path = `/console/repositories/${repo.uid}/access`;
    const { page } = await openConsole({ as: owner.uid, path });
    await page.getByRole("button", { name: "Give access" }).click();
    await choose(page, "Who", "job");
    await choose(page, "Role", "registry.pull");
    await page.getByLabel("Preview").getByText("job gains access.").waitFor();
    await expectAccessible(page);
    await confirm(page, "Give access");
    await rowOf(page, /job\s*registry.pull\s*this repository/).waitFor();
    await page.getByText("job now has the role registry.pull on shop.").waitFor();
    const at = `/iam/v2/roleBindings?group=${repo.uid}`;
    const { body } = await callRest(at, { token: owner.token });
    expect(body.roleBindings).toMatchObject([{ identity: { name: "job" }, group: { repo: true } }]);
    await rowOf(page, "job").getByRole("button", { name: "Actions for job" }).click();
    await page.getByRole("button", { name: "Remove access" }).locator("visible=true").click();
    await confirm(page, "Remove access");
    await rowOf(page, "job").waitFor({ state: "detached" });
  });

  test("a change of someone else between the look and the click is shown, and nothing is overwritten", async () => {
    const { owner, uid } = await newOrganization();
    const bot = await createResource(`/iam/v2/identities/${uid}`, owner.token, { name: "deploy" });
    const first = { identityUid: bot.uid, roleUid: await roleUid("viewer") };
    const bound = await createResource(`/iam/v2/roleBindings/${uid}`, owner.token, first);
    const { page } = await openConsole({
      ...{ as: owner.uid, path: `/console/access?group=${uid}` },
    });
    await rowOf(page, "deploy").getByRole("button", { name: "Actions for deploy" }).click();
    await page.getByRole("button", { name: "Remove access" }).locator("visible=true").click();
    await page.getByLabel("Preview").getByText("deploy loses access.").waitFor();
    const changed = await callRest(`/iam/v2/roleBindings/${bound.uid}`, {
      ...{ method: "PATCH", token: owner.token },
      body: { roleUid: await roleUid("registry.push") },
    });
    expect(changed.status).toBe(200);
    await confirm(page, "Remove access");
    await page.getByText(/was changed by .*Nothing was saved.*registry\.push/).waitFor();
    await rowOf(page, /deploy\s*registry.push/).waitFor();
    const { body } = await callRest(`/iam/v2/roleBindings/${bound.uid}`, { token: owner.token });
    expect(body.role.name).toBe("registry.push");
  });

  test("the last owner stays, and the dialog says what to do", async () => {
    const { owner, uid } = await newOrganization();
    const path = `/console/access?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await rowOf(page, "owner")
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await page.getByRole("button", { name: "Remove access" }).locator("visible=true").click();
    await page.getByText("The organization would have no owner left.").waitFor();
    const button = page.getByRole("dialog").getByRole("button", { name: "Remove access" });
    await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
    await button.click({ force: true });
    const bindings = `/iam/v2/roleBindings?group=${uid}`;
    const { body } = await callRest(bindings, { token: owner.token });
    expect(body.roleBindings).toHaveLength(1);
  });

  test("a refused change comes back, and a list that fails can be tried again", long, async () => {
    const organization = await newOrganization();
    const { owner, uid } = organization;
    await newIdentity(organization, "viewer");
    const path = `/console/access?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    const row = rowOf(page, /^bot-/);
    await row.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("button", { name: "Remove access" }).locator("visible=true").click();
    await page
      .getByLabel("Preview")
      .getByText(/loses access/)
      .waitFor();
    const error = { code: 14, message: "The database is not available.", details: [] };
    const answer = Promise.withResolvers<void>();
    await page.route(/\/iam\/v2\/roleBindings\//, async (route) => {
      await answer.promise;
      await route.fulfill({ status: 503, json: error });
    });
    await confirm(page, "Remove access");
    await row.waitFor({ state: "detached" });
    answer.resolve();
    await page.getByRole("alert").getByText("The database is not available.").waitFor();
    await row.waitFor();

    await page.route(/\/iam\/v2\/roleBindings\?/, (route) =>
      route.fulfill({ status: 503, json: error }),
    );
    await page.reload();
    await page.getByRole("alert").getByText("The database is not available.").waitFor();
    await page.unroute(/\/iam\/v2\/roleBindings\?/);
    await page.getByRole("button", { name: "Try again" }).click();
    await row.waitFor();
  });

  test(
    "inherited and pending access shows in both themes and on a phone, and a filter is a link",
    long,
    async () => {
      const { owner, uid } = await newOrganization();
      const group = await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "team" });
      const guest = await newUser();
      const viewer = await roleUid("viewer");
      const body = { identityUid: guest.uid, roleUid: viewer };
      await createResource(`/iam/v2/roleBindings/${group.uid}`, owner.token, body);
      const path = `/console/access?group=${group.uid}`;
      const { page } = await openConsole({ as: owner.uid, path });
      await rowOf(page, "this group").getByText("Pending").waitFor();
      await rowOf(page, "inherited from").getByRole("link", { name: "owner" }).waitFor();
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.setViewportSize({ width: 390, height: 800 });
      await expectAccessible(page);
      await page.getByRole("combobox", { name: "Filter by role" }).fill("view");
      await page.getByRole("option", { name: /^viewer/ }).click();
      await page.getByText("1 entry").waitFor();
      expect(page.url()).toContain(`role=${viewer}`);
    },
  );
});
