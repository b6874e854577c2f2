/** A tag that moved 100,000 times: what the page asks, draws and puts on the page stays bounded. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newOrganization } from "../../world/personas.ts";
import { describeInChromium, launch, openConsole } from "../chromium.ts";
import { makeLongHistory } from "./histories.ts";

const count = 100_000;

const drawn = (page: Page) =>
  page.locator(".timeline-plot").evaluate((plot) => {
    const { records, shapes } = (plot as HTMLElement).dataset;
    return { records: Number(records), shapes: Number(shapes), width: plot.clientWidth };
  });
const elements = (page: Page) => page.evaluate(() => document.querySelectorAll("*").length);

describeInChromium("a tag with 100,000 records", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test("all records are loaded by one request for 200 of them, and drawn by a few shapes", async () => {
    const t0 = Date.now();
    const organization = await newOrganization();
    const { uid } = await makeLongHistory(organization, count);
    console.log("made", Date.now() - t0);
    const path = `/console/tags/${uid}`;
    const { page, faults, close } = await openConsole(browser, {
      as: organization.owner.uid,
      path,
    });
    let requests = 0;
    page.on("request", (request) => {
      if (request.url().includes("/tagMoves")) requests += 1;
    });
    await page.locator("progress").waitFor();
    console.log("opened", Date.now() - t0, await drawn(page));
    await page.locator("progress").waitFor({ state: "detached", timeout: 170_000 });
    console.log("loaded", Date.now() - t0, requests, await drawn(page), await elements(page));
    expect(faults).toEqual([]);
    await close();
  }, 180_000);
});
