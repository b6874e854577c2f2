/** Deliveries of events whose data is stored compressed. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { packText, unpackText } from "../../../src/outbox/stored_data.ts";
import { expectLog } from "../../world/logs.ts";
import { fakeDigest } from "../../world/personas.ts";
import { type Sink, startSink } from "../../world/sink.ts";
import { type Sending, startSending } from "./sending.ts";

const type = "dev.vendor.api.platform.registry.tag.moved.batch.v1";

let platform: Sending;
let sink: Sink;
let organization: string;
beforeAll(async () => {
  platform = await startSending();
});
afterAll(() => platform?.close());
beforeEach(async () => {
  sink = await startSink();
  organization = await platform.newOrganization();
});
afterEach(() => sink.close());

const batches = () => sink.received.filter(({ headers }) => headers["ce-type"] === type);
const about = (subject: string) =>
  sink.received.filter(({ headers }) => headers["ce-subject"] === subject);

/** Imports 60 moves of tags with these names, which become one event. Returns its stored text. */
async function importMoves(tags: string[], repo = "python"): Promise<string> {
  const moves = Array.from({ length: 60 }, (_, n) => ({
    ...{ repo, tag: tags[n % tags.length], digest: fakeDigest(`${repo} ${n}`) },
    updateTime: new Date(Date.UTC(2025, 0, 1) + n * 1000).toISOString(),
  }));
  await platform.done(`/registry/v2/tagMoves/${organization}:import`, { moves });
  return (await storedEvent()).data;
}

async function storedEvent(): Promise<{ seq: number; uid: string; data: string }> {
  const [event] = await platform.sql(
    "select seq, uid, data from events where ancestor0 = ? and type = ? order by seq desc limit 1",
    organization,
    type,
  );
  return event as { seq: number; uid: string; data: string };
}

/** The delivery of the batch to a subscription. */
async function deliveryOf(subscription: string) {
  const { deliveries } = await platform.done(`/events/v2/deliveries?parent=${subscription}`);
  return deliveries.find(({ eventType }: { eventType: string }) => eventType === type);
}

test("the sink receives the JSON of the event, whether it is stored compressed or not", async () => {
  const { uid: subscription } = await platform.subscribe(organization, { sink: sink.url });
  const stored = await importMoves(["latest", "3.12"]);
  expect(stored.length).toBeLessThan(5_000);
  await sink.until(() => batches().length === 1);
  const { uid } = await storedEvent();
  const shown = await platform.done(`/events/v2/events/${uid}`);
  expect(shown.body.moves).toHaveLength(60);
  expect(JSON.parse(batches()[0]?.body ?? "")).toEqual({ actor: shown.actor, body: shown.body });
  const plain = await unpackText(stored);
  await platform.sql("update events set data = ? where uid = ?", plain, uid);
  await expect
    .poll(async () => (await deliveryOf(subscription)).state)
    .toBe("DELIVERY_STATE_DELIVERED");
  const { uid: delivery } = await deliveryOf(subscription);
  await platform.done(`/events/v2/deliveries/${delivery}:redeliver`, {});
  await sink.until(() => batches().length === 2);
  expect(batches().map(({ body }) => body)).toEqual([plain, plain]);
});

test("a subscription with a pattern receives a compressed event if one of its tags matches", async () => {
  const matching = await platform.subscribe(organization, {
    ...{ sink: sink.url, tagPattern: "3.*-slim" },
  });
  await importMoves(["latest", "3.11-alpine", "3.12-slim"], "python");
  await importMoves(["latest", "3.11-alpine"], "go");
  await importMoves(["3.9-slim"], "rust");
  await sink.until(() => batches().length === 2);
  const names = batches().map(({ body }) => JSON.parse(body).body.moves[0].name);
  expect(names).toEqual(["latest", "3.9-slim"]);
  // All events have passed, also the one in between.
  const { deliveries } = await platform.done(`/events/v2/deliveries?parent=${matching.uid}`);
  expect(
    deliveries.filter(({ eventType }: { eventType: string }) => eventType === type),
  ).toHaveLength(2);
});

test("a damaged event fails without a request, and the events after it are sent", async () => {
  const plain = await packText(JSON.stringify({ actor: {}, body: { text: "x".repeat(5_000) } }));
  const uid = `${organization}/${"d".repeat(16)}`;
  const logged = await expectLog("cannot be sent, because its stored data is damaged");
  const { uid: subscription } = await platform.subscribe(organization, { sink: sink.url });
  await platform.sql(
    `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time, pool, partition)
     values (?, 'the damaged one', ?, 's', 'x', ?, 'customer', '{}', '', ?, ?, 'pool', 'partition')`,
    ...[uid, type, organization, plain.replace('"packed":"H4sI', '"packed":"H5sI'), Date.now()],
  );
  await platform.sql(
    `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time, pool, partition)
     values (?, 'the next one', 't', 's', 'y', ?, 'customer', '{}', '', '{"actor":{}}', ?, 'pool', 'partition')`,
    ...[`${organization}/${"e".repeat(16)}`, organization, Date.now()],
  );
  const repo = await platform.newRepo(organization);
  await sink.until(() => about(repo).length === 1 && about("y").length === 1);
  expect(await logged()).toContain("the event the damaged one cannot be sent");
  expect(batches()).toEqual([]);
  expect(await deliveryOf(subscription)).toMatchObject({
    state: "DELIVERY_STATE_FAILED",
    attempts: [{ error: "the stored event is damaged" }],
  });
  const [state] = await platform.sql(
    "select failures, failing_since from subscriptions where uid = ?",
    subscription,
  );
  expect(state).toEqual({ failures: 0, failing_since: null });
});
