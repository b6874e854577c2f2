/** Attempts: when they are repeated, when a delivery ends, and when a subscription is disabled. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Sink, startSink } from "../../world/sink.ts";
import { long } from "../../world/tiers.ts";
import { type Sending, startSending } from "./sending.ts";

let platform: Sending;
let sink: Sink;
let organization: string;
let subscription: string;
beforeAll(async () => {
  platform = await startSending();
});
afterAll(() => platform?.close());
beforeEach(async () => {
  sink = await startSink();
  organization = await platform.newOrganization();
  ({ uid: subscription } = await platform.subscribe(organization, { sink: sink.url }));
  const isNew = ({ headers }: { headers: object }) =>
    Object.entries(headers).some(([, value]) => value === subscription);
  await sink.until(() => sink.received.some(isNew));
  // A subscription also gets events of the minute before it. Those of its organization can come after its own.
  await expect.poll(() => deliveriesIn("DELIVERY_STATE_PENDING")).toEqual([]);
  sink.received.length = 0;
});
afterEach(() => sink.close());

const deliveriesIn = async (state = "DELIVERY_STATE_UNSPECIFIED") =>
  (await platform.done(`/events/v2/deliveries?parent=${subscription}&state=${state}`)).deliveries ??
  [];
const deliveryOf = async (subject: string) =>
  (await deliveriesIn()).find((one: { eventSubject: string }) => one.eventSubject === subject);
/** Waits until the delivery of the event about a resource is as a test says. */
async function deliveryAs(subject: string, fields: object) {
  await expect.poll(() => deliveryOf(subject)).toMatchObject(fields);
  return deliveryOf(subject);
}
const subscriptionNow = () => platform.done(`/events/v2/subscriptions/${subscription}`);

