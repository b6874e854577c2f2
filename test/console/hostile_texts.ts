/** Texts that others choose and that must not change anything on a page except its text. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { expectNoOverflow } from "./chromium.ts";

/** Markup, a change of the direction of text, an emoji that is many characters, and 10,000 characters without a space. */
export const hostileTexts = [
  `<img src=x onerror="document.title='stolen'"><script>document.title='stolen'</script>`,
  "\u202Egnp.exe\u202C \u0627\u0644\u0639\u0631\u0628\u064A\u0629",
  "👩‍👩‍👧‍👦".repeat(5),
  "x".repeat(10_000),
] as const;

/** Expects that no text became markup and that the page is not wider than the window. */
export async function expectOnlyText(page: Page): Promise<void> {
  expect(await page.title()).not.toBe("stolen");
  expect(await page.locator("main img, main script").count()).toBe(0);
  await expectNoOverflow(page);
}
