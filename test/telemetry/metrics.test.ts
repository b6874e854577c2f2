/** The data points of requests, of deliveries and of the outbox. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { blobNames, doubleNames } from "../../src/telemetry/metrics.ts";
import { startOwnPlatform } from "../world/own_platform.ts";
import { randomName, randomUid } from "../world/personas.ts";
import { tokenFor } from "../world/platform.ts";
import { type Sink, startSink } from "../world/sink.ts";

/** A module around the platform's, with a dataset that sends each data point to a server. */
const wrapperOf = (url: string) => `
import platform from "./platform.js";
const withDataset = (env, execution) => ({
  ...env,
  METRICS: {
    writeDataPoint(point) {
      execution.waitUntil(fetch(${JSON.stringify(url)}, { method: "POST", body: JSON.stringify(point) }));
    },
  },
});
export default {
  fetch: (request, env, execution) => platform.fetch(request, withDataset(env, execution), execution),
  queue: (batch, env, execution) => platform.queue(batch, withDataset(env, execution), execution),
  scheduled: (controller, env, execution) => platform.scheduled(controller, withDataset(env, execution), execution),
};
`;

let sink: Sink;
let platform: Awaited<ReturnType<typeof startOwnPlatform>>;
let token: string;
let owner: string;
beforeAll(async () => {
  sink = await startSink();
  platform = await startOwnPlatform({ wrapper: wrapperOf(sink.url), sendsEvents: true });
  owner = randomUid();
  await platform.db
    .prepare(
      "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'o', 1, 1, 1)",
    )
    .bind(owner)
    .run();
  token = await tokenFor(owner);
});
afterAll(async () => {
  await platform?.stop();
  await sink?.close();
});

interface DataPoint {
  indexes: string[];
  blobs: string[];
  doubles: number[];
}

/** The data points with their names. */
const points = () =>
  sink.received.map(({ body }) => {
    const { indexes, blobs, doubles } = JSON.parse(body) as DataPoint;
    expect(blobs).toHaveLength(blobNames.length);
    expect(doubles).toHaveLength(doubleNames.length);
    return {
      index: indexes[0],
      ...Object.fromEntries(blobNames.map((name, at) => [name, blobs[at]])),
      ...Object.fromEntries(doubleNames.map((name, at) => [name, doubles[at]])),
    } as Record<string, string | number>;
  });

async function pointOf(fields: Record<string, string | number>) {
  const matching = () =>
    points().filter((point) =>
      Object.entries(fields).every(([name, value]) => point[name] === value),
    );
  await expect.poll(() => matching().length).toBeGreaterThan(0);
  return matching()[0];
}

const call = (path: string, body?: object) =>
  fetch(platform.origin + path, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

test("a request has a data point with its class, its code and its costs", async () => {
  await call("/iam/v2/groups", { name: randomName("org") });
  const created = await pointOf({ operation: "platform.iam.v2.GroupsService/CreateGroup" });
  expect(created).toMatchObject({
    kind: "request",
    worker: "platform",
    class: "write",
    code: "OK",
    caller: owner,
    status: 200,
  });
  expect(created?.round_trips).toBeGreaterThan(0);
  expect(created?.rows_written).toBeGreaterThan(0);
  expect(created?.database_bytes).toBeGreaterThan(100_000);
});

test.each([
  ["/iam/v2/groups", "list", "OK"],
  [`/iam/v2/groups/${randomUid()}`, "read", "PERMISSION_DENIED"],
  ["/iam/v2/groups/unknown", "read", "INVALID_ARGUMENT"],
  ["/v2/", "registry", "PERMISSION_DENIED"],
  [`/scim/v2/${randomUid()}/${"a".repeat(16)}/Users`, "list", "UNAUTHENTICATED"],
  ["/oauth?idp=nobody", "login", "INVALID_ARGUMENT"],
  ["/no/such/path", "other", "NOT_FOUND"],
])("%s has the class %s and the code %s", async (path, requestClass, code) => {
  const before = sink.received.length;
  await call(path);
  await expect
    .poll(() => points().slice(before))
    .toContainEqual(expect.objectContaining({ kind: "request", class: requestClass, code }));
});

test("a stranger who names an identity provider in a path of SCIM is not counted as that provider", async () => {
  const before = sink.received.length;
  await call(`/scim/v2/${randomUid()}/${"a".repeat(16)}/Groups`);
  await expect
    .poll(() => points().slice(before))
    .toContainEqual(
      expect.objectContaining({ operation: "scim read", caller: "", organization: "" }),
    );
});

test("a delivery and the outbox have data points", async () => {
  const receiver = await startSink();
  const { uid: organization } = (await (
    await call("/iam/v2/groups", { name: randomName("org") })
  ).json()) as { uid: string };
  await call(`/events/v2/subscriptions/${organization}`, { sink: receiver.url });
  await call(`/iam/v2/groups/${organization}`, { name: randomName("group") });
  await receiver.until(() => receiver.received.length > 0);
  const delivery = await pointOf({ kind: "delivery", organization });
  expect(delivery).toMatchObject({ index: organization, code: "OK", status: 200 });
  expect(delivery?.age_ms).toBeGreaterThanOrEqual(0);
  expect(delivery?.host).toBe(new URL(receiver.url).host);
  await platform.runSchedule();
  expect(await pointOf({ kind: "outbox" })).toMatchObject({ worker: "events" });
  // More than a sender takes at once, so that some still wait when it looks.
  await platform.db
    .prepare(
      `insert into deliveries (uid, event_seq, pool, partition, create_time, due_time)
       select subscriptions.uid || '/' || printf('%016x', step.value), (select max(seq) from events), '', step.value, 1, ?
       from subscriptions, json_each('[1,2,3,4,5,6,7,8,9,10]') as step where subscriptions.parent = ?`,
    )
    .bind(Date.now() - 600_000, organization)
    .run();
  await platform.runSchedule();
  const ages = () => points().map(({ kind, age_ms }) => (kind === "outbox" ? Number(age_ms) : 0));
  await expect.poll(() => Math.max(...ages())).toBeGreaterThanOrEqual(600_000);
  await receiver.close();
});
