/** Measures how soon events arrive at a sink, how many arrive in a second, and what a million of them costs. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { configOf } from "../../src/config.ts";
import { sendEvents } from "../../src/events/deliveries/send.ts";
import { openDatabase } from "../../src/rpc/database.ts";
import {
  millionQueueOperations,
  millionRequests,
  millionRows,
  operationsPerMessage,
} from "../cost/prices.ts";
import { type BenchOrganization, fillOrganization } from "../organization.ts";
import { percentile } from "../percentile.ts";
import type { BenchSetup, Findings, Goal } from "../report/findings.ts";
import { type BenchPlatform, makeDatabase, startBenchPlatform } from "../stage.ts";
import { type Arrival, type Receiver, startReceiver } from "./receiver.ts";

const calmEvents = 300;
const writers = 64;
const eventsOfWriter = 10;
const backlog = 5_000;
const partitions = 100;
const countedEvents = 1_000;

/** The goals, in milliseconds. */
const maxMedian = 250;
const maxP99 = 1_000;

/** The goal for one Worker, in events per second. */
const minPerSecond = 50;

const text = `The sink is an HTTP server on the same machine that accepts every event at once. The latency of an event is
the time from its change, just before the commit, until the request of the event has arrived.

- *one at a time*: ${calmEvents} changes with pauses of 20 to 100 ms.
- *${writers} writers*: each changes a tag of its own ${eventsOfWriter} times, without pauses. They write faster than
  one Worker sends, so the events queue. On Cloudflare, up to five Workers send at once.
- *backlog*: ${backlog.toLocaleString("en")} events about ${partitions} resources are stored before the sender begins. The
  sender is one Worker with one subscription.
- The rows are what D1 reports for sending ${countedEvents.toLocaleString("en")} events to one subscription. The price
  contains one message of the queue for each event and one request for each message. A batch of messages costs
  less. The request of the change itself is in the family *cost*.`;

interface World {
  platform: BenchPlatform;
  organization: BenchOrganization;
  receiver: Receiver;
  token: string;
}

/** Moves a tag. */
const moveTag = ({ platform, organization, token }: World, name: string, turn: number) =>
  platform.call(token, `/registry/v2/tags/${organization.repo}`, {
    method: "POST",
    body: { name, digest: `sha256:${turn.toString(16).padStart(64, "0")}` },
  });

async function calm(world: World): Promise<Arrival[]> {
  world.receiver.forget();
  for (let turn = 0; turn < calmEvents; turn += 1) {
    await moveTag(world, `calm-${turn % 10}`, turn);
    await pause(20 + ((turn * 37) % 80));
  }
  return world.receiver.until(calmEvents);
}

async function busy(world: World): Promise<Arrival[]> {
  world.receiver.forget();
  const writing = Array.from({ length: writers }, async (_, writer) => {
    for (let turn = 0; turn < eventsOfWriter; turn += 1) {
      await moveTag(world, `busy-${writer}`, turn);
    }
  });
  await Promise.all(writing);
  return world.receiver.until(writers * eventsOfWriter);
}

/** Stores events like the newest one. They are about some resources, by turns. */
async function storeEvents({ db }: BenchPlatform, count: number): Promise<void> {
  await db
    .prepare(
      `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time, pool, partition, repo_uid)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?1)
       select substr(uid, 1, length(uid) - 16) || printf('%016x', seq * 1000000 + n), 'stored-' || seq || '-' || n, type, source,
         subject || n % ?2, group_uid, audience, extensions, body_type, data, time, pool, 'partition-' || n % ?2, repo_uid
       from (select * from events where type like '%.tag.created.v1' order by seq desc limit 1), numbers order by n`,
    )
    .bind(count, partitions)
    .all();
}

/** The events in a second, from the first arrival to the last. */
async function catchUp(world: World): Promise<number> {
  world.receiver.forget();
  await storeEvents(world.platform, backlog);
  // A change wakes the sender.
  await moveTag(world, "waking", 1);
  const arrivals = await world.receiver.until(backlog + 1);
  const times = arrivals.map(({ arrived }) => arrived);
  return (backlog * 1000) / (Math.max(...times) - Math.min(...times));
}

/** The rows that D1 reads and writes to send an event, when many are sent together. */
async function countRows({ platform, receiver }: World) {
  receiver.forget();
  await storeEvents(platform, countedEvents);
  const env = { ...platform.variables, DB: platform.db } as unknown as Parameters<
    typeof openDatabase
  >[0];
  const { db, meter } = openDatabase(env, { waitUntil: () => {} });
  while (receiver.arrivals.size < countedEvents) {
    await sendEvents({ config: configOf(env), db, wake: async () => {} });
  }
  return { read: meter.rowsRead / countedEvents, written: meter.rowsWritten / countedEvents };
}

