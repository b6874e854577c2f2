/** Groups and access in the console with hostile texts, and with more groups than one page of the API has. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mapGroup, newProvider } from "../../issuer/login/logins.ts";
import { createResource, newOrganization, roleUid } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import {
  describeInChromium,
  expectAccessible,
  expectNoOverflow,
  launch,
  openConsole,
} from "../chromium.ts";

/** Markup, text from right to left, a picture, and no place to break a line. */
const hostile = `<img src=x onerror=alert(1)>\u202e"&'\u{1f4a3}${"w".repeat(180)}`;

describeInChromium("extremes of groups and access in the console", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test("hostile texts are only texts, and the page stays as wide as the window", async () => {
    const { owner, uid } = await newOrganization();
    const provider = await newProvider(uid, { issuer: "https://login.example.org" });
    await mapGroup(provider, hostile, await roleUid("viewer"), uid);
    const group = { name: "long".repeat(60), description: hostile };
    const { uid: inner } = await createResource(`/iam/v2/groups/${uid}`, owner.token, group);
    const path = `/console/access?group=${inner}`;
    const { page, faults, close } = await openConsole(browser, { as: owner.uid, path, width: 390 });
    const row = page.getByRole("row").filter({ hasText: "onerror=alert(1)" });
    await row.getByRole("link", { name: "viewer" }).waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await expectNoOverflow(page);
    }
    await page.getByRole("link", { name: "Who can" }).click();
    await page.getByRole("row").filter({ hasText: "onerror" }).getByText("Has access").waitFor();
    await expectNoOverflow(page);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Delete group" }).click();
    await page.setViewportSize({ width: 390, height: 800 });
    const dialog = page.getByRole("dialog");
    const [inside, outside] = await dialog.evaluate((one) => [one.scrollWidth, one.clientWidth]);
    expect(inside).toBe(outside);
    await expectAccessible(page);
    expect(faults).toEqual([]);
    await close();
  });

  test("a tree of more than one page is read group by group, and searched by the platform", async () => {
    const { owner, uid } = await newOrganization();
    const digits = (index: number) => index.toString(16).padStart(16, "0");
    const uids = Array.from({ length: 203 }, (_, index) => `${uid}/${digits(index)}`);
    const names = uids.map((one, index) => ({ uid: one, name: `group-${1000 + index}` }));
    const below = { uid: `${uids[0]}/${digits(7)}`, name: "needle" };
    await sql(
      `insert into groups (uid, name, create_time, update_time)
       select value ->> 'uid', value ->> 'name', 1, 1 from json_each(?)`,
      JSON.stringify([...names, below]),
    );
    const path = `/console/access?group=${uid}`;
    const { page, faults, close } = await openConsole(browser, { as: owner.uid, path });
    const tree = page.getByRole("navigation", { name: "Groups" });
    await tree.getByRole("link", { name: "group-1199" }).waitFor();
    expect(await tree.getByRole("link", { name: "group-1202" }).count()).toBe(0);
    await tree.getByRole("button", { name: "Show more groups" }).click();
    await tree.getByRole("link", { name: "group-1202" }).waitFor();
    await tree.getByRole("button", { name: "Groups below group-1000" }).click();
    await tree.getByRole("link", { name: "needle" }).waitFor();
    await tree.getByLabel("Find a group").fill("need");
    await tree.getByText("1 found").waitFor();
    await tree.getByText(/ \/ group-1000$/).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
