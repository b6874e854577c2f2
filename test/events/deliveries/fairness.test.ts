/** Slow sinks of one organization do not hold back the events of another one. */
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { randomUid } from "../../world/personas.ts";
import { type Sink, startSink } from "../../world/sink.ts";
import { long } from "../../world/tiers.ts";
import { type Sending, startSending } from "./sending.ts";

/** The sink answers just before the time for an answer is over. In milliseconds. */
const slowness = 9_300;

let platform: Sending;
let slow: Sink;
let quick: Sink;
beforeEach(async () => {
  [platform, slow, quick] = await Promise.all([startSending(), startSink(), startSink()]);
  slow.respondWith(async (_, response) => {
    await pause(slowness);
    response.writeHead(200).end();
  });
});
afterEach(async () => {
  await platform.close();
  await Promise.all([slow.close(), quick.close()]);
});

/** An organization with so many subscriptions to the slow sink. `slowEndTime` says what is known about it. */
async function newSlowTenant(count: number, slowEndTime: number | null) {
  const organization = await platform.newOrganization();
  const rows = Array.from({ length: count }, () => `${organization}/${randomUid().slice(0, 16)}`);
  await platform.sql(
    `insert into subscriptions (uid, sink, slow_end_time, create_time, update_time)
     select value, ? || '?' || key, ?, 1, 1 from json_each(?)`,
    ...[slow.url, slowEndTime, JSON.stringify(rows)],
  );
  return organization;
}

async function newQuickTenant() {
  const organization = await platform.newOrganization();
  await platform.subscribe(organization, { sink: quick.url });
  await platform.newRepo(organization);
  await quick.until(() => quick.received.length >= 2);
  return organization;
}

const about = (subject: string) =>
  quick.received.find(({ headers }) => headers["ce-subject"] === subject);

/** The time from a change to the request about it, in milliseconds. */
async function latencyIn(organization: string): Promise<number> {
  const start = Date.now();
  const repo = await platform.newRepo(organization);
  await quick.until(() => about(repo) !== undefined);
  return Number(about(repo)?.time) - start;
}

describe("events of one organization", () => {
  test.each([
    ["are slow", Number.MAX_SAFE_INTEGER],
    ["may be slow, as none of them has answered", null],
  ])("pass those of another with 30 sinks that %s", async (_, slowEndTime) => {
    const others = await newQuickTenant();
    await platform.newRepo(await newSlowTenant(30, slowEndTime));
    await slow.until(() => slow.received.length >= 2);
    for (let turn = 0; turn < 5; turn += 1) await latencyIn(others);
    // None of the slow sinks has answered, so no other one had its turn.
    expect(slow.received).toHaveLength(2);
  });

  test("pass those of another whose sinks have become slow", long, async () => {
    const others = await newQuickTenant();
    await platform.newRepo(await newSlowTenant(30, 0));
    await slow.until(() => slow.received.length >= 3);
    for (let turn = 0; turn < 5; turn += 1) await latencyIn(others);
    // An organization has three of the five open requests.
    expect(slow.received).toHaveLength(3);
  });

  test("do not wait for the sinks of its own that are slow", long, async () => {
    const organization = await newSlowTenant(30, Number.MAX_SAFE_INTEGER);
    await platform.subscribe(organization, { sink: quick.url });
    await platform.sql("update subscriptions set slow_end_time = 0 where sink = ?", quick.url);
    const repos = [await platform.newRepo(organization), await platform.newRepo(organization)];
    await quick.until(() => repos.every((repo) => about(repo) !== undefined));
    expect(slow.received.length).toBeLessThanOrEqual(2);
  });
});

test(
  "an organization with slow sinks gets its events to all of them, in turns with others",
  long,
  async () => {
    slow.respondWith(async (_, response) => {
      await pause(1_100);
      response.writeHead(200).end();
    });
    const [one, two] = [await newSlowTenant(6, null), await newSlowTenant(6, null)];
    await Promise.all([platform.newRepo(one), platform.newRepo(two)]);
    await slow.until(() => slow.received.length >= 6 + 6);
    const turns = slow.received.map(({ headers }) =>
      String(headers["ce-vendordev1subscription"]).slice(0, 40),
    );
    // The first event can come before the other one.
    for (const organization of [one, two])
      expect(turns.slice(0, 7).filter((turn) => turn === organization).length).toBeGreaterThan(1);
  },
);

test("with 1,000 slow sinks of one organization, 99 of 100 events of another arrive within 2 seconds", {
  ...long,
  timeout: 300_000,
}, async () => {
  const others = await newQuickTenant();
  const organization = await newSlowTenant(1_000, null);
  const latencies: number[] = [];
  for (let turn = 0; turn < 100; turn += 1) {
    if (turn % 20 === 0) await platform.newRepo(organization);
    latencies.push(await latencyIn(others));
    await pause(300);
  }
  latencies.sort((one, other) => one - other);
  console.info(`median ${latencies[50]} ms, p99 ${latencies[98]} ms, max ${latencies[99]} ms`);
  expect(latencies[98]).toBeLessThan(2_000);
  expect(slow.received.length).toBeGreaterThan(2);
});