describe("a delivery", () => {
  test("keeps its attempts with status, latency and the first 1 KiB of the response", async () => {
    const answers = [500, 404, 200];
    sink.respondWith((_, response) => {
      response.writeHead(answers.shift() ?? 200).end("é".repeat(5000));
    });
    const repo = await platform.newRepo(organization);
    const delivery = await deliveryAs(repo, { state: "DELIVERY_STATE_DELIVERED" });
    expect(delivery).toEqual({
      uid: expect.stringMatching(new RegExp(`^${subscription}/[0-9a-f]{16}$`)),
      eventId: sink.received[0]?.headers["webhook-id"],
      eventType: "dev.vendor.api.platform.registry.repo.created.v1",
      eventSubject: repo,
      state: "DELIVERY_STATE_DELIVERED",
      attempts: [500, 404, 200].map((status) => ({
        attemptTime: expect.any(String),
        latency: expect.stringMatching(/^\d+(\.\d+)?s$/),
        status,
        response: "é".repeat(512),
      })),
      createTime: expect.any(String),
      endTime: expect.any(String),
    });
    const ids = sink.received.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(1);
    const { body } = await platform.call(`/events/v2/deliveries/${delivery.uid}`);
    expect(body).toEqual(delivery);
  });

  test("is signed again at each attempt", async () => {
    sink.respondWith((_, response) => {
      response.writeHead(sink.received.length === 1 ? 500 : 200).end();
    });
    await platform.newRepo(organization);
    await sink.until(() => sink.received.length === 2);
    const [first, second] = sink.received.map(({ headers }) =>
      Number(headers["webhook-timestamp"]),
    );
    expect(second).toBeGreaterThan(first ?? 0);
  });

  test("fails after the last pause, and the next event of the resource follows", async () => {
    const repo = await platform.newRepo(organization);
    await sink.until(() => sink.received.length === 1);
    sink.respondWith((_, response) => {
      response.writeHead(sink.received.length <= 6 ? 503 : 200).end();
    });
    await platform.done(`/registry/v2/repos/${repo}`, { description: "a" }, "PATCH");
    await platform.done(`/registry/v2/repos/${repo}`, { description: "b" }, "PATCH");
    await sink.until(() => sink.received.length === 7);
    const failed = await deliveriesIn("DELIVERY_STATE_FAILED");
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatchObject({ eventSubject: repo, endTime: expect.any(String) });
    expect(failed[0].attempts).toHaveLength(5);
    expect(failed[0]).not.toHaveProperty("nextAttemptTime");
    expect(JSON.parse(sink.received.at(-1)?.body ?? "{}").body.description).toBe("b");
  });

  test("waits as long as the sink says", async () => {
    sink.respondWith((_, response) => {
      response.writeHead(503, { "retry-after": "3600" }).end();
    });
    const repo = await platform.newRepo(organization);
    const { attempts, nextAttemptTime } = await deliveryAs(repo, {
      attempts: [expect.objectContaining({ status: 503 })],
      nextAttemptTime: expect.any(String),
    });
    const pause = Date.parse(nextAttemptTime) - Date.parse(attempts[0].attemptTime);
    expect(pause).toBeGreaterThanOrEqual(3_600_000);
    expect(pause).toBeLessThan(3_610_000);
  });

  test.each([
    ["a redirect is not followed", 302, { location: "/elsewhere" }],
    ["a page that does not exist is a failure", 404, {}],
  ])("%s", async (_, status, headers) => {
    sink.respondWith((__, response) => void response.writeHead(status, headers).end());
    const repo = await platform.newRepo(organization);
    await deliveryAs(repo, {
      state: "DELIVERY_STATE_PENDING",
      attempts: expect.arrayContaining([expect.objectContaining({ status })]),
    });
  });

  test("ends an attempt after 10 seconds without a response, and says so", long, async () => {
    sink.respondWith(() => {});
    const repo = await platform.newRepo(organization);
    const error = "the sink did not respond within 10 seconds";
    const { attempts } = await deliveryAs(repo, {
      attempts: [expect.objectContaining({ status: 0, error })],
    });
    expect(Number.parseFloat(attempts[0].latency)).toBeGreaterThanOrEqual(9.9);
  });

  test("says that a connection was closed", async () => {
    sink.respondWith((_, response) => void response.destroy());
    const repo = await platform.newRepo(organization);
    const error = "the connection to the sink failed or was closed before a response";
    await deliveryAs(repo, {
      attempts: expect.arrayContaining([expect.objectContaining({ error })]),
    });
  });

  test("counts a status as a response, even if the body never ends", async () => {
    sink.respondWith((_, response) => void response.writeHead(200).write("begun"));
    const repo = await platform.newRepo(organization);
    await deliveryAs(repo, {
      state: "DELIVERY_STATE_DELIVERED",
      attempts: [expect.objectContaining({ status: 200, response: "begun" })],
    });
  });

  test("of a sender that died is sent again", async () => {
    sink.respondWith((_, response) => void response.writeHead(503, { "retry-after": "80" }).end());
    const repo = await platform.newRepo(organization);
    const { uid } = await deliveryAs(repo, { attempts: [expect.anything()] });
    sink.respondWith();
    await platform.sql(
      "update deliveries set lease = 'of a dead sender', due_time = 1 where uid = ?",
      uid,
    );
    await platform.newRepo(organization);
    await deliveryAs(repo, { state: "DELIVERY_STATE_DELIVERED" });
  });
});

