/** The record of pulls: its content, when it is written, and for whom a pull has an event. */
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { registryAudience, tokenFor } from "../../world/platform.ts";
import { type Sink, startSink } from "../../world/sink.ts";
import { startSpread } from "../../world/spread.ts";
import { long } from "../../world/tiers.ts";
import { pushImage, send, type Target } from "../client.ts";

import { startOwnRegistry } from "../own_registry.ts";

const day = 86_400_000;

/** Each message of the queue arrives twice. A queue that is `broken` takes none. */
const wrapper = `import platform from "./platform.js";
let isBroken = false;
export default {
  fetch(request, env, execution) {
    if (request.url.endsWith("/break-the-queue")) isBroken = true;
    if (request.url.endsWith("/poison")) {
      const body = request.json();
      return body.then((sum) => env.PULLS.send({ sums: [sum], events: [] })).then(() => new Response());
    }
    const send = () => Promise.reject(new Error("the queue is broken"));
    return platform.fetch(request, isBroken ? { ...env, PULLS: { send } } : env, execution);
  },
  async queue(batch, env, execution) {
    await platform.queue(batch, env, execution);
    if (batch.queue === "platform-pulls") await platform.queue(batch, env, execution);
  },
  scheduled: platform.scheduled,
};`;

type Registry = Awaited<ReturnType<typeof startOwnRegistry>>;
let direct: Registry;
let queued: Registry;
let registry: Registry;
let sink: Sink;
beforeAll(async () => {
  sink = await startSink();
  direct = await startOwnRegistry();
  queued = await startOwnRegistry({ sendsEvents: true, wrapper, log: () => {} });
  await direct.run("update groups set name = 'public' where uid = ?", direct.organization);
});
afterAll(() => Promise.all([direct.stop(), queued.stop(), sink.close()]));
beforeEach(() => {
  registry = direct;
});

interface PullRow {
  reference: string;
  identity: string;
  identity_name: string;
  days: number;
  pulls: number;
}

/** Pulls are gathered for two seconds, and the queue waits for up to five. */
const soon = { timeout: 15_000, interval: 100 };

const rows = ({ name }: Target) =>
  registry.run<PullRow>(
    `select reference, identity, identity_name, days, pulls from tag_pulls
     join repo_storage on repo_storage.id = repo_id join repos on repos.uid = repo_storage.uid
     where repos.name = ? order by reference, identity`,
    name.slice(name.indexOf("/") + 1),
  );
const pull = async (target: Target, reference = "latest", method = "GET") => {
  const answer = await send(target, `manifests/${reference}`, { method });
  await answer.arrayBuffer();
  return answer.status;
};
const pullEvents = () =>
  registry.run<{ data: string; tag: string }>(
    "select data, tag from events where type = 'dev.vendor.registry.pull.v1' order by seq",
  );

