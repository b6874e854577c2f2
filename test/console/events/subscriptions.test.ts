/** Subscriptions and deliveries in the console, with a sink that receives the events. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Sending, startSending } from "../../events/deliveries/sending.ts";
import { roleUid } from "../../world/personas.ts";
import { type Sink, startSink } from "../../world/sink.ts";
import { long } from "../../world/tiers.ts";
import {
  describeInChromium,
  expectAccessible,
  expectNoOverflow,
  openConsole,
} from "../chromium.ts";

describeInChromium("subscriptions in the console", () => {
  let platform: Sending;
  let sink: Sink;
  let organization: string;
  beforeAll(async () => {
    platform = await startSending({ DELIVERY_RETRIES: "300s 300s" });
  });
  afterAll(async () => {
    await platform?.close();
  });
  beforeEach(async () => {
    sink = await startSink();
    organization = await platform.newOrganization();
  });
  afterEach(() => sink.close());

  const open = (path: string, visit: Partial<Parameters<typeof openConsole>[0]> = {}) =>
    openConsole({
      ...{ as: platform.owner, origin: platform.origin },
      path: path.replace("{group}", organization),
      ...visit,
    });

  const types = () => sink.received.map(({ headers }) => String(headers["ce-type"]));

  /** Chooses an action of the menu with the rarer ones. */
  async function chooseMore(page: Page, action: string): Promise<void> {
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: action }).click();
  }

  test("a person subscribes a sink, sees the secret once, and watches a test event arrive", async () => {
    const { page } = await open("/console/subscriptions?group={group}");
    await page.getByText("There are no subscriptions here yet").waitFor();
    await page.getByRole("button", { name: "New subscription" }).click();
    await page.getByLabel("Sink").fill("https://10.0.0.1/events");
    await page.getByRole("button", { name: "Create" }).click();
    await page.locator(".field-error").waitFor();
    await page.getByLabel("Sink").fill(sink.url);
    await page.getByRole("combobox", { name: "Types of events" }).fill("repositories");
    await page.getByRole("option", { name: /^Changes of repositories/ }).click();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Copy the secret now.").waitFor();
    await page.getByRole("button", { name: "Copy the secret" }).click();
    const secret = await page.evaluate(() => navigator.clipboard.readText());
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("heading", { name: sink.url, level: 1 }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole("button", { name: "Send a test event" }).click();
    await page.getByRole("link", { name: "The test event" }).waitFor();
    await page.getByText("HTTP 200").first().waitFor();
    expect(types()).toEqual(["dev.vendor.api.events.subscription.tested.v1"]);
    await page.getByRole("row").filter({ hasText: "Test event" }).getByText("Delivered").waitFor();
  });

  test("a person edits, pauses, resumes and deletes a subscription, and replaces its secret", async () => {
    const { uid } = await platform.subscribe(organization, { sink: sink.url });
    const { page } = await open(`/console/subscriptions/${uid}`);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Tags").fill("1.*");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved the subscription.").waitFor();
    await page.getByText("1.*", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("The sink receives nothing. When you resume").waitFor();
    const test = page.getByRole("button", { name: "Send a test event" });
    await expect.poll(() => test.getAttribute("aria-disabled")).toBe("true");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Active", { exact: true }).waitFor();
    await chooseMore(page, "Replace the secret");
    await page.getByLabel("The old secret signs too for").selectOption("3600s");
    await page.getByRole("button", { name: "Replace", exact: true }).click();
    await page.getByText("The old secret signs too, for 1 hour.").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await platform.done(`/events/v2/subscriptions/${uid}:test`, {});
    await sink.until(() => types().some((type) => type.endsWith(".tested.v1")));
    expect(String(sink.received.at(-1)?.headers["webhook-signature"]).split(" ")).toHaveLength(2);
    await chooseMore(page, "Delete");
    await page.getByRole("button", { name: "Delete", exact: true }).last().click();
    await page.getByText("There are no subscriptions here yet").waitFor();
  });

  test("a person finds a delivery that fails, sends it again, and sends a period again", async () => {
    sink.respondWith((_, response) => void response.writeHead(503).end("<b>closed</b> today"));
    const filters = { eventTypes: ["api.platform.registry.repo.*"] };
    const { uid } = await platform.subscribe(organization, { sink: sink.url, ...filters });
    const since = new Date(Date.now() - 60_000);
    await platform.newRepo(organization);
    await sink.until(() => sink.received.length > 0);
    const { page } = await open("/console/deliveries?group={group}");
    await page.getByLabel("State").selectOption("failed");
    await page.getByText("No delivery is in this state").waitFor();
    await page.getByLabel("State").selectOption("pending");
    await page.getByText("Trying again").waitFor();
    await page.getByRole("link", { name: "Repository created" }).click();
    await page.getByText("<b>closed</b> today").waitFor();
    await page.getByText(/^next in 5 minutes|^next in 4 minutes/).waitFor();
    sink.respondWith();
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByText("Delivered", { exact: true }).waitFor();
    await page.getByText("HTTP 200").waitFor();
    await page.getByRole("link", { name: "Repository created" }).click();
    await page.getByRole("link", { name: sink.url }).click();
    const before = sink.received.length;
    await chooseMore(page, "Send a period again");
    await page.getByLabel("From").fill(localMinute(since));
    await page.getByRole("button", { name: "Send again", exact: true }).click();
    await page.getByText("1 event is sent again.").waitFor();
    await sink.until(() => sink.received.length > before);
    const ids = sink.received.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(1);
    expect(page.url()).toContain(uid);
  });

  test("a viewer reads subscriptions, and sees why nothing can be changed", long, async () => {
    const { uid } = await platform.subscribe(organization, { sink: sink.url });
    const { uid: viewer } = await platform.done(`/iam/v2/identities/${organization}`, {
      name: "reader",
    });
    const binding = { identityUid: viewer, roleUid: await roleUid("viewer") };
    await platform.done(`/iam/v2/roleBindings/${organization}`, binding);
    const path = "/console/subscriptions?group={group}";
    const { page } = await open(path, { as: viewer });
    const create = page.locator('button[aria-disabled="true"]', { hasText: "New subscription" });
    await page.getByRole("link", { name: sink.url }).waitFor();
    await create.focus();
    await page.getByRole("tooltip", { name: /You need the subscriptions.create/ }).waitFor();
    await page.getByRole("link", { name: sink.url }).click();
    await page.locator('button[aria-disabled="true"]', { hasText: "Pause" }).focus();
    await page.getByRole("tooltip", { name: /You need the subscriptions.update/ }).waitFor();
    await page.route(`**/events/v2/subscriptions/${uid}`, (route) => route.abort());
    await page.reload();
    await page
      .getByText(/cannot be reached/)
      .first()
      .waitFor();
    await page.unroute(`**/events/v2/subscriptions/${uid}`);
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByRole("heading", { name: sink.url, level: 1 }).waitFor();
  });

  test.each([
    ["light", 1280],
    ["dark", 390],
  ] as const)("the pages and dialogs are accessible (%s, %i px)", long, async (theme, width) => {
    sink.respondWith((_, response) => void response.writeHead(500).end("broken".repeat(100)));
    const url = `${sink.url}?${"long".repeat(100)}`;
    await platform.subscribe(organization, { sink: url });
    await platform.newRepo(organization);
    await sink.until(() => sink.received.length > 0);
    const { page } = await open("/console/subscriptions?group={group}", { theme, width });
    await page.getByRole("table").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "New subscription" }).click();
    await page.getByRole("combobox", { name: "Types of events" }).click();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("link", { name: url }).click();
    await page.getByText("Trying again").first().waitFor();
    await expectAccessible(page);
    await page.getByRole("row").getByRole("link").first().click();
    await page.getByText("HTTP 500").first().waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Deliveries" }).first().click();
    await page.getByRole("table").waitFor();
    await expectAccessible(page);
    await expectNoOverflow(page);
  });
});

/** A time as a field takes it, in the time zone of the browser. */
const localMinute = (time: Date): string => time.toISOString().slice(0, 16);
