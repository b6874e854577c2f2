/** Tag rules that make tags and images expire, in the console, as a person uses them. */
import { expect, test } from "vitest";
import { createResource, newOrganization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { expectGoodLooks } from "../repositories/looks.ts";

describeInChromium("tag rules that make tags expire", () => {
  test("an owner creates one with several conditions, and makes it one about images without a tag, which has no patterns", async () => {
    const { uid, owner } = await newOrganization();
    const { token } = owner;
    const path = `/registry/v2/repos/${uid}`;
    const { uid: repo } = await createResource(path, token, { name: "shop" });
    const rules = async () =>
      (await callRest(`/registry/v2/tagRules?uidp.childrenOf=${repo}`, { token })).body.tagRules;
    const { page } = await openConsole({
      ...{ as: owner.uid, path: `/console/repositories/${repo}/rules` },
    });
    await page.getByRole("button", { name: "New rule" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("old");
    await dialog.getByLabel("Tags", { exact: true }).fill("v*");
    await dialog.getByLabel("What it does").selectOption("It makes tags or images expire");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.locator(".field-error").getByText("must have").waitFor();
    await dialog.getByLabel("Days since it was pulled").fill("400");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.locator(".field-error").getByText("365").waitFor();
    await dialog.getByLabel("Days since it was pulled").fill("90");
    await dialog.getByLabel("Days since it moved").fill("30");
    await dialog.getByLabel("Beyond the newest").fill("5");
    await dialog.getByLabel("Order of the newest").selectOption("By the time of the last move");
    await dialog.getByLabel("Another person must approve").check();
    await dialog.getByLabel("Every day").check();
    await expectGoodLooks(page);
    await dialog.getByRole("button", { name: "Create" }).click();
    const card = page.getByRole("region", { name: "old" });
    const sentences = [
      "Lets the tags v* expire if they have not moved for 30 days, were neither pulled nor moved for 90 days,",
      "and are not among the newest 5 by the time of their last move.",
      "The platform makes a plan every day and carries it out once a person has approved it.",
    ];
    await card.getByText(sentences.join(" ")).waitFor();
    const beyondNewest = { count: 5, order: "NEWEST_ORDER_TIME" };
    const expire = { unmovedDays: 30, unpulledDays: 90, beyondNewest, approval: true, daily: true };
    expect(await rules()).toMatchObject([{ includeTags: ["v*"], expire }]);

    await page.getByRole("button", { name: "Actions for old" }).click();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByLabel("What expires").selectOption("Images without a tag");
    expect(await dialog.getByLabel("Tags", { exact: true }).count()).toBe(0);
    await dialog.getByLabel("Days without a tag").fill("1");
    await dialog.getByLabel("Every day").uncheck();
    await dialog.getByRole("button", { name: "Save" }).click();
    await card.getByText(/^Lets images without a tag for 1 day expire\. A plan that/).waitFor();
    const [changed] = await rules();
    expect(changed.expire).toMatchObject({ untaggedDays: 1, unmovedDays: 0, daily: false });
    expect([changed.includeTags, changed.expire.beyondNewest]).toEqual([undefined, undefined]);
  });
});