async function withWorld<T>(
  setup: BenchSetup,
  sendsEvents: boolean,
  measure: (world: World) => Promise<T>,
): Promise<T> {
  const folder = join(setup.folder, `events-${sendsEvents}`);
  const organization = fillOrganization(await makeDatabase(folder), 1_000);
  const platform = await startBenchPlatform(setup.bundle, folder, { sendsEvents });
  const receiver = await startReceiver();
  try {
    const token = await platform.tokenFor(organization.owner);
    await platform.call(token, `/events/v2/subscriptions/${organization.root}`, {
      method: "POST",
      body: { sink: receiver.url, eventTypes: ["api.platform.registry.tag.*"] },
    });
    const world = { platform, organization, receiver, token };
    // The first call of the Worker also compiles it.
    await moveTag(world, "first", 1);
    if (sendsEvents) await receiver.until(1);
    return await measure(world);
  } finally {
    receiver.close();
    await platform.stop();
  }
}

const latencies = (arrivals: Arrival[]) =>
  arrivals.map(({ arrived, changed }) => Math.max(0, arrived - changed));

function latencyGoals(all: number[]): Goal[] {
  const goals: [string, number, number][] = [
    ["median", 0.5, maxMedian],
    ["p99", 0.99, maxP99],
  ];
  return goals.map(([what, share, bound]) => {
    const measured = percentile(all, share);
    return {
      what: `${what} from a change to the arrival of its event, one at a time`,
      bound: `at most ${bound} ms`,
      measured: `${measured} ms`,
      kept: measured <= bound,
    };
  });
}

/** Measures the delivery of events. */
export async function measureEvents(setup: BenchSetup): Promise<Findings> {
  const { single, many, repeated, perSecond } = await withWorld(setup, true, async (world) => {
    const first = latencies(await calm(world));
    setup.say("  one at a time");
    const second = latencies(await busy(world));
    const requests = world.receiver.requests();
    setup.say(`  ${writers} writers`);
    const rate = await catchUp(world);
    return { single: first, many: second, repeated: requests - second.length, perSecond: rate };
  });
  setup.say("  backlog");
  const { read, written } = await withWorld(setup, false, countRows);
  const shares = [0.5, 0.9, 0.99, 1];
  const row = (all: number[]) => shares.map((share) => percentile(all, share));
  const price = {
    rows: read * millionRows.read + written * millionRows.written,
    queue: operationsPerMessage * millionQueueOperations,
    requests: millionRequests,
  };
  const total = price.rows + price.queue + price.requests;
  const dollars = (amount: number) => amount.toFixed(2);
  return {
    title: "Events",
    text,
    tables: [
      {
        title: "Milliseconds from a change to the arrival of its event",
        head: ["changes", "events", "median", "p90", "p99", "longest"],
        rows: [
          ["one at a time", single.length, ...row(single)],
          [`${writers} writers`, many.length, ...row(many)],
        ],
      },
      {
        title: "Throughput of one Worker, and the price of a million events to one subscription",
        head: [
          "events per second",
          "rows read",
          "rows written",
          "$ rows",
          "$ queue",
          "$ requests",
          "$ in all",
        ],
        rows: [
          [
            Math.round(perSecond),
            Number(read.toFixed(1)),
            Number(written.toFixed(1)),
            ...[price.rows, price.queue, price.requests, total].map(dollars),
          ],
        ],
      },
    ],
    goals: [
      ...latencyGoals(single),
      {
        what: "events that one Worker sends in a second, when there is a backlog",
        bound: `at least ${minPerSecond}`,
        measured: String(Math.round(perSecond)),
        kept: perSecond >= minPerSecond,
      },
      {
        what: "requests that repeat an event which was accepted",
        bound: "0",
        measured: String(repeated),
        kept: repeated === 0,
      },
    ],
    charts: [
      {
        name: "events",
        title: "Time from a change to the arrival of its event",
        kind: "bars",
        xTitle: "share of the events",
        yTitle: "milliseconds",
        series: [
          { name: "one at a time", points: points(single) },
          { name: `${writers} writers`, points: points(many) },
        ],
      },
    ],
  };
}

const points = (all: number[]) =>
  [0.5, 0.9, 0.99].map((share) => ({ x: `${share * 100} %`, y: percentile(all, share) }));
