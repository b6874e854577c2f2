/** Lists in a narrow window: what has no room is in the row. */
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { createResource, fakeDigest, newOrganization } from "../../world/personas.ts";
import {
  describeInChromium,
  expectAccessible,
  expectNoOverflow,
  openConsole,
} from "../chromium.ts";
import { newPushedRepo, pushImage } from "../scanned_images.ts";

/** A repository with the pushed tag `2.0` and more tags without an image. */
async function newTags(more = 0) {
  const organization = await newOrganization();
  const repo = await newPushedRepo(organization);
  for (let at = 0; at < more; at += 1) {
    const tag = { name: `1.${at}`, digest: fakeDigest(`${at}`) };
    await createResource(`/registry/v2/tags/${repo.uid}`, organization.owner.token, tag);
  }
  const { digest } = await pushImage(repo, { tag: "2.0" });
  return { digest, as: organization.owner.uid, path: `/console/repositories/${repo.uid}` };
}

const boxOf = async (element: Locator) => {
  const box = await element.boundingBox();
  if (!box) throw new Error("the element is not shown");
  return box;
};

describeInChromium("a list in a narrow window", () => {
  test("a tap on a row shows all columns, the digest can be copied whole, and no row covers another", async () => {
    const { digest, ...visit } = await newTags(2);
    const { page } = await openConsole({ ...visit, width: 390 });
    const row = page.getByRole("row").filter({ hasText: "2.0" });
    const button = row.getByRole("button", { name: /^More about 2\.0/ });
    await expect.poll(() => button.getAttribute("aria-expanded")).toBe("false");
    await row.getByText(/ago|now/).click();
    await expect.poll(() => button.getAttribute("aria-expanded")).toBe("true");
    await expect
      .poll(() => row.locator("dt").allInnerTexts())
      .toEqual(["Digest", "Findings", "Platforms", "Size"]);
    const details = row.locator(".table-details");
    await details.getByText("amd64").waitFor();
    await details.getByText(/^\d+ B$/).waitFor();
    await details.getByText(digest.slice(0, 19)).waitFor();
    await details.getByRole("button", { name: "Copy the digest" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(digest);
    const next = page.getByRole("row").filter({ hasText: "1.1" });
    await expect
      .poll(async () => {
        const [above, below] = [await boxOf(row), await boxOf(next)];
        return below.y - (above.y + above.height);
      })
      .toBe(0);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
    await expectNoOverflow(page);
    await row.getByText(/ago|now/).click();
    await details.waitFor({ state: "detached" });
    await expect.poll(async () => (await boxOf(row)).height).toBe(44);
    // A link or a menu in the row does what it says, and the row stays as it is.
    await row.getByRole("button", { name: "Actions for 2.0" }).click();
    await page.getByRole("button", { name: "Pull", exact: true }).waitFor();
    expect(await details.count()).toBe(0);
  });

  test("the keyboard opens several rows and closes them, and a wide window has no such button", async () => {
    const visit = await newTags(1);
    const { page } = await openConsole({ ...visit, width: 390 });
    const [first, second] = ["2.0", "1.0"].map((name) =>
      page.getByRole("button", { name: new RegExp(`^More about ${name}`) }),
    );
    await first?.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.locator(".table-details").getByRole("link").first().waitFor();
    await second?.focus();
    await page.keyboard.press("Space");
    await expect.poll(() => page.locator(".table-details").count()).toBe(2);
    await first?.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".table-details").count()).toBe(1);
    await page.setViewportSize({ width: 800, height: 800 });
    await expect
      .poll(() => page.locator(".table-details dt:visible").allInnerTexts())
      .toEqual(["Platforms", "Size"]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await first?.waitFor({ state: "hidden" });
    const closed = page.getByRole("row").filter({ hasText: "1.0" });
    await expect.poll(async () => (await boxOf(closed)).height).toBe(44);
  });
});
