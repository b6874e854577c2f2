/** A tag that moved very often: what the page asks, draws and puts on the page stays bounded. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { newOrganization } from "../../world/personas.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { makeLongHistory } from "./histories.ts";
import { countMoves, drawn, placeIn, untilDrawn } from "./picture.ts";

const sizes = [
  [10_000, {}],
  [100_000, long],
] as const;
const pageSize = 200;

const elements = (page: Page) => page.evaluate(() => document.querySelectorAll("*").length);

for (const [count, tier] of sizes)
  describeInChromium(`a tag with ${count} records`, () => {
    test(
      "is loaded while it is drawn, until the person leaves, and needs few shapes and elements",
      tier,
      async () => {
        const organization = await newOrganization();
        const { repo } = await makeLongHistory(organization, count);
        const { page } = await openConsole({
          as: organization.owner.uid,
          path: `/console/repositories/${repo}`,
        });
        const asked = countMoves(page);
        await page.getByRole("link", { name: "latest" }).click();
        const bar = page.locator("progress");
        await bar.waitFor();
        expect((await drawn(page)).records).toBeLessThan(count);
        await page.getByRole("link", { name: "long", exact: true }).click();
        await page.getByRole("link", { name: "latest" }).waitFor();
        const whenLeft = asked.count;
        await page.getByRole("link", { name: "Roles" }).click();
        await page.getByRole("link", { name: "viewer", exact: true }).waitFor();
        expect(asked.count).toBe(whenLeft);

        asked.count = 0;
        await page.goBack();
        await page.goBack();
        await bar.waitFor();
        // As long as more records come.
        while ((await bar.count()) > 0) {
          const before = asked.count;
          await expect
            .poll(async () => asked.count > before || (await bar.count()) === 0)
            .toBe(true);
        }
        await untilDrawn(page, count);
        // One request for each page, and one for the first record.
        expect(asked.count).toBe(count / pageSize + 1);
        const { shapes, width } = await drawn(page);
        expect(shapes).toBeLessThanOrEqual(1.5 * width);
        const before = await elements(page);
        expect(before).toBeLessThan(1_000);

        const { x, y } = await placeIn(page, 0.5);
        await page.mouse.move(x, y);
        for (let turn = 0; turn < 6; turn += 1) await page.mouse.wheel(0, -300);
        await page.mouse.down();
        for (let step = 1; step <= 20; step += 1) await page.mouse.move(x + step * 10, y);
        await page.mouse.up();
        const status = page.getByText(` of ${count.toLocaleString("en")} records`);
        await status.waitFor();
        const zoomed = await drawn(page);
        expect(zoomed.records).toBeLessThan(count / 10);
        expect(zoomed.shapes).toBeLessThanOrEqual(1.5 * width);
        expect(Math.abs((await elements(page)) - before)).toBeLessThan(300);
        expect(asked.count).toBe(count / pageSize + 1);
      },
    );
  });
