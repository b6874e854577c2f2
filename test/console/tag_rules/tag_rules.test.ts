/** The tag rules of groups and repositories in the console, as a person uses them. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
  roleUid,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { expectGoodLooks } from "../repositories/looks.ts";

/** An organization with a group and, in it, a repository whose tag v1 has moved. */
async function newShop() {
  const organization = await newOrganization();
  const { token } = organization.owner;
  const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
    name: "payments",
  });
  const repo = await createResource(`/registry/v2/repos/${group.uid}`, token, { name: "shop" });
  for (const digest of ["one", "two"].map(fakeDigest))
    await createResource(`/registry/v2/tags/${repo.uid}`, token, { name: "v1", digest });
  return { organization, token, group: group.uid, repo: repo.uid };
}

const newRule = (token: string, scope: string, name: string, rule: object) =>
  createResource(`/registry/v2/tagRules/${scope}`, token, { name, ...rule });

const rulesOf = async ({ owner }: Organization, scope: string) =>
  (await callRest(`/registry/v2/tagRules?uidp.childrenOf=${scope}`, { token: owner.token })).body
    .tagRules;

const choose = async (page: Page, rule: string, action: string) => {
  await page.getByRole("button", { name: `Actions for ${rule}` }).click();
  await page.getByRole("button", { name: action, exact: true }).click();
};

describeInChromium("tag rules in the console", () => {
  test("an owner tries a rule of a group, and then creates, changes, deletes and restores it", async () => {
    const { organization, group } = await newShop();
    const path = `/console/access?group=${group}&view=rules`;
    const { page } = await openConsole({ as: organization.owner.uid, path });
    await page.getByText("No tag rule counts here").waitFor();
    await page.getByRole("button", { name: "New rule" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Tags", { exact: true }).fill("v* release-*");
    await dialog.getByRole("button", { name: "What it would do" }).click();
    await dialog.getByText("It matches 1 tag. It would refuse no tags now").waitFor();
    const moves = dialog.getByRole("listitem").filter({ hasText: "shop:v1" });
    await moves.getByText("it can be set only once").waitFor();
    await expectGoodLooks(page);

    await dialog.getByLabel("Name", { exact: true }).fill("Not A Name");
    await dialog.getByLabel("Except the repositories").fill("NO");
    await dialog.getByRole("button", { name: "Create" }).click();
    await expect.poll(() => dialog.locator(".field-error").count()).toBe(2);
    expect(await dialog.getByRole("alert").count()).toBe(0);
    await dialog.getByLabel("Name", { exact: true }).fill("releases");
    await dialog.getByLabel("Except the repositories").fill("");
    await dialog.getByRole("button", { name: "Create" }).click();
    const card = page.getByRole("region", { name: "releases" });
    await card.getByText("Keeps the tags v*, release-*. Each can be set once").waitFor();
    await card.getByText(/^Of this group\. In this form since/).waitFor();

    await choose(page, "releases", "Edit");
    await dialog.getByLabel("When a tag may change").selectOption("Only a role can change it");
    await dialog.getByRole("combobox", { name: "Role" }).fill("editor");
    await dialog.getByRole("option", { name: /^editor/ }).click();
    await dialog.getByLabel("Except the tags").fill("v0*");
    await dialog.getByRole("button", { name: "Save" }).click();
    await card.getByText("Keeps the tags v*, release-* except v0*. Only identities").waitFor();
    expect(await rulesOf(organization, group)).toMatchObject([
      { excludeTags: ["v0*"], keep: { roleUid: await roleUid("editor") } },
    ]);
    await choose(page, "releases", "Delete");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("No tag rule counts here").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await card.getByText("with the role editor").waitFor();
  });

  test("a repository shows its rules and those above in plain words, the nearest scope first", async () => {
    const { organization, token, group, repo } = await newShop();
    const label = { name: "approved", value: "yes" };
    const noFindings = { minSeverity: "FINDING_SEVERITY_HIGH", allowUnknown: true };
    const texts = [
      [repo, "own", { writeOnce: true }, /all tags\. Each can be set once/],
      [
        group,
        "latest",
        { forward: "FORWARD_ORDER_VERSION" },
        /a later version\. They cannot be del/,
      ],
      [group, "times", { forward: "FORWARD_ORDER_IMAGE_TIME" }, /that was built later/],
      [
        group,
        "tried",
        { promotion: { from: "rc-*", hours: 1 } },
        /a tag rc-\* has pointed to for 1 h/,
      ],
      [
        ...[organization.uid, "proof", { requirement: { sbom: true, noFindings, label } }],
        /an SBOM, a report without findings of severity high or higher that have a fix, or no report, and the label approved=yes/,
      ],
    ] as [string, string, object, RegExp][];
    for (const [scope, name, keep] of texts) {
      const includeTags = scope === repo ? [] : [`${name}-*`];
      await newRule(token, scope, name, { includeTags, keep });
    }
    const path = `/console/repositories/${repo}/rules`;
    const { page } = await openConsole({ as: organization.owner.uid, path });
    for (const [, name, , text] of texts)
      await page.getByRole("region", { name }).getByText(text).waitFor();
    const titles = await page.locator(".tag-rules h2").allTextContents();
    expect(titles).toEqual(["own", "latest", "times", "tried", "proof"]);
    await expectGoodLooks(page);

    await choose(page, "own", "Edit");
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel("Repositories").count()).toBe(0);
    await dialog
      .getByLabel("When a tag may change")
      .selectOption("Its image must meet requirements");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.locator(".field-error").getByText("at least one thing").waitFor();
    await dialog.getByLabel("Label").fill("approved");
    await dialog.getByLabel("It has an SBOM").check();
    await dialog.getByRole("button", { name: "What it would do" }).click();
    await dialog.getByText("It would refuse 1 tag now").waitFor();
    await expectGoodLooks(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page
      .getByRole("region", { name: "tried" })
      .getByRole("link", { name: "payments" })
      .click();
    await page.getByRole("button", { name: "Actions for tried" }).waitFor();

    const viewer = await newIdentity(organization, "viewer");
    const seen = await openConsole({ as: viewer.uid, path });
    await seen.page.getByRole("button", { name: "New rule" }).hover();
    await seen.page.getByText("You need the tag_rules.create capability on shop.").waitFor();
    await seen.page.getByRole("button", { name: "Actions for own" }).click();
    await seen.page.getByText("You need the tag_rules.delete capability on shop.").waitFor();

    const inner = await newIdentity(organization, "viewer", { group });
    const below = await openConsole({ as: inner.uid, path });
    await below.page.getByText("You cannot see the rules of a group above.").waitFor();
    await below.page.getByRole("region", { name: "tried" }).waitFor();
    expect(await below.page.getByRole("region", { name: "proof" }).count()).toBe(0);
  });
});
