/** The notices of the console, which undo what they report, and where menus and dialogs leave the focus. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createResource, fakeDigest, newOrganization } from "../../world/personas.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

/** A repository with the tag `stable`, and the uid of its owner. */
async function newTag() {
  const { uid, owner } = await newOrganization();
  const repo = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "shop" });
  const body = { name: "stable", digest: fakeDigest("shop") };
  await createResource(`/registry/v2/tags/${repo.uid}`, owner.token, body);
  return { repo: repo.uid, owner: owner.uid };
}

async function deleteTag(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Actions for stable" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("Deleted stable.").waitFor();
}

describeInChromium("notices, menus and dialogs", () => {
  test("the keys undo the last change, except in a text field, and the pointer keeps the notice", async () => {
    const { repo, owner } = await newTag();
    const visit = { as: owner, path: `/console/repositories/${repo}`, isFirstVisit: true };
    const { page } = await openConsole(visit);
    await page.clock.install();
    await deleteTag(page);
    const notice = page.locator(".notice");
    await notice.hover();
    await page.clock.fastForward("01:00");
    expect(await notice.count()).toBe(1);
    await page.getByRole("searchbox").focus();
    await page.keyboard.press("Control+z");
    expect(await notice.count()).toBe(1);
    await page.getByRole("heading", { name: "shop", level: 1 }).focus();
    await page.keyboard.press("Control+z");
    await page.getByRole("link", { name: "stable", exact: true }).waitFor();
    expect(await notice.count()).toBe(0);

    await deleteTag(page);
    await page.mouse.move(0, 0);
    await page.clock.fastForward("01:00");
    await expect.poll(() => notice.count()).toBe(0);
  });

  test("the keys open a menu and a dialog, and closing them gives the focus back", async () => {
    const { repo, owner } = await newTag();
    const visit = { as: owner, path: `/console/repositories/${repo}` };
    const { page } = await openConsole(visit);
    const focused = () =>
      page.evaluate(() => document.activeElement?.ariaLabel || document.activeElement?.textContent);
    await page.getByRole("button", { name: "Actions for stable" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Pull", exact: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("Pull");
    await page.keyboard.press("Escape");
    await expect.poll(focused).toBe("Actions for stable");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Pull", exact: true }).waitFor();
    await page.keyboard.press("ArrowUp");
    expect(await focused()).toBe("Delete");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(focused).toBe("Actions for stable");
  });

  test("a change that cannot be undone says why, with the request id, and stays", async () => {
    const { repo, owner } = await newTag();
    const visit = { as: owner, path: `/console/repositories/${repo}`, isFirstVisit: true };
    const { page } = await openConsole(visit);
    await page.clock.install();
    await deleteTag(page);
    await page.route(`**/registry/v2/tags/${repo}`, (route) =>
      route.fulfill({
        status: 409,
        headers: { "x-request-id": "request-of-the-test" },
        json: { code: 6, message: "the tag exists", details: [] },
      }),
    );
    await page.getByRole("button", { name: "Undo" }).click();
    const notice = page.locator(".notice").filter({ hasText: "It could not be undone." });
    await notice.getByText("the tag exists").waitFor();
    await notice.getByText("request-of-the-test").waitFor();
    await page.mouse.move(0, 0);
    await page.clock.fastForward("01:00");
    await expectAccessible(page);
    await notice.getByRole("button", { name: "Close this message" }).click();
    expect(await notice.count()).toBe(0);
  });
});
