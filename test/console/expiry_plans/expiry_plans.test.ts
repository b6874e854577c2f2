/** The expiry plans of a repository in the console, as people use them. */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { waitForPulls } from "../../registry/expiry/expiring_repo.ts";
import { createResource, newIdentity, newOrganization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { expectGoodLooks } from "../repositories/looks.ts";
import { newPushedRepo, pushImage } from "../scanned_images.ts";

/** A repository with two tags, each with an image of its own. Of these, `v1` is the older one. */
async function newShop() {
  const organization = await newOrganization();
  const repo = await newPushedRepo(organization, "shop");
  await pushImage(repo, { tag: "v1", lines: ["COPY one /"] });
  await pushImage(repo, { tag: "v2", lines: ["COPY one /", "COPY two /"] });
  return { organization, repo: repo.uid, ...organization.owner };
}

type Shop = Awaited<ReturnType<typeof newShop>>;

/** Makes a plan with the older tag and its image, which someone must approve. */
async function newPlan({ repo, token }: Shop): Promise<string> {
  const beyondNewest = { count: 1, order: "NEWEST_ORDER_TIME" };
  const rule = { name: "old", expire: { beyondNewest, approval: true } };
  await createResource(`/registry/v2/tagRules/${repo}`, token, rule);
  const path = `/registry/v2/expiryPlans/${repo}`;
  const plan = await createResource(path, token, { description: "before the move" });
  await waitForPulls(plan.uid);
  return plan.uid;
}

const tagNames = async ({ repo, token }: Shop): Promise<string[]> => {
  const { body } = await callRest(`/registry/v2/tags?uidp.childrenOf=${repo}`, { token });
  return body.tags.map(({ name }: { name: string }) => name).sort();
};

/** Presses a button of the page, and the one with the same or another text in its dialog. */
async function confirm(page: Page, action: string, inDialog = action): Promise<void> {
  await page.getByRole("button", { name: action, exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: inDialog, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

/** Expects that the button cannot be pressed, and that it says why. */
async function expectRefused(button: Locator, reason: string): Promise<void> {
  await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
  await button.focus();
  await button.locator("xpath=..").getByRole("tooltip").getByText(reason).waitFor();
}

/** Answers the first call of a method as if there were work left after it. The next one waits for a text on the page. */
async function answerFirst(page: Page, method: string, plan: object, text: string): Promise<void> {
  await page.route(`**:${method}`, async (route) => {
    await page.getByText(text, { exact: true }).waitFor();
    await route.continue();
  });
  await page.route(`**:${method}`, (route) => route.fulfill({ json: plan }), { times: 1 });
}

describeInChromium("expiry plans in the console", () => {
  test("an owner makes a rule and a plan, and carries it out and undoes it with as many calls as it takes", async () => {
    const shop = await newShop();
    const path = `/console/repositories/${shop.repo}/expiry`;
    const { page } = await openConsole({ as: shop.uid, path });
    await page.getByText("A plan needs a tag rule of the kind expire").waitFor();
    const make = page.getByRole("button", { name: "Make a plan" });
    await expectRefused(make, "Create a tag rule of the kind expire first.");
    await expectGoodLooks(page);
    await page.getByRole("button", { name: "New rule" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("old");
    await dialog.getByLabel("Beyond the newest").fill("1");
    await dialog.getByLabel("Order of the newest").selectOption("By the time of the last move");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.waitFor({ state: "detached" });

    await make.click();
    await dialog.getByText("The plan would have 1 tag and 1 image").waitFor();
    expect((await callRest("/registry/v2/expiryPlans", shop)).body.expiryPlans ?? []).toEqual([]);
    await expectGoodLooks(page);
    await dialog.getByLabel("Description").fill("clean up");
    await dialog.getByRole("button", { name: "Make the plan" }).click();
    const row = page.getByRole("row", { name: /^v1 / });
    await row.getByText("Planned").waitFor();
    await page.getByText("clean up").waitFor();
    await expectGoodLooks(page);

    const { body } = await callRest(`/registry/v2/expiryPlans?uidp.childrenOf=${shop.repo}`, shop);
    const [plan] = body.expiryPlans;
    await waitForPulls(plan.uid);
    const running = { ...plan, state: "EXPIRY_PLAN_STATE_RUNNING", deletedCount: 1 };
    await answerFirst(page, "carryOut", running, "1 of 2");
    await page.getByRole("button", { name: "Carry out" }).click();
    await dialog.getByText("This deletes 1 tag and 1 image of shop").waitFor();
    await dialog.getByRole("button", { name: "Carry out" }).click();
    await page.getByText("It is complete.").waitFor();
    await row.getByText("Deleted").waitFor();
    expect(await tagNames(shop)).toEqual(["v2"]);
    await page.getByLabel("Outcome").selectOption("Left alone");
    await page.getByText("Nothing has this outcome").waitFor();
    await page.getByLabel("Outcome").selectOption("Any");

    const undoing = { ...running, state: "EXPIRY_PLAN_STATE_UNDOING", restoredCount: 0 };
    await answerFirst(page, "undo", undoing, "0 of 1");
    await confirm(page, "Undo");
    await page.getByText("It was undone.").waitFor();
    await row.getByText("Restored").waitFor();
    expect(await tagNames(shop)).toEqual(["v1", "v2"]);
    await expectGoodLooks(page);

    await row.getByRole("link", { name: "v1" }).click();
    await page.getByText("with an expiry plan").first().waitFor();
  });

  test("the maker of a plan sees that another person must approve it, who then can", async () => {
    const shop = await newShop();
    const plan = await newPlan(shop);
    const path = `/console/expiry-plans/${plan}`;
    const made = await openConsole({ as: shop.uid, path });
    await made.page.getByText("You made it, so you cannot approve it.").waitFor();
    const button = (name: string) => made.page.getByRole("button", { name, exact: true });
    await expectRefused(button("Approve"), "You made this plan, so another person must approve it");
    await expectRefused(button("Carry out"), "Another person must approve it first.");
    await expectGoodLooks(made.page);

    const other = await newIdentity(shop.organization, "owner");
    const approved = await openConsole({ as: other.uid, path });
    await confirm(approved.page, "Approve");
    await approved.page.getByText("It can be carried out.").waitFor();

    await made.page.reload();
    await confirm(made.page, "Cancel the plan");
    await made.page.getByText("It was canceled.").waitFor();
    await made.page.getByRole("link", { name: "Expiry" }).click();
    const listed = made.page.getByRole("table", { name: "Expiry plans" }).getByRole("row");
    await listed.filter({ hasText: "1 tag and 1 image" }).getByText("Canceled").waitFor();
    await expectGoodLooks(made.page);
    expect(await tagNames(shop)).toEqual(["v1", "v2"]);
  });

  test("a viewer sees a plan and its rows, and the capabilities that its buttons need", async () => {
    const shop = await newShop();
    const plan = await newPlan(shop);
    const viewer = await newIdentity(shop.organization, "viewer");
    const { page } = await openConsole({ as: viewer.uid, path: `/console/expiry-plans/${plan}` });
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await expectRefused(button("Approve"), "You need the expiry_plans.approve capability");
    await expectRefused(button("Cancel the plan"), "You need the expiry_plans.create capability");
    await page.getByRole("button", { name: "its tag v1 expires" }).click();
    await page.getByRole("dialog").getByText("Why it expires").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.getByRole("link", { name: "Expiry" }).click();
    await expectRefused(button("Make a plan"), "You need the expiry_plans.create capability");
  });
});
