/**
 * Events on their way to a difficult receiver, while the Worker is killed again and again. None is lost, none
 * overtakes another event about the same resource, and all are signed. `DELIVERY_EVENTS=20000` makes it long.
 *
 * @module-tag long
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyDatabase, startOwnPlatform } from "../world/own_platform.ts";
import { randomName, randomUid } from "../world/personas.ts";
import { tokenFor } from "../world/platform.ts";
import { type Received, type Sink, startSink } from "../world/sink.ts";

const { DELIVERY_EVENTS } = process.env;
const eventCount = Number(DELIVERY_EVENTS ?? 256);
const writerCount = 64;
const kills = DELIVERY_EVENTS === undefined ? 3 : 10;

type Platform = Awaited<ReturnType<typeof startOwnPlatform>>;

let folder: string;
let platform: Platform;
let sink: Sink;
let token: string;
const start = () =>
  startOwnPlatform({
    folder,
    isNew: false,
    sendsEvents: true,
    // Enough attempts for a receiver that fails often.
    bindings: { DELIVERY_RETRIES: "1s ".repeat(60) },
    log: () => {},
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "delivery-"));
  await copyDatabase(folder);
  platform = await start();
  sink = await startSink();
  const owner = randomUid();
  await platform.db
    .prepare(
      "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'o', 1, 1, 1)",
    )
    .bind(owner)
    .run();
  token = await tokenFor(owner, {}, 3600);
});
afterAll(async () => {
  await platform?.stop();
  await sink?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Sends a write until it is accepted. While the platform is down, it has no address. */
async function write(path: string, body: object) {
  for (;;) {
    try {
      const response = await fetch(platform.origin + path, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(5_000),
      });
      if (response.ok) return await response.json();
      if (response.status < 500) throw new TypeError(await response.text());
    } catch (error) {
      if (error instanceof TypeError && error.message.startsWith("{")) throw error;
      await pause(50);
    }
  }
}

/** The requests that were accepted, with the time of each response. */
const accepted: { id: string; time: number }[] = [];

/** The share of requests that get no response, each of which takes 10 seconds. */
const hangs = 5 / eventCount;

/** Fails three times in ten: with an error, without a response, or by closing the connection. */
function beDifficult(): void {
  sink.respondWith(async ({ headers }, response) => {
    const luck = Math.random();
    if (luck < Math.max(hangs, 0.002)) return;
    if (luck < 0.1) return void response.destroy();
    if (luck < 0.3)
      return void response.writeHead(luck < 0.2 ? 500 : 429, { "retry-after": "1" }).end();
    if (luck < 0.4) await pause(Math.random() * 400);
    accepted.push({ id: String(headers["ce-id"]), time: Date.now() });
    response.writeHead(200).end();
  });
}

async function killOften(isOver: () => boolean): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(1_000 + Math.random() * 2_000);
    if (isOver()) return;
    await platform.stop();
    platform = await start();
  }
}

interface StoredEvent {
  id: string;
  seq: number;
  place: string;
}

test("every event arrives, in order for each resource, signed, whatever the receiver does and however often the Worker dies", {
  timeout: 1_800_000,
}, async () => {
  const { uid: organization } = await write("/iam/v2/groups", { name: randomName("org") });
  const { uid, secret } = await write(`/events/v2/subscriptions/${organization}`, {
    sink: sink.url,
  });
  const { uid: repo } = await write(`/registry/v2/repos/${organization}`, { name: "app" });
  await sink.until(() => sink.received.some(({ headers }) => headers["ce-subject"] === repo));
  sink.received.length = 0;
  const [from] = (
    await platform.db.prepare("select max(seq) as seq from events").all<{ seq: number }>()
  ).results;
  beDifficult();
  let isOver = false;
  const writers = Array.from({ length: writerCount }, async (_, writer) => {
    for (let turn = 0; turn < eventCount / writerCount; turn += 1) {
      const digest = `sha256:${turn.toString(16).padStart(8, "0").repeat(8)}`;
      await write(`/registry/v2/tags/${repo}`, { name: `tag-${writer}`, digest });
    }
  });
  const killing = killOften(() => isOver);
  await Promise.all(writers);
  isOver = eventCount > 2_000;
  await killing;
  const events = (
    await platform.db
      .prepare(
        "select id, seq, pool || partition as place from events where seq > ? and audience = 'customer' order by seq",
      )
      .bind(from?.seq)
      .all<StoredEvent>()
  ).results;
  expect(events.length).toBeGreaterThanOrEqual(eventCount);
  const isDone = () => {
    const done = new Set(accepted.map(({ id }) => id));
    return events.every(({ id }) => done.has(id));
  };
  for (const end = Date.now() + 1_200_000; !isDone() && Date.now() < end; ) {
    await platform.runSchedule().catch(() => {});
    await pause(250);
  }
  expect(isDone()).toBe(true);
  expect(outOfOrder(events)).toEqual([]);
  expect(await badlySigned(secret, organization)).toEqual([]);
  const { results } = await platform.db
    .prepare("select disable_time from subscriptions where uid = ?")
    .bind(uid)
    .all();
  expect(results).toEqual([{ disable_time: null }]);
});

/** The requests that arrived before an earlier event about the same resource was accepted. */
function outOfOrder(events: StoredEvent[]): string[] {
  const firstAccepted = new Map<string, number>();
  for (const { id, time } of accepted) {
    if (!firstAccepted.has(id)) firstAccepted.set(id, time);
  }
  const before = new Map<string, string>();
  const lastAt = new Map<string, string>();
  for (const { id, place } of events) {
    const previous = lastAt.get(place);
    if (previous) before.set(id, previous);
    lastAt.set(place, id);
  }
  return sink.received.flatMap(({ headers, time }) => {
    const id = String(headers["ce-id"]);
    const previous = before.get(id);
    const isEarly =
      previous !== undefined && (firstAccepted.get(previous) ?? Number.POSITIVE_INFINITY) > time;
    return isEarly ? [`${id} before ${previous}`] : [];
  });
}

/** The requests with a wrong signature or token, or with another id or body than before. */
async function badlySigned(secret: string, organization: string): Promise<string[]> {
  const published = await fetch(`${platform.origin}/.well-known/jwks.json`);
  const keys = createLocalJWKSet((await published.json()) as JSONWebKeySet);
  const bodies = new Map<string, string>();
  const check = async ({ headers, body, time }: Received) => {
    const id = String(headers["ce-id"]);
    const seconds = Number(headers["webhook-timestamp"]);
    const signature = new Webhook(secret).sign(id, new Date(seconds * 1000), body);
    const token = String(headers.authorization).replace("Bearer ", "");
    const { payload } = await jwtVerify(token, keys, {
      issuer: "http://localhost:8787",
      audience: "customer",
      subject: `webhook:${organization}`,
      currentDate: new Date(time),
    });
    const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
    const digest = `sha256:${Buffer.from(bytes).toString("hex")}`;
    const isRight =
      headers["webhook-id"] === id &&
      headers["webhook-signature"] === signature &&
      Math.abs(seconds * 1000 - time) < 20_000 &&
      (payload.webhook as { digest: string }).digest === digest &&
      (bodies.get(id) ?? body) === body;
    bodies.set(id, body);
    return isRight ? [] : [id];
  };
  const found: string[] = [];
  for (const one of sink.received) {
    found.push(...(await check(one).catch((error) => [String(error)])));
  }
  return found;
}
