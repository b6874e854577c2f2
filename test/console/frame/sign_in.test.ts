/** The page of the console for someone who is not signed in. */
import { expect, test } from "vitest";
import { baseUrl } from "../../world/platform.ts";
import {
  describeInChromium,
  expectAccessible,
  expectNoOverflow,
  faultsOf,
  newProfile,
} from "../chromium.ts";

describeInChromium("the page to sign in", () => {
  test("shows the command of the platform on this machine as code that can be copied", async () => {
    const context = await newProfile();
    const origin = baseUrl();
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
    const page = await context.newPage();
    const faults = faultsOf(page);
    // `npm start` answers this.
    const owner = { organization: { uid: "", name: "acme" }, owner: { uid: "", name: "owner" } };
    await page.route("**/console/local-owner", (route) => route.fulfill({ json: owner }));
    await page.goto(`${origin}/console`);
    await page.getByRole("button", { name: "Sign in as the owner of acme" }).waitFor();
    await page.locator("code", { hasText: /^npm start$/ }).waitFor();
    expect(await page.locator("body").innerText()).not.toContain("`");
    await page.getByRole("button", { name: "Copy the command" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("npm start");
    for (const [colorScheme, width] of [
      ["dark", 1280],
      ["light", 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await expectAccessible(page);
      await expectNoOverflow(page);
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});
