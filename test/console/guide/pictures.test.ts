/**
 * The pictures of docs/guides/console.md. `UPDATE_IMAGES=1 npx vitest run test/console/guide/pictures.test.ts` makes them
 * again.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { sections } from "../../../console/frame/sections.ts";
import { readPicture } from "../../../site/pictures.ts";
import { startSending } from "../../events/deliveries/sending.ts";
import { startSink } from "../../world/sink.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { pythonMoves } from "../timeline/histories.ts";
import { untilDrawn } from "../timeline/picture.ts";
import { type Example, newExampleOrganization } from "./example_organization.ts";

const folder = "docs/images/console";
const size = { width: 1280, height: 800 };

/** A reader loads all of them. In bytes. */
const maxSize = 100_000;

interface Picture {
  name: string;
  path: string;
  /** In pixels, if the page needs more than the others. */
  height?: number;
  /** The inputs of a person before the picture. */
  act?: (page: Page) => Promise<unknown>;
}

/** The pages of the navigation, and the pages that they lead to. */
function pictures({
  organization,
  python,
  shop,
  digest,
  pipeline,
  identityProvider,
}: Example): Picture[] {
  const group = `group=${organization.uid}`;
  return [
    ...sections
      .flatMap(({ places }) => places)
      .filter(({ title }) => !sending.includes(title))
      .map(({ title, address }) => ({ name: nameOf(title), path: address(organization.uid) })),
    { name: "repository", path: `/repositories/${shop.uid}` },
    {
      ...{ name: "timeline", height: 1180 },
      path: `/tags/${python.uid}?at=2024-10-18T00:00:00Z`,
      act: (page) => untilDrawn(page, pythonMoves.length),
    },
    { name: "image", path: `/images/${shop.uid}@${digest}?view=vulnerabilities` },
    { name: "vulnerability", path: `/vulnerabilities/CVE-2023-6246?${group}` },
    { name: "identity", path: `/identities/${pipeline}` },
    { name: "identity-provider", path: `/identity-providers/${identityProvider}` },
    { name: "search", path: `/?${group}`, act: search },
  ];
}

/** These pages need a platform that sends events. */
const sending = ["Subscriptions", "Deliveries"];
const nameOf = (title: string) => title.toLowerCase().replaceAll(" ", "-");

async function search(page: Page) {
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: /^Go to a page/ }).fill("pyth");
  await page
    .getByRole("option", { name: /^python/ })
    .first()
    .waitFor();
}

async function take(page: Page, name: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const shot = { format: "webp", quality: 80 } as const;
  const { data } = await devtools.send("Page.captureScreenshot", shot);
  await writeFile(`${folder}/${name}.webp`, Buffer.from(data, "base64"));
}

async function takeAll(example: Example): Promise<void> {
  for (const { name, path, height = size.height, act } of pictures(example)) {
    const { page } = await openConsole({
      ...{ as: example.organization.owner.uid, path: `/console${path}`, ...size, height },
      claims: { email: "ada@example.com" },
    });
    await page.waitForLoadState("networkidle");
    await expect.poll(() => page.locator(".loading, .cell .bar").count()).toBe(0);
    await act?.(page);
    await take(page, name);
  }
}

/** Two subscriptions: the sink of one of them answers with errors. */
async function takeDeliveries(): Promise<void> {
  const [platform, good, bad] = [await startSending(), await startSink(), await startSink()];
  bad.respondWith((_, response) => void response.writeHead(503).end("down"));
  const { uid } = await platform.done("/iam/v2/groups", { name: "acme.example" });
  await platform.subscribe(uid, { sink: good.url });
  await platform.subscribe(uid, { sink: bad.url, filters: { types: ["registry.*"] } });
  for (const name of ["node", "nginx", "redis"])
    await platform.done(`/registry/v2/repos/${uid}`, { name });
  for (const title of sending) {
    const path = `/console/${nameOf(title)}?group=${uid}`;
    const visit = { as: platform.owner, origin: platform.origin, path, ...size };
    const { page } = await openConsole(visit);
    await page.waitForLoadState("networkidle");
    await take(page, nameOf(title));
  }
  await Promise.all([platform.close(), good.close(), bad.close()]);
}

if (process.env.UPDATE_IMAGES) {
  describeInChromium("the pictures are made again", () => {
    test("of an organization with images, findings, workloads and people", async () => {
      await takeAll(await newExampleOrganization());
      await takeDeliveries();
    });
  });
}

const guide = await readFile("docs/guides/console.md", "utf8");

test("the guide shows each page of the navigation, and names it as the navigation does", () => {
  for (const { title } of sections.flatMap(({ places }) => places)) {
    expect(guide).toContain(`../images/console/${nameOf(title)}.webp`);
    expect(guide).toContain(`**${title}**`);
  }
});

test("the guide shows each picture once, and each has the right width and few bytes", async () => {
  const files = await readdir(folder);
  const shown = [...guide.matchAll(/!\[[^\]]+\]\(\.\.\/images\/console\/(\S+)\)/g)].map(
    ([, name]) => name,
  );
  expect(shown.sort()).toEqual(files.sort());
  for (const file of files) {
    const bytes = await readFile(`${folder}/${file}`);
    const { width } = readPicture(`../images/console/${file}`, "docs/guides/console.md", ".");
    expect([file, width]).toEqual([file, size.width]);
    expect([file, bytes.length < maxSize]).toEqual([file, true]);
  }
});