/** A subscription of the organization, as the API stores it. */
async function subscribe(eventTypes: string[]): Promise<string> {
  const answer = await fetch(
    `${registry.origin}/events/v2/subscriptions/${registry.organization}`,
    {
      method: "POST",
      headers: {
        authorization: `Bearer ${await tokenFor(registry.owner)}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ sink: sink.url, eventTypes }),
    },
  );
  expect(answer.status).toBe(200);
  const { uid } = (await answer.json()) as { uid: string };
  const { run } = registry;
  onTestFinished(async () => {
    await run("delete from subscriptions");
    await run("delete from events");
  });
  return uid;
}

describe.each([
  ["with a queue", () => queued, 2],
  ["without a queue", () => direct, 1],
])("%s", (_, chosen, deliveries) => {
  beforeEach(() => {
    registry = chosen();
  });

  test("pulls are written together, at most every two seconds, with their number", async () => {
    const target = await registry.newTarget("many");
    const { digest } = await pushImage(target, "latest");
    await registry.run("create table writes (n integer)");
    for (const on of ["insert", "update"])
      await registry.run(
        `create trigger count_${on} after ${on} on pull_hours begin insert into writes values (1); end`,
      );
    const began = Date.now();
    for (let round = 0; round < 10; round += 1)
      await Promise.all(
        Array.from({ length: 30 }, (_, i) => pull(target, "latest", i % 2 ? "GET" : "HEAD")),
      );
    const elapsed = Date.now() - began;
    const owner = { identity: registry.owner, identity_name: "owner" };
    await expect
      .poll(() => rows(target), soon)
      .toEqual([{ reference: "latest", ...owner, days: 1, pulls: 300 * deliveries }]);
    const [written] = await registry.run<{ n: number }>("select count(*) as n from writes");
    expect((written?.n ?? 0) / deliveries).toBeLessThanOrEqual(2 + elapsed / 2_000);
    // A client that pulls by a tag reads the same manifest by its digest next.
    await pull(target, digest);
    await pull(target, "latest");
    await expect
      .poll(() => rows(target), soon)
      .toMatchObject([{ reference: "latest", pulls: 301 * deliveries }]);
    for (const on of ["insert", "update"]) await registry.run(`drop trigger count_${on}`);
    await registry.run("drop table writes");
  });

  test("with a subscription, each pull and each refused pull has one event, in their order", async () => {
    const target = await registry.newTarget("heard");
    const { digest } = await pushImage(target, "1.0");
    await pull(target, "1.0");
    await subscribe(["registry.*"]);
    for (const reference of ["1.0", "nothing", digest, "1.0"]) await pull(target, reference);
    await expect.poll(async () => (await pullEvents()).length, soon).toBe(4);
    const bodies = (await pullEvents()).map(({ data }) => JSON.parse(data));
    expect(bodies.map(({ body }) => [body.tag ?? "", body.digest ?? "", body.error?.code])).toEqual(
      [
        ["1.0", digest, undefined],
        ["nothing", "", "MANIFEST_UNKNOWN"],
        ["", digest, undefined],
        ["1.0", digest, undefined],
      ],
    );
    expect(bodies[0]).toMatchObject({
      actor: { subject: registry.owner },
      body: { method: "GET", type: "manifest" },
    });
  });
});

test.each([
  [["registry.push.v1"], 0],
  [["api.*", "registry.push.*"], 0],
  [[], 1],
  [["dev.vendor.registry.pull.v1"], 1],
  [["dev.*"], 1],
])("with a subscription for %j, a pull has %d events", async (types, count) => {
  const target = await registry.newTarget("types");
  await pushImage(target, "latest");
  const subscription = await subscribe(types);
  await pull(target);
  await expect.poll(async () => (await pullEvents()).length).toBe(count);
  await registry.run("update subscriptions set disable_time = 1 where uid = ?", subscription);
  await pull(target);
  await setTimeout(300);
  expect(await pullEvents()).toHaveLength(count);
});

test("a subscription for pulls that is narrowed to something else ends the events", async () => {
  const target = await registry.newTarget("narrowed");
  await pushImage(target, "latest");
  const uid = await subscribe(["registry.pull.v1"]);
  const update = await fetch(`${registry.origin}/events/v2/subscriptions/${uid}`, {
    method: "PATCH",
    headers: {
      authorization: `Bearer ${await tokenFor(registry.owner)}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ eventTypes: ["registry.push.v1"] }),
  });
  expect(update.status).toBe(200);
  await pull(target);
  await setTimeout(300);
  expect(await pullEvents()).toEqual([]);
});

test("all callers without a role in the organization count as one identity without a uid, and have no event", async () => {
  const owner = await registry.newTarget("open");
  const asked = { ...owner, name: "public/open" };
  await pushImage(asked, "latest");
  await subscribe([]);
  const token = async (by?: string) => {
    const headers = by ? { authorization: `Bearer ${by}` } : {};
    const answer = await fetch(`${registry.origin}/token?scope=repository:public/open:pull`, {
      headers,
    });
    return ((await answer.json()) as { token: string }).token;
  };
  const stranger = await registry.newStranger();
  const before = await pullEvents();
  const anyone = { ...asked, token: await token() };
  for (let i = 0; i < 5; i += 1) await pull(anyone);
  expect(await pull(anyone, "unknown")).toBe(404);
  await pull({
    ...asked,
    token: await token(await tokenFor(stranger, { aud: registryAudience })),
  });
  await pull(asked);
  await expect
    .poll(() => rows(owner), soon)
    .toEqual([
      { reference: "latest", identity: "", identity_name: "", days: 1, pulls: 6 },
      { reference: "latest", identity: registry.owner, identity_name: "owner", days: 1, pulls: 1 },
    ]);
  const subjects = (await pullEvents()).slice(before.length);
  const actors = subjects.map(({ data }) => JSON.parse(data).actor.subject);
  expect(new Set(actors)).toEqual(new Set([stranger, registry.owner]));
});

test("a queue that takes no message loses no pull, and while a repository has an open expiry plan its pulls are written at once", async () => {
  registry = queued;
  const target = await registry.newTarget("planned");
  await pushImage(target, "latest");
  await pushImage(target, "other");
  const [repo] = await registry.run<{ uid: string }>(
    "select uid from repos where name = 'planned'",
  );
  await registry.run(
    "insert into expiry_plans (uid, state, create_time, update_time) values (?, 2, 1, 1)",
    `${repo?.uid}/00000000000000aa`,
  );
  await pull(target, "latest");
  await pull(target, "other");
  // No more than the time of a write: neither the two seconds of the isolate nor those of the queue.
  await expect.poll(async () => (await rows(target)).length, { timeout: 1_500 }).toBe(2);
  await registry.run("delete from expiry_plans");
  await fetch(`${registry.origin}/break-the-queue`);
  await pull(target, "other");
  await expect.poll(async () => (await rows(target))[1]?.pulls, soon).toBe(2);
});

