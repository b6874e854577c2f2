/** The event log in the console, as a person uses it. */
import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { long } from "../../world/tiers.ts";

import { describeInChromium, openConsole } from "../chromium.ts";

const newTag = (organization: Organization, repo: string, name: string) =>
  createResource(`/registry/v2/tags/${repo}`, organization.owner.token, {
    ...{ name, digest: fakeDigest(name) },
  });

const row = (page: Page, text: string) =>
  page.getByRole("row").filter({ has: page.getByText(text, { exact: true }) });

describeInChromium("the event log", () => {
  let organization: Organization;
  let repo: string;
  let name: string;
  beforeEach(async () => {
    organization = await newOrganization();
    name = randomName("repo");
    const { uid, owner } = organization;
    ({ uid: repo } = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name }));
  });
  const open = (path: string, visit: Partial<Parameters<typeof openConsole>[0]> = {}) =>
    openConsole({
      ...{ as: organization.owner.uid, path: path.replace("{group}", organization.uid) },
      ...visit,
    });

  test("a person filters by type and repository, opens an event, and copies its body", async () => {
    const bot = await newIdentity(organization, "viewer");
    await newTag(organization, repo, "1.0");
    const { page } = await open("/console/events?group={group}");
    await page.getByRole("link", { name: `${name}:1.0` }).waitFor();
    const bound = page.getByRole("link", { name: /^viewer for bot-/ });
    await expect
      .poll(() => bound.getAttribute("href"))
      .toContain(`identity=${encodeURIComponent(bot.uid)}`);
    await page.getByRole("combobox", { name: "Filter" }).fill("tag created");
    await page.getByRole("option", { name: /^Tag created/ }).click();
    await page.getByText("1 event", { exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Filter" }).fill(name.slice(0, 12));
    await page.getByRole("option", { name: new RegExp(`^${name}.*Repository`) }).click();
    expect(new URL(page.url()).searchParams.get("repo")).toBe(repo);
    await page.reload();
    await page.getByRole("button", { name: `Remove Repository: ${name}` }).waitFor();
    await page.getByLabel("Time").selectOption("1h");
    await page.getByRole("link", { name: "Tag created" }).click();
    await page.getByRole("heading", { name: "Tag created", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Copy the body" }).click();
    const body = await page.evaluate(() => navigator.clipboard.readText());
    expect(JSON.parse(body)).toMatchObject({ name: "1.0", digest: fakeDigest("1.0") });
    await page.getByText("No subscription has received this event.").waitFor();
    await page.getByRole("link", { name: "See all events with the same value of Tag" }).click();
    await page.getByText("1 event", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("link", { name: "Repository created" }).waitFor();
  });

  test("a change appears in the live view a moment later, and not while it is paused", async () => {
    const { page } = await open("/console/events?group={group}&view=live");
    await page.getByText("Live", { exact: true }).nth(1).waitFor();
    await newTag(organization, repo, "1.0");
    await page.getByRole("link", { name: `${name}:1.0` }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await newTag(organization, repo, "2.0");
    await page.getByRole("button", { name: "Show 1 new event" }).waitFor();
    expect(await page.getByRole("link", { name: `${name}:2.0` }).count()).toBe(0);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("link", { name: `${name}:2.0` }).waitFor();
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await page.getByText("Waiting for the next event").waitFor();
  });

  test(
    "a stream that fails, breaks and expires comes back without losing an event",
    long,
    async () => {
      const { page } = await open("/console");
      const answers = [
        {
          status: 503,
          headers: { "retry-after": "30" },
          body: '{"code":14,"message":"No database."}',
        },
        {
          status: 200,
          body: 'event: error\ndata: {"code":14,"message":"The database is away."}\n\n',
        },
        {
          status: 200,
          body: 'event: error\ndata: {"code":16,"message":"The token has expired."}\n\n',
        },
      ];
      await page.route("**/events:stream?*", async (route) => {
        const answer = answers.shift();
        if (!answer) return route.continue();
        return route.fulfill({ ...answer, contentType: "text/event-stream" });
      });
      await page.getByRole("link", { name: "Event log" }).click();
      await page.getByRole("link", { name: "Live", exact: true }).click();
      await page.getByText(/^Connection lost, next attempt in \d\d s/).waitFor();
      await page.getByText("No database.").waitFor();
      await newTag(organization, repo, "1.0");
      await page.getByRole("button", { name: "Connect now" }).click();
      await page.getByRole("link", { name: `${name}:1.0` }).waitFor();
      await expectCount(page, `${name}:1.0`, 1);
      expect(answers).toEqual([]);
    },
  );

  test("without the capability, the page says which one is missing", long, async () => {
    const viewer = await newIdentity(organization, "viewer");
    const { page } = await open("/console/events?group={group}", { as: viewer.uid });
    await page.getByText(/You need the events.list capability/).waitFor();
    expect(await page.getByRole("table").count()).toBe(0);
  });

  test(
    "an error of the platform shows the request id, and the person can try again",
    long,
    async () => {
      const { page } = await open("/console");
      await page.route("**/events/v2/events?*", (route) =>
        route.fulfill({
          status: 500,
          headers: { "x-request-id": "request-of-the-test" },
          json: { code: 13, message: "The database is away." },
        }),
      );
      await page.getByRole("link", { name: "Event log" }).click();
      await page.getByText("request-of-the-test").waitFor();
      await page.unroute("**/events/v2/events?*");
      await page.getByRole("button", { name: "Try again" }).click();
      await row(page, "Repository created").waitFor();
    },
  );
});

async function expectCount(page: Page, link: string, count: number): Promise<void> {
  await expect.poll(() => page.getByRole("link", { name: link }).count()).toBe(count);
}