describe("a subscription", () => {
  test("is disabled by 410, which is an event, and resumes when it is enabled", async () => {
    const watcher = await startSink();
    await platform.subscribe(organization, { sink: watcher.url, eventTypes: ["api.events.*"] });
    sink.respondWith(({ headers }, response) => {
      const isRepo = String(headers["ce-type"]).includes(".repo.");
      response.writeHead(isRepo ? 410 : 200).end();
    });
    const repo = await platform.newRepo(organization);
    const isDisabling = ({ headers }: { headers: Record<string, unknown> }) =>
      headers["ce-type"] === "dev.vendor.api.events.subscription.disabled.v1";
    await watcher.until(() => watcher.received.some(isDisabling));
    const event = watcher.received.find(isDisabling);
    expect(event?.headers["ce-subject"]).toBe(subscription);
    expect(JSON.parse(event?.body ?? "")).toEqual({
      actor: { subject: "" },
      body: {
        uid: subscription,
        disabled: true,
        disableReason: "The sink responded with 410 Gone.",
        disableTime: expect.any(String),
      },
    });
    expect(await subscriptionNow()).toMatchObject({
      disabled: true,
      disableReason: "The sink responded with 410 Gone.",
      failingSince: expect.any(String),
    });
    const unheard = await platform.newRepo(organization);
    const hasPassed = () =>
      platform.sql(
        "select 1 from delivery_cursor where event_seq >= (select seq from events where subject = ?)",
        unheard,
      );
    await expect.poll(hasPassed).toHaveLength(1);
    sink.respondWith();
    sink.received.length = 0;
    await platform.done(`/events/v2/subscriptions/${subscription}`, { disabled: false }, "PATCH");
    await sink.until(() => sink.received.some(({ headers }) => headers["ce-subject"] === repo));
    expect(await deliveryOf(unheard)).toBeUndefined();
    await watcher.close();
  });

  test("is disabled when no request has succeeded for five days", async () => {
    sink.respondWith((_, response) => void response.writeHead(500).end());
    const dayMs = 24 * 3_600_000;
    const failSince = (days: number) =>
      platform.sql(
        "update subscriptions set failing_since = ?, failures = 1 where uid = ?",
        Date.now() - days * dayMs,
        subscription,
      );
    await failSince(4.9);
    const repo = await platform.newRepo(organization);
    await deliveryAs(repo, { attempts: expect.arrayContaining([expect.anything()]) });
    expect((await subscriptionNow()).disabled).toBe(false);
    await failSince(5.1);
    const next = await platform.newRepo(organization);
    await deliveryAs(next, { attempts: expect.arrayContaining([expect.anything()]) });
    expect(await subscriptionNow()).toMatchObject({
      disabled: true,
      disableReason: "No request has succeeded for five days.",
    });
  });

  test("that fails gets single requests with pauses, and the first success ends that", async () => {
    sink.respondWith((_, response) => void response.writeHead(500).end());
    await Promise.all(Array.from({ length: 12 }, () => platform.newRepo(organization)));
    const row = async () =>
      (
        await platform.sql(
          "select failures, failing_since, pause_end_time from subscriptions where uid = ?",
          subscription,
        )
      )[0];
    await sink.until(() => sink.received.length >= 10);
    for (;;) {
      const { failures, pause_end_time } = (await row()) as Record<string, number>;
      // Every request has been recorded, so nothing begins another pause.
      if (Number(failures) >= 10 && failures === sink.received.length) {
        expect(pause_end_time).toBeGreaterThan(Date.now() - 5_000);
        break;
      }
    }
    sink.respondWith();
    await platform.sql("update subscriptions set pause_end_time = 0 where uid = ?", subscription);
    await platform.newRepo(organization);
    await sink.until(() => sink.received.length >= 11);
    await expect.poll(row).toEqual({
      failures: 0,
      failing_since: null,
      pause_end_time: 0,
    });
  });

  test("that hangs does not delay others", async () => {
    sink.respondWith(() => {});
    const other = await startSink();
    const elsewhere = await platform.newOrganization();
    await platform.subscribe(elsewhere, { sink: other.url });
    await Promise.all(Array.from({ length: 6 }, () => platform.newRepo(organization)));
    await sink.until(() => sink.received.length >= 1);
    const begin = Date.now();
    await Promise.all(Array.from({ length: 6 }, () => platform.newRepo(elsewhere)));
    await other.until(() => other.received.length >= 7);
    expect(other.received.at(-1)?.time).toBeLessThan(begin + 8_000);
    await other.close();
  });
});
