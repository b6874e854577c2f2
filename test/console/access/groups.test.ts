import { expect, test } from "vitest";
import { createResource, newOrganization, randomName } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

describeInChromium("groups in the console", () => {
  test("the owner creates, renames and deletes a group, and can undo a rename", async () => {
    const { owner, uid } = await newOrganization();
    const path = `/console/access?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await page.getByRole("button", { name: "New group" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Not A Name");
    await page.getByRole("button", { name: "Create" }).click();
    await page.locator(".field-error").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("payments");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "payments", level: 1 }).waitFor();
    const tree = page.getByRole("navigation", { name: "Groups" });
    await expectCurrent(tree.getByRole("link", { name: "payments" }));

    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Name", { exact: true }).fill("billing");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved billing.").waitFor();
    await tree.getByRole("link", { name: "billing" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await tree.getByRole("link", { name: "payments" }).waitFor();

    await page.getByRole("button", { name: "Delete group" }).click();
    await page.getByLabel("Type payments to confirm").fill("payments");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Deleted payments.").waitFor();
    await tree.getByRole("link", { name: "payments" }).waitFor({ state: "detached" });
  });

  test("an owner forbids the keys of the organization, and allows them again with Undo", async () => {
    const { owner, uid } = await newOrganization();
    const isForbidden = async () => {
      const { body } = await callRest(`/iam/v2/groups/${uid}`, { token: owner.token });
      return body.keysDisabled === true;
    };
    const { page } = await openConsole({
      as: owner.uid,
      path: `/console/access?group=${uid}&view=group`,
    });
    await page.getByLabel("Forbid keys").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/^Saved /).waitFor();
    expect(await isForbidden()).toBe(true);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(isForbidden).toBe(false);
  });

  test("the deletion of a group that is not empty names what is in the way, and deletes nothing", async () => {
    const { owner, uid } = await newOrganization();
    const group = await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "full" });
    await createResource(`/registry/v2/repos/${group.uid}`, owner.token, { name: "nginx" });
    await createResource(`/iam/v2/groups/${group.uid}`, owner.token, { name: "below" });
    const path = `/console/access?group=${group.uid}&view=group`;
    const { page } = await openConsole({ as: owner.uid, path });
    await page.getByRole("button", { name: "Delete group" }).click();
    await page.getByLabel("Type full to confirm").fill("full");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const alert = page.getByRole("alert");
    await alert.getByRole("link", { name: "repositories" }).waitFor();
    await alert.getByRole("link", { name: "groups" }).waitFor();
    const command = `platformctl delete group ${group.uid} --recursive`;
    await expect.poll(() => alert.locator("code").textContent()).toBe(command);
    await expectAccessible(page);
    const { status } = await callRest(`/iam/v2/groups/${group.uid}`, { token: owner.token });
    expect(status).toBe(200);
  });

  test("the tree opens down to the group of the address, follows the arrow keys, and finds groups by name", async () => {
    const { owner, uid, name } = await newOrganization();
    const make = (parent: string, group: string) =>
      createResource(`/iam/v2/groups/${parent}`, owner.token, { name: group });
    const team = await make(uid, "team");
    const inner = await make(team.uid, randomName("inner"));
    await make(uid, "zebra");
    const path = `/console/access?group=${inner.uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    const tree = page.getByRole("navigation", { name: "Groups" });
    await expectCurrent(tree.getByRole("link", { name: String(inner.name) }));
    const crumbs = page.getByRole("navigation", { name: "Breadcrumbs" });
    await crumbs.getByRole("link", { name: "team" }).waitFor();

    await tree.getByRole("link", { name: "team", exact: true }).focus();
    await page.keyboard.press("ArrowLeft");
    await tree.getByRole("link", { name: String(inner.name) }).waitFor({ state: "detached" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "zebra", level: 1 }).waitFor();

    await tree.getByLabel("Find a group").fill("inner");
    await tree.getByText("1 found").waitFor();
    expect(page.url()).toContain("find=inner");
    await tree.getByText(`${name} / team`).waitFor();
    await tree.getByRole("link", { name: String(inner.name) }).click();
    await page.getByRole("heading", { name: String(inner.name), level: 1 }).waitFor();
  });
});

async function expectCurrent(link: { getAttribute(name: string): Promise<string | null> }) {
  await expect.poll(() => link.getAttribute("aria-current")).toBe("page");
}
