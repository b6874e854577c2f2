/** The texts below the picture of a tag, as a person reads them. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { newOrganization } from "../../world/personas.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { importPython } from "./histories.ts";
import { slider } from "./picture.ts";

/** Notes every text that the page draws from now on. */
const noteTexts = (page: Page) =>
  page.evaluate(() => {
    const notes: string[] = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      notes.push(text);
      fillText.call(this, text, ...rest);
    };
    Object.assign(window, { notes });
  });

/** The times that were drawn since the last call, such as `10:05`, in seconds of the day. */
const drawnTimes = (page: Page) =>
  page.evaluate(() => {
    const { notes } = window as unknown as { notes: string[] };
    const times = notes.splice(0).filter((text) => /^\d\d:\d\d(?::\d\d)?$/.test(text));
    return times.map((text) => {
      const [hours = 0, minutes = 0, seconds = 0] = text.split(":").map(Number);
      return hours * 3600 + minutes * 60 + seconds;
    });
  });

describeInChromium("the axis of the picture", () => {
  test("its times are whole steps, however the person has zoomed", async () => {
    const organization = await newOrganization();
    const tag = await importPython(organization);
    const part = "from=2020-01-01T10:00:00Z&to=2020-01-01T16:00:00.001Z";
    const path = `/console/tags/${tag.uid}?${part}`;
    const { page } = await openConsole({ as: organization.owner.uid, path });
    await page.locator(".timeline-plot[data-records]").waitFor();
    await page.emulateMedia({ reducedMotion: "reduce" });
    await noteTexts(page);
    await slider(page).focus();
    for (let zoom = 0; zoom < 6; zoom += 1) {
      await page.keyboard.press("+");
      const times: number[] = [];
      await expect
        .poll(async () => times.push(...(await drawnTimes(page))))
        .toBeGreaterThanOrEqual(3);
      const step = (times[1] ?? 0) - (times[0] ?? 0);
      expect(times.map((time) => time % step)).toEqual(times.map(() => 0));
    }
  });
});
