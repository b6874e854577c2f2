/** Tag rules that choose the image of a pull, in the console, as a person uses them. */
import { beforeAll, expect, test } from "vitest";
import { movedAgo } from "../../distribution/moved_ago.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  roleUid,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { expectGoodLooks } from "../repositories/looks.ts";

let organization: Organization;
let repo = "";
let [older, newest] = ["", ""];

/** A digest as the console shows it. */
const short = (digest: string) => digest.slice(0, 19);
const open = (path: string) =>
  openConsole({ as: organization.owner.uid, path: `/console/${path}` });

beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  const path = `/registry/v2/repos/${uid}`;
  ({ uid: repo } = await createResource(path, owner.token, { name: "shop" }));
  const moved = (hours: number) => movedAgo(organization, "shop", "latest", hours);
  [older, newest] = [await moved(30), await moved(2)];
});

const rules = async () => {
  const { token } = organization.owner;
  const list = await callRest(`/registry/v2/tagRules?uidp.childrenOf=${repo}`, { token });
  return list.body.tagRules;
};

describeInChromium("tag rules that choose the image of a pull", () => {
  test("an owner tries one, creates it, changes what it requires, and makes it keep tags", async () => {
    const { page } = await open(`repositories/${repo}/rules`);
    await page.getByRole("button", { name: "New rule" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("cooldown");
    await dialog.getByLabel("Tags", { exact: true }).fill("latest");
    await dialog.getByLabel("What it does").selectOption("It chooses the image that a pull gets");
    await dialog.getByLabel("Hours to cool down").fill("9000");
    await dialog.getByRole("button", { name: "What it would do" }).click();
    await expect.poll(() => dialog.locator(".field-error").count()).toBe(1);
    await dialog.getByLabel("Hours to cool down").fill("24");
    await dialog.getByRole("button", { name: "What it would do" }).click();
    await dialog
      .getByText("It matches 1 tag. Your pulls would get an earlier image of 1 tag")
      .waitFor();
    await dialog
      .getByRole("listitem")
      .filter({ hasText: `shop:latest gets ${short(older)}: the newest image cools down` })
      .waitFor();
    await expectGoodLooks(page);
    await dialog.getByRole("button", { name: "Create" }).click();
    const card = page.getByRole("region", { name: "cooldown" });
    await card
      .getByText(
        "Pulls of the tags latest get the newest image to which the tag moved at least 24 hours ago.",
      )
      .waitFor();

    const edit = async () => {
      await page.getByRole("button", { name: "Actions for cooldown" }).click();
      await page.getByRole("button", { name: "Edit", exact: true }).click();
    };
    await edit();
    await dialog
      .getByLabel("What a pull gets")
      .selectOption("The newest image that meets requirements");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.locator(".field-error").getByText("at least one thing").waitFor();
    await dialog.getByLabel("Issuer of a signature").fill("https://issuer.example");
    await dialog.getByLabel("Subject of the signature").fill("*@shop.example");
    await dialog.getByRole("combobox", { name: "Exempt role" }).fill("editor");
    await dialog.getByRole("option", { name: /^editor/ }).click();
    await expectGoodLooks(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await card.getByText("a signature by *@shop.example of https://issuer.example").waitFor();
    await card.getByText("with the role editor get the image that the tag points to").waitFor();
    const signature = { issuer: "https://issuer.example", subject: "*@shop.example" };
    expect(await rules()).toMatchObject([
      { serve: { requirement: { signature }, exemptRoleUid: await roleUid("editor") } },
    ]);

    await edit();
    await dialog.getByLabel("What it does").selectOption("It keeps tags");
    await dialog.getByRole("button", { name: "Save" }).click();
    await card.getByText("Keeps the tags latest. Each can be set once").waitFor();
    const [rule] = await rules();
    expect([rule.keep, rule.serve]).toEqual([{ writeOnce: true }, undefined]);
    await callRest(`/registry/v2/tagRules/${rule.uid}`, {
      ...{ method: "DELETE", token: organization.owner.token },
    });
  });

  test("the page of a tag says what a pull gets, and why", async () => {
    const { token } = organization.owner;
    const tags = await callRest(`/registry/v2/tags?uidp.childrenOf=${repo}`, { token });
    const path = `tags/${tags.body.tags[0].uid}`;
    const { page: plain } = await open(path);
    await plain.getByText(`A pull gets ${short(newest)}, because no rule is about it.`).waitFor();
    const made = await createResource(`/registry/v2/tagRules/${repo}`, token, {
      ...{ name: "cooldown", includeTags: ["latest"], serve: { cooldownHours: 24 } },
    });
    const { page } = await open(path);
    await page
      .getByText(
        `A pull gets ${short(older)}, because of the rule cooldown: the newest image cools`,
      )
      .waitFor();
    expect(await page.getByText("see platformctl").count()).toBe(0);
    await expectGoodLooks(page);
    await callRest(`/registry/v2/tagRules/${made.uid}`, {
      ...{ method: "PATCH", token, body: { serve: { cooldownHours: 99 } } },
    });
    const { page: later } = await open(path);
    await later.getByText("A pull gets nothing, because of the rule cooldown").waitFor();
    await later.getByRole("link", { name: "cooldown" }).click();
    await later.getByRole("region", { name: "cooldown" }).waitFor();
  });
});
