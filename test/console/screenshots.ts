/** Compares pages with committed pictures. `UPDATE_SCREENSHOTS=1` writes new ones. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import { expect } from "vitest";

const folder = join(import.meta.dirname, "pictures");

/** The share of pixels that can differ: versions of Chromium and of its fonts draw the edges of letters differently. */
const tolerance = 0.02;

/** Parts that differ in every run: times, uids, digests and values that depend on the day. */
const changing = "time, code, .copyable, canvas, .u-over, [data-changing]";

/** Expects that the part of the page in the window looks like the picture with that name. */
export async function expectPicture(page: Page, name: string): Promise<void> {
  const bytes = await page.screenshot({
    animations: "disabled",
    caret: "hide",
    mask: [page.locator(changing)],
    maskColor: "#888",
  });
  const path = join(folder, `${name}.png`);
  if (process.env.UPDATE_SCREENSHOTS || !existsSync(path)) {
    expect(process.env.CI, `there is no picture ${name}`).toBeUndefined();
    mkdirSync(folder, { recursive: true });
    return writeFileSync(path, bytes);
  }
  const [now, then] = [PNG.sync.read(bytes), PNG.sync.read(readFileSync(path))];
  expect([name, now.width, now.height]).toEqual([name, then.width, then.height]);
  const { width, height } = now;
  const count = pixelmatch(now.data, then.data, undefined, width, height, { threshold: 0.2 });
  expect(count / (width * height), `${name} looks different`).toBeLessThan(tolerance);
}
