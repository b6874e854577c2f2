/**
 * Server-side request forgery through the sink of a subscription. It is checked again before each request, so
 * nothing is sent to a sink that has become private, or that no call would store.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { randomName, randomUid } from "../../world/personas.ts";
import { badDestinations, badNames } from "./destinations.ts";
import { type PublicPlatform, startPublicPlatform } from "./public_platform.ts";
import { newTenant, type Tenant } from "./url_entry_points.ts";

let platform: PublicPlatform;
let tenant: Tenant;
beforeAll(async () => {
  platform = await startPublicPlatform();
  tenant = await newTenant(platform);
});
afterAll(() => platform?.stop());
beforeEach(() => platform.forget());
afterEach(() => expect(platform.reached()).toBe(0));

async function created(path: string, body: unknown): Promise<string> {
  const answer = await platform.call(path, { token: tenant.token, body });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
  return answer.body.uid;
}

/** A subscription in the database with that sink, however it was written. */
async function storedSubscription(group: string, sink: string): Promise<string> {
  const uid = `${group}/${randomUid().slice(0, 16)}`;
  await platform.db
    .prepare("insert into subscriptions (uid, sink, create_time, update_time) values (?, ?, 1, 1)")
    .bind(uid, sink)
    .run();
  return uid;
}

/** The attempts of a subscription's deliveries. */
async function attemptsOf(subscription: string) {
  const { body } = await platform.call(`/events/v2/deliveries?parent=${subscription}`, {
    token: tenant.token,
  });
  return body.deliveries.flatMap((one: { attempts?: unknown[] }) => one.attempts ?? []);
}

describe("a sink from the database", () => {
  const sinks = [...badDestinations, ...badNames];
  const subscriptions = new Map<string, string>();
  beforeAll(async () => {
    const group = await created(`/iam/v2/groups/${tenant.group}`, { name: randomName("bad") });
    for (const [, sink] of sinks) subscriptions.set(sink, await storedSubscription(group, sink));
    platform.forget();
    await created(`/registry/v2/repos/${group}`, { name: "app" });
    await platform.runSchedule();
    expect(platform.sent).toEqual([]);
  });

  test.each(sinks)("that is %s receives no request: %s", async (_, sink) => {
    const attempts = await attemptsOf(subscriptions.get(sink) ?? "");
    expect(attempts.length).toBeGreaterThan(0);
    for (const { status, error } of attempts) {
      expect(status).toBe(0);
      expect(error).toMatch(/^the sink (must|has (no address|the host .*, which has))/);
    }
  });
});

const eventTypes = ["api.platform.registry.repo.*"];

/** A sink that agrees to receive events, and answers them in its own way. */
const confirming = (answer: () => Response) => (_path: string, asked: { method: string }) =>
  asked.method === "OPTIONS"
    ? new Response(null, { headers: { "webhook-allowed-origin": "*" } })
    : answer();

describe("a sink that was public when it was created", () => {
  test("receives no request when its name has a private address", async () => {
    const sink = `https://${randomName("moving")}.example`;
    const group = await created(`/iam/v2/groups/${tenant.group}`, { name: randomName("moved") });
    const subscription = await created(`/events/v2/subscriptions/${group}`, { sink, eventTypes });
    platform.sites.set(
      sink,
      confirming(() => new Response("ok")),
    );
    await created(`/registry/v2/repos/${group}`, { name: "first" });
    await platform.runSchedule();
    await platform.runSchedule();
    expect(platform.sent).toEqual([`OPTIONS ${sink}/`, `POST ${sink}/`]);
    platform.addresses.set(new URL(sink).hostname, "169.254.169.254");
    await created(`/registry/v2/repos/${group}`, { name: "second" });
    await platform.runSchedule();
    expect(platform.sent).toEqual([`OPTIONS ${sink}/`, `POST ${sink}/`]);
    expect((await attemptsOf(subscription))[0].error).toContain(
      "which has a private or special address",
    );
  });

  test.each([301, 302, 303, 307, 308])(
    "is not followed to a private address by %i",
    async (status) => {
      const sink = `https://${randomName("sending")}.example`;
      const group = await created(`/iam/v2/groups/${tenant.group}`, { name: randomName("sent") });
      const subscription = await created(`/events/v2/subscriptions/${group}`, { sink, eventTypes });
      const location = "http://127.0.0.1/latest/meta-data";
      platform.sites.set(
        sink,
        confirming(() => new Response(null, { status, headers: { location } })),
      );
      await created(`/registry/v2/repos/${group}`, { name: "app" });
      await platform.runSchedule();
      await platform.runSchedule();
      expect(platform.sent).toEqual([`OPTIONS ${sink}/`, `POST ${sink}/`]);
      expect(await attemptsOf(subscription)).toEqual([expect.objectContaining({ status })]);
    },
  );
});