test("a message that cannot be written holds up no other", long, async () => {
  registry = queued;
  const target = await registry.newTarget("poisoned");
  const { digest } = await pushImage(target, "latest");
  const [repo] = await registry.run<{ uid: string }>(
    "select uid from repos where name = 'poisoned'",
  );
  const sum = {
    repo: repo?.uid,
    tag: "bad",
    digest,
    identity: null,
    identityName: "",
    time: 1,
    pulls: 1,
  };
  await fetch(`${registry.origin}/poison`, { method: "POST", body: JSON.stringify(sum) });
  await pull(target);
  await expect.poll(async () => (await rows(target)).length, soon).toBe(1);
  expect((await rows(target))[0]?.reference).toBe("latest");
});

test("a row is deleted 400 days after the last pull, one that was renewed stays, and the days are counted", async () => {
  const target = await registry.newTarget("old");
  await pushImage(target, "1.0");
  await pushImage(target, "2.0");
  await pull(target, "1.0");
  await pull(target, "2.0");
  await expect.poll(async () => (await rows(target)).length, soon).toBe(2);
  await registry.run("update tag_pulls set time = time - ?", 399 * day);
  await registry.runSchedule();
  expect(await rows(target)).toHaveLength(2);
  await registry.run("update tag_pulls set time = time - ?", 2 * day);
  await pull(target, "2.0");
  await expect.poll(async () => (await rows(target))[1]?.days, soon).toBe(2);
  await registry.run("update pull_hours set hour = hour - 200");
  await registry.runSchedule();
  expect((await rows(target)).map(({ reference }) => reference)).toEqual(["2.0"]);
  expect(await registry.run("select 1 from pull_hours")).toEqual([]);
});

test("the usage of a repository has the pulls of the last day, and not those before", async () => {
  const target = await registry.newTarget("used");
  await pushImage(target, "latest");
  for (let i = 0; i < 3; i += 1) await pull(target);
  const usage = async () => {
    const headers = { authorization: `Bearer ${await tokenFor(registry.owner)}` };
    const path = `/registry/v2/repoUsages?group=${registry.organization}&page_size=100`;
    const answer = await fetch(`${registry.origin}${path}`, { headers });
    const { repoUsages } = (await answer.json()) as {
      repoUsages: { name: string; recentPulls?: string }[];
    };
    return repoUsages.find(({ name }) => name === "used")?.recentPulls;
  };
  await expect.poll(usage, soon).toBe("3");
  await registry.run("update pull_hours set hour = hour - 25");
  expect(await usage()).toBe("0");
});

/** The number of rows in each table. */
async function rowCounts() {
  const tables = await registry.run<{ name: string }>(
    "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'",
  );
  const counts = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await registry.run<{ n: number }>(`select count(*) as n from "${name}"`);
      return [name, row?.n ?? 0] as const;
    }),
  );
  return Object.fromEntries(counts);
}

test("a refused request without an identity adds no row", async () => {
  const { origin } = await registry.newTarget();
  const before = await rowCounts();
  for (const path of [
    "/v2/public/nginx/manifests/unknown",
    `/v2/${registry.organization}/private/manifests/latest`,
    "/v2/public/nothing/blobs/uploads/",
    "/v2/",
    "/token?scope=repository:public/nginx:pull,push",
  ]) {
    const method = path.endsWith("uploads/") ? "POST" : "GET";
    await (await fetch(`${origin}${path}`, { method })).arrayBuffer();
  }
  expect(await rowCounts()).toEqual(before);
});

test("with several databases, the pulls of an organization are in its own", long, async () => {
  const spread = await startSpread();
  onTestFinished(() => spread.stop());
  const homes = await Promise.all((["DB", "DB_2"] as const).map((at) => spread.newHome(at)));
  const targets: Target[] = await Promise.all(
    homes.map(async ({ uid, owner }) => ({
      origin: spread.origin,
      name: `${uid}/image`,
      token: await tokenFor(owner, { aud: registryAudience }),
    })),
  );
  for (const target of targets) await pushImage(target, "latest");
  for (let round = 0; round < 3; round += 1)
    await Promise.all(targets.map((target) => pull(target)));
  for (const { at, owner } of homes) {
    const pulled = () =>
      spread.rowsIn(at, "select identity, sum(pulls) as pulls from tag_pulls group by identity");
    await expect.poll(pulled, soon).toEqual([{ identity: owner, pulls: 3 }]);
  }
});
