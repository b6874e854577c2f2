import { expect, test } from "vitest";
import { newIdentityProvider } from "../../iam/identity_providers/openid_provider.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  roleUid,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import {
  describeInChromium,
  expectAccessible,
  expectNoOverflow,
  openConsole,
} from "../chromium.ts";

const mappingsOf = async (provider: string, token: string): Promise<string[]> => {
  const path = `/iam/v2/externalGroupRoleMappings?identityProviderUid=${provider}`;
  const { body } = await callRest(path, { token });
  const found = (body.externalGroupRoleMappings ?? []) as { externalGroupId: string }[];
  return found.map(({ externalGroupId }) => externalGroupId).sort();
};

async function newMapping({ uid, owner }: Organization, provider: string, group: string) {
  return createResource(`/iam/v2/externalGroupRoleMappings/${provider}`, owner.token, {
    ...{ externalGroupId: group, roleUid: await roleUid("viewer"), scope: uid },
  });
}

describeInChromium("role mappings in the console", () => {
  test("an owner sees what a group gains, maps it, and changes the role", async () => {
    const organization = await newOrganization();
    const { uid, owner } = organization;
    const provider = await newIdentityProvider(organization, { groupsClaim: "groups" });
    const path = `/console/role-mappings?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await page.getByRole("button", { name: "New role mapping" }).click();
    await page.getByLabel("External group").fill("devs");
    await page.getByRole("combobox", { name: "Role" }).fill("viewer");
    await page.getByRole("option", { name: /^viewer/ }).click();
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText("gains", { exact: true }).waitFor();
    await preview.getByText("groups.list").waitFor();
    expect(await mappingsOf(provider.uid, owner.token)).toEqual([]);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("cell", { name: "devs", exact: true }).waitFor();
    await page.getByRole("button", { name: "Actions for devs" }).click();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("combobox", { name: "Role" }).fill("owner");
    await page.getByRole("option", { name: /^owner/ }).click();
    await preview.getByText("gains", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("cell", { name: "owner", exact: true }).waitFor();
  });

  test("several are deleted together after a preview, and an undo brings them back", async () => {
    const organization = await newOrganization();
    const { uid, owner } = organization;
    const provider = await newIdentityProvider(organization);
    const groups = ["devs", "<b>ops</b>", "ס".repeat(250)];
    for (const group of groups) await newMapping(organization, provider.uid, group);
    const path = `/console/role-mappings?group=${uid}&provider=${provider.uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await page.getByText("has no groups claim").waitFor();
    await page.getByLabel("Select devs").check();
    await page.getByLabel("Select <b>ops</b>").check();
    await page.getByRole("button", { name: "Delete 2 selected" }).click();
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText("loses", { exact: true }).first().waitFor();
    await expect.poll(() => preview.getByRole("listitem").count()).toBe(2);
    expect((await mappingsOf(provider.uid, owner.token)).length).toBe(3);
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("cell", { name: "devs", exact: true }).waitFor({ state: "detached" });
    expect((await mappingsOf(provider.uid, owner.token)).length).toBe(1);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("cell", { name: "devs", exact: true }).waitFor();
    await page.getByRole("cell", { name: "<b>ops</b>", exact: true }).waitFor();
    expect(await mappingsOf(provider.uid, owner.token)).toEqual([...groups].sort());
  });

  test("a viewer sees why they cannot map groups, on a phone in the dark", long, async () => {
    const organization = await newOrganization();
    const provider = await newIdentityProvider(organization);
    await newMapping(organization, provider.uid, "a".repeat(255));
    const viewer = await newIdentity(organization, "viewer");
    const path = `/console/role-mappings?group=${organization.uid}`;
    const { page } = await openConsole({
      ...{ as: viewer.uid, path, theme: "dark", width: 390 },
    });
    await page.getByRole("table").waitFor();
    await page.getByRole("button", { name: "New role mapping" }).focus();
    await page
      .getByText("You need the identity_providers.create and role_bindings.create")
      .first()
      .waitFor();
    await expectNoOverflow(page);
    await expectAccessible(page);
  });
});
