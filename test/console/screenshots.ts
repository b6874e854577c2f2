/** Compares pages with committed pictures. `UPDATE_SCREENSHOTS=1` writes new ones. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import { expect } from "vitest";

const folder = join(import.meta.dirname, "pictures");

/** The share of pixels that can differ: versions of Chromium and of its fonts draw the edges of letters differently. */
const tolerance = 0.02;

/** Parts that differ in every run: times, uids, digests and values that depend on the day. */
const changingParts = "time, code, .copyable, canvas, .u-over, [data-changing]";

const fontsFile = join(folder, "fonts.txt");

/** The widths of a text in the two fonts of the console, in hundredths of a pixel. */
const fontsOf = (page: Page): Promise<number[]> =>
  page.evaluate(() => {
    const pen = document.createElement("canvas").getContext("2d");
    const style = getComputedStyle(document.body);
    return [style.fontFamily, style.getPropertyValue("--mono")].map((family) => {
      if (!pen) throw new Error("the page has no canvas");
      pen.font = `16px ${family}`;
      return Math.round(pen.measureText("The quick brown fox, 0123456789").width * 100);
    });
  });

/** Returns whether this machine has the fonts of the pictures. Another font moves every line of a page. */
async function hasFonts(page: Page): Promise<boolean> {
  const fonts = `${(await fontsOf(page)).join(" ")}\n`;
  if (process.env.UPDATE_SCREENSHOTS) writeFileSync(fontsFile, fonts);
  return fonts === readFileSync(fontsFile, "utf8");
}

/**
 * Expects that the part of the page in the window looks like the picture with that name. On a machine with other fonts,
 * it compares nothing and prints that. It does not compare what `changing` selects, nor the parts of all pages that change.
 */
export async function expectPicture(page: Page, name: string, changing = ""): Promise<void> {
  if (!(await hasFonts(page))) {
    console.warn(`This machine has other fonts than the pictures. ${name} is not compared.`);
    return;
  }
  const bytes = await page.screenshot({
    animations: "disabled",
    caret: "hide",
    mask: [page.locator([changingParts, changing].filter(Boolean).join(", "))],
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
  const share = count / (width * height);
  if (share < tolerance) return;
  const seen = join(tmpdir(), `${name}.png`);
  writeFileSync(seen, bytes);
  expect.fail(`${name} looks different: ${(share * 100).toFixed(1)} % of its pixels; see ${seen}`);
}
