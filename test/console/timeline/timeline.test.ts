import { beforeAll, expect, test } from "vitest";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { long } from "../../world/tiers.ts";
import {
  describeInChromium,
  expectAccessible,
  expectNoOverflow,
  openConsole,
} from "../chromium.ts";
import { importPython, type MadeTag, pythonMoves } from "./histories.ts";
import { countMoves, drawn, parametersOf, placeIn, slider, untilDrawn } from "./picture.ts";

const all = pythonMoves.length;
const newest = pythonMoves.at(-1);

/** The digest of the tag at a time, by a plain loop over the moves, which are oldest first. */
const digestAt = (time: number) =>
  pythonMoves.findLast(({ updateTimestamp }) => Date.parse(updateTimestamp) <= time)?.digest;

describeInChromium("the history of python:latest", () => {
  let organization: Organization;
  let tag: MadeTag;
  const open = (more: object = {}, query = "") =>
    openConsole({
      as: organization.owner.uid,
      path: `/console/tags/${tag.uid}${query}`,
      ...more,
    });
  beforeAll(async () => {
    organization = await newOrganization();
    tag = await importPython(organization);
  });

  test("the picture and the table show every record, with three requests", async () => {
    const { page } = await openConsole({
      as: organization.owner.uid,
      path: `/console/repositories/${tag.repo}`,
    });
    const asked = countMoves(page);
    await page.getByRole("link", { name: "latest" }).click();
    await untilDrawn(page, all);
    expect(asked.count).toBe(3);
    const { shapes, width } = await drawn(page);
    expect(shapes).toBeGreaterThan(50);
    expect(shapes).toBeLessThanOrEqual(all);
    expect(width).toBeGreaterThan(800);
    await page.getByText(`${all} records`).waitFor();
    await page.getByText("230", { exact: true }).waitFor();
    const table = page.getByRole("table", { name: /Records in the picture/ });
    await expect.poll(() => table.getAttribute("aria-rowcount")).toBe(String(all + 1));
    expect(await table.getByRole("row").count()).toBeLessThan(80);
    await page.getByText(String(newest?.digest), { exact: true }).waitFor();
  });

  test("a click chooses a moment, a drag of its marker chooses another, and the reference can be copied", async () => {
    const { page } = await open();
    await untilDrawn(page, all);
    const { x, y } = await placeIn(page, 0.5);
    await page.mouse.click(x, y);
    const clicked = await parametersOf(page, (parameters) => parameters.has("at"));
    const at = Date.parse(clicked.get("at") ?? "");
    await page.getByText(String(digestAt(at)), { exact: true }).waitFor();
    await page.locator(".marker-a .timeline-handle").hover();
    await page.mouse.down();
    await page.mouse.move(x - 150, y - 100, { steps: 5 });
    await page.mouse.up();
    const dragged = await parametersOf(page, (p) => Date.parse(p.get("at") ?? "") < at);
    const digest = digestAt(Date.parse(dragged.get("at") ?? ""));
    await page.getByText(String(digest), { exact: true }).waitFor();
    await page.getByRole("button", { name: "Copy the reference with the tag" }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    // An organization that is not verified stands with its uid.
    expect(copied).toMatch(new RegExp(`/${organization.uid}/python:latest@${digest}$`));
    await page.getByRole("button", { name: "Copy the command" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `platformctl pin --keep-tag ${copied.slice(0, copied.indexOf("@"))}@${dragged.get("at")}`,
    );
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.keyboard.down("Shift");
    await page.mouse.click(x - 250, y);
    await page.keyboard.up("Shift");
    const second = await parametersOf(page, (parameters) => parameters.has("compare"));
    expect(second.get("at")).toBe(dragged.get("at"));
    expect(Date.parse(second.get("compare") ?? "")).toBeLessThan(at);
    // The future cannot be chosen: beyond the end of the picture is now.
    await page.locator(".marker-a .timeline-handle").hover();
    await page.mouse.down();
    await page.mouse.move(1279, y, { steps: 5 });
    await page.mouse.up();
    await page.getByRole("heading", { name: "The tag now" }).waitFor();
  });

  test("the wheel zooms, a drag moves, the table follows, and a link shows the same again", async () => {
    const { page } = await open();
    await untilDrawn(page, all);
    const { x, y } = await placeIn(page, 0.5);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -300);
    const zoomed = await parametersOf(page, (parameters) => parameters.has("from"));
    await page.mouse.down();
    await page.mouse.move(x + 120, y, { steps: 4 });
    await page.mouse.up();
    const from = Date.parse(zoomed.get("from") ?? "");
    const moved = await parametersOf(page, (p) => Date.parse(p.get("from") ?? "") < from);
    const part = [moved.get("from"), moved.get("to")].map((time) => Date.parse(time ?? ""));
    const [first = 0, last = 0] = part;
    const times = pythonMoves.map(({ updateTimestamp }) => Date.parse(updateTimestamp));
    const within = times.filter(
      (time, at) => time <= last && (times[at + 1] ?? Number.POSITIVE_INFINITY) > first,
    ).length;
    await page.getByText(`${within} of ${all} records`).waitFor();
    expect((await drawn(page)).records).toBe(within);
    const link = `?${moved}&at=2016-05-01T00:00:00Z`;
    const again = await open({}, link);
    await untilDrawn(again.page, within);
    const chosen = digestAt(Date.UTC(2016, 4, 1));
    await again.page.getByText(String(chosen), { exact: true }).waitFor();
    await page.mouse.dblclick(x, y);
    await untilDrawn(page, all);
    await page.getByRole("button", { name: "1 year" }).click();
    await parametersOf(page, (parameters) => parameters.has("from"));
    await page.getByRole("button", { name: "All" }).click();
    await untilDrawn(page, all);
  });

  test("with the keyboard alone, a person steps through records, zooms, chooses two moments and goes back to now", async () => {
    const { page } = await open();
    await untilDrawn(page, all);
    const picture = slider(page);
    for (let tab = 0; tab < 40; tab += 1) {
      if (await picture.evaluate((one) => one === document.activeElement)) break;
      await page.keyboard.press("Tab");
    }
    await expect.poll(() => picture.getAttribute("aria-valuenow")).toBe(String(all));
    await page.keyboard.press("Home");
    await expect.poll(() => picture.getAttribute("aria-valuenow")).toBe("1");
    for (const key of ["ArrowRight", "ArrowRight", "PageUp", "ArrowLeft"])
      await page.keyboard.press(key);
    await expect.poll(() => picture.getAttribute("aria-valuenow")).toBe("12");
    const move = pythonMoves[11];
    const short = String(move?.digest).slice(0, 19);
    await expect.poll(() => picture.getAttribute("aria-valuetext")).toContain(short);
    await page.keyboard.press("Enter");
    await parametersOf(page, (p) => p.get("at") === move?.updateTimestamp.replace(".000Z", "Z"));
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Shift+Enter");
    await page.getByRole("heading", { name: "Two moments compared" }).waitFor();
    await page.getByText("Neither image has an SBOM.").waitFor();
    await page.getByText("Neither image has a vulnerability report.").waitFor();
    for (let press = 0; press < 3; press += 1) await page.keyboard.press("+");
    await parametersOf(page, (parameters) => parameters.has("from"));
    expect((await drawn(page)).records).toBeLessThan(all);
    await page.keyboard.press("0");
    await untilDrawn(page, all);
    await page.getByRole("button", { name: "Now" }).first().focus();
    await page.keyboard.press("Enter");
    await parametersOf(page, (parameters) => !parameters.has("at"));
  });

  test.each([
    ["dark", 1280],
    ["light", 390],
  ] as const)("the page is accessible in the %s theme at %i pixels", long, async (theme, width) => {
    const query = "?at=2020-01-01T00:00:00Z&compare=now";
    const { page } = await open({ theme, width }, query);
    await untilDrawn(page, all);
    await page.getByText("Neither image has an SBOM.").waitFor();
    await expectAccessible(page);
    await expectNoOverflow(page);
  });
});
