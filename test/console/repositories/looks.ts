/** The looks of a page that tests of accessibility cover: each theme once, and each width once. */
import type { Page } from "playwright-core";
import { expectAccessible, expectNoOverflow } from "../chromium.ts";

const looks = [
  ["dark", 1280],
  ["light", 390],
] as const;

/** Expects that the page is accessible in both themes and in a narrow window, and never wider than the window. */
export async function expectGoodLooks(page: Page): Promise<void> {
  // Further down, the bar at the top covers a part of the page.
  await page.evaluate(() => window.scrollTo(0, 0));
  for (const [colorScheme, width] of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await expectAccessible(page);
    await expectNoOverflow(page);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** The part of the address after `/console`. */
export const addressOf = (page: Page): string => {
  const { pathname, search } = new URL(page.url());
  return decodeURIComponent((pathname + search).replace("/console", ""));
};
