/**
 * The pictures of the timeline in the README. `UPDATE_IMAGES=1 npx vitest run test/console/timeline/pictures.test.ts`
 * makes them again.
 */
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { newUser, type Organization } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { importPython, pythonMoves } from "./histories.ts";
import { placeIn, untilDrawn } from "./picture.ts";

const size = { width: 1280, height: 708 };
const themes = ["light", "dark"] as const;
const pathOf = (theme: string) => `docs/images/timeline-${theme}.png`;

/** A reader of the README loads one of them. In bytes. */
const maxSize = 200_000;

/** An organization and people with names that readers understand. */
async function namedOrganization(): Promise<Organization> {
  const owner = await newUser();
  await sql("update identities set name = 'release-pipeline' where uid = ?", owner.uid);
  const asked = { token: owner.token, body: { name: "acme.example" } };
  const { body } = await callRest("/iam/v2/groups", asked);
  return { uid: body.uid, name: "acme.example", owner };
}

if (process.env.UPDATE_IMAGES) {
  describeInChromium("the pictures are made again", () => {
    test("from the sample history of python:latest", async () => {
      const organization = await namedOrganization();
      const { uid } = await importPython(organization);
      for (const theme of themes) {
        const { page } = await openConsole({
          ...{ as: organization.owner.uid, theme, ...size },
          claims: { email: "ada@example.com" },
          path: `/console/tags/${uid}?group=${organization.uid}&at=2024-10-18T00:00:00Z`,
        });
        await untilDrawn(page, pythonMoves.length);
        const { x, y } = await placeIn(page, 0.35);
        await page.mouse.move(x, y);
        await page.locator(".timeline-card").waitFor();
        await writeFile(pathOf(theme), await page.screenshot());
      }
    });
  });
}

describe.each(themes)("the picture for the %s theme", (theme) => {
  test("is a PNG of the right size with few bytes, and the README shows it", async () => {
    const bytes = await readFile(pathOf(theme));
    expect(bytes.toString("latin1", 1, 4)).toBe("PNG");
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([size.width, size.height]);
    expect(bytes.length).toBeLessThan(maxSize);
    expect(await readFile("README.md", "utf8")).toContain(pathOf(theme));
  });
});
