/** An expiry plan deletes nothing before the queue of pulls has written all pulls before it. */
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { AgedRepo } from "../../registry/expiry/aged_repo.ts";
import { randomUid } from "../../world/personas.ts";
import { startSpread } from "../../world/spread.ts";
import { startOwnRegistry } from "../own_registry.ts";

/** A queue that delivers when a test says so, with these messages put back. A queue that is `broken` takes none. */
const wrapper = `import platform from "./platform.js";
let waiting = [];
let isBroken = false;
const PULLS = { send: async (body) => {
  if (isBroken) throw new Error("the queue is broken");
  waiting.push(structuredClone(body));
} };
export default {
  async fetch(request, env, execution) {
    const path = new URL(request.url).pathname;
    if (path === "/queue/break") isBroken = !isBroken;
    if (path === "/queue/send") waiting.push(await request.json());
    if (path === "/queue/clear") waiting = [];
    if (path === "/queue/deliver") {
      const retried = [];
      const batch = waiting.splice(0, Number(await request.text()));
      const messages = batch.map((body) => ({
        body,
        retry: ({ delaySeconds }) => retried.push({ delaySeconds, plans: body.plans }),
      }));
      await platform.queue({ queue: "platform-pulls", messages }, env, execution);
      return Response.json(retried);
    }
    if (path.startsWith("/queue/")) return Response.json(waiting);
    return platform.fetch(request, { ...env, PULLS }, execution);
  },
  queue: platform.queue,
  scheduled: (controller, env, execution) => platform.scheduled(controller, { ...env, PULLS }, execution),
};`;

interface Message {
  sums: { tag: string }[];
  plans?: string[];
}

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let repo: AgedRepo;
beforeAll(async () => {
  registry = await startOwnRegistry({ wrapper, log: () => {} });
});
afterAll(() => registry.stop());
beforeEach(async () => {
  repo = await AgedRepo.createIn(registry);
  await registry.run("delete from expiry_plans");
  await queue("clear");
});

async function queue<Result = Message[]>(verb = "", body: string | object = ""): Promise<Result> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(`${registry.origin}/queue/${verb}`, { method: "POST", body: text });
  return (await answer.json()) as Result;
}

/** The messages with plans. Pulls of an earlier test can still come. */
const marks = async () => (await queue()).filter(({ plans }) => plans);

/** Delivers the oldest messages in one batch. Returns those that are put back. */
const deliver = (count = 100) =>
  queue<{ delaySeconds: number; plans?: string[] }[]>("deliver", String(count));

/** A plan for two old tags, as if some seconds ago. */
async function newPlan(secondsAgo: number): Promise<string> {
  await repo.tag((await repo.image()).digest, "pulled", 60);
  await repo.tag((await repo.image()).digest, "other", 60);
  await repo.rule({ expire: { unpulledDays: 30 } }, { includeTags: ["pulled", "other"] });
  return plan(secondsAgo);
}

async function plan(secondsAgo: number): Promise<string> {
  const { body } = await repo.call(repo.uid, {});
  await repo.sql(
    "update expiry_plans set create_time = create_time - ? where uid = ?",
    secondsAgo * 1000,
    body.uid,
  );
  return body.uid;
}

const knownTime = async (uid: string) => {
  const query = "select pulls_known_time as time from expiry_plans where uid = ?";
  const [row] = await registry.run<{ time: number | null }>(query, uid);
  return row?.time;
};

/** As if the time since the mark had passed in which late messages arrive. */
const waitForLateMessages = () =>
  registry.run("update expiry_plans set pulls_known_time = pulls_known_time - 60000");

test("a plan deletes nothing while the queue is two minutes behind, and then keeps the image that was pulled", async () => {
  await repo.tag((await repo.image()).digest, "pulled", 60);
  await repo.tag((await repo.image()).digest, "other", 60);
  await repo.rule({ expire: { unpulledDays: 30 } }, { includeTags: ["pulled", "other"] });
  expect(await repo.pull("pulled")).toBe(200);
  await expect.poll(async () => (await queue()).length).toBe(1);
  const uid = await plan(120);
  const isWaiting = async () => {
    expect(await repo.carryOut(uid)).toMatchObject({ state: "EXPIRY_PLAN_STATE_RUNNING" });
    expect((await repo.items(uid)).map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 4 }, () => "EXPIRY_OUTCOME_PLANNED"),
    );
  };
  await isWaiting();
  await registry.runSchedule();
  expect(await queue()).toMatchObject([{ sums: [{ tag: "pulled" }] }, { plans: [uid] }]);
  await isWaiting();
  await deliver(1);
  await isWaiting();
  await deliver(1);
  // A message that was put back can still arrive.
  await isWaiting();
  await waitForLateMessages();
  expect(await repo.carryOut(uid)).toMatchObject({ state: "EXPIRY_PLAN_STATE_DONE" });
  expect(await repo.pull("pulled")).toBe(200);
  expect(await repo.pull("other")).toBe(404);
});

test("the schedule carries out no daily plan whose pulls are not known", async () => {
  await repo.tag((await repo.image()).digest, "old", 60);
  await repo.rule({ expire: { unpulledDays: 30, daily: true } }, { includeTags: ["old"] });
  await registry.runSchedule();
  await registry.run("update expiry_plans set create_time = create_time - 120000");
  for (let run = 0; run < 2; run += 1) await registry.runSchedule();
  const states = () => registry.run("select state, deleted_count as deleted from expiry_plans");
  expect(await states()).toEqual([{ state: 2, deleted: 0 }]);
  await deliver();
  await waitForLateMessages();
  await registry.runSchedule();
  expect(await states()).toEqual([{ state: 4, deleted: 2 }]);
});

test("a plan is not marked in a batch with a message that failed, and is in one without", async () => {
  const uid = await newPlan(120);
  await registry.runSchedule();
  const [mark] = await marks();
  const bad = { repo: repo.uid, tag: "pulled", digest: "", identity: null, time: 1, pulls: 1 };
  await queue("send", { sums: [bad], events: [] });
  const retried = await deliver();
  expect(retried).toEqual([{ delaySeconds: 30 }, { delaySeconds: 40, plans: [uid] }]);
  expect(await knownTime(uid)).toBeNull();
  await queue("send", mark ?? {});
  expect(await deliver()).toEqual([]);
  expect(await knownTime(uid)).toBeGreaterThan(Date.now() + 30_000);
});

test("all plans that wait have one message a minute until they are marked, and a repeated message changes nothing", async () => {
  const uids = [await newPlan(120)];
  repo = await AgedRepo.createIn(registry);
  uids.push(await newPlan(60));
  repo = await AgedRepo.createIn(registry);
  // Isolates and caches have not sent all pulls before this plan.
  await newPlan(30);
  for (let run = 0; run < 2; run += 1) await registry.runSchedule();
  const sent = await marks();
  expect(sent.map(({ plans = [] }) => plans.toSorted())).toEqual([
    uids.toSorted(),
    uids.toSorted(),
  ]);
  await queue("clear");
  for (const message of sent) await queue("send", message);
  await deliver(1);
  const times = await Promise.all(uids.map(knownTime));
  await deliver(1);
  expect(await Promise.all(uids.map(knownTime))).toEqual(times);
  await registry.runSchedule();
  expect(await marks()).toEqual([]);
});

test("a plan that is canceled or finished has no message", async () => {
  const uid = await newPlan(120);
  expect((await repo.call(`${uid}:cancel`, {})).status).toBe(200);
  await registry.runSchedule();
  expect(await marks()).toEqual([]);
});

test("a plan is not marked while the queue takes no message, because it can still have pulls", async () => {
  const uid = await newPlan(120);
  await queue("break");
  await expect(registry.runSchedule()).rejects.toThrow();
  await queue("break");
  expect(await knownTime(uid)).toBeNull();
  await registry.runSchedule();
  expect(await marks()).toHaveLength(1);
});

test("a pull during a plan that cannot be written at once waits in the queue", async () => {
  await newPlan(120);
  await repo.tag((await repo.image()).digest, "waiting", 60);
  await registry.run(
    "create trigger refused before insert on tag_pulls begin select raise(abort, 'refused'); end",
  );
  onTestFinished(() => registry.run("drop trigger refused").then(() => {}));
  expect(await repo.pull("waiting")).toBe(200);
  const tags = async () => (await queue()).flatMap(({ sums }) => sums.map(({ tag }) => tag));
  await expect.poll(tags).toContain("waiting");
});

test("without a queue, the schedule marks the plans itself", async () => {
  const direct = await startOwnRegistry();
  onTestFinished(() => direct.stop());
  repo = await AgedRepo.createIn(direct);
  const uid = await newPlan(120);
  await direct.runSchedule();
  expect(await repo.carryOut(uid)).toMatchObject({ state: "EXPIRY_PLAN_STATE_DONE" });
});

test("with several databases, the plans of each organization are marked in its own", async () => {
  const spread = await startSpread({ wrapper, log: () => {} });
  onTestFinished(() => spread.stop());
  const homes = await Promise.all((["DB", "DB_2"] as const).map((at) => spread.newHome(at)));
  const plans = await Promise.all(
    homes.map(async ({ uid, at, token }) => {
      const { uid: parent } = await spread.done(`/registry/v2/repos/${uid}`, token, {
        name: "app",
      });
      const plan = `${parent}/${randomUid().slice(0, 16)}`;
      await spread.rowsIn(
        at,
        "insert into expiry_plans (uid, state, create_time, update_time) values (?, 1, 1, 1)",
        plan,
      );
      return { at, plan };
    }),
  );
  await spread.runSchedule();
  const post = async (path: string, body = "") =>
    (await fetch(`${spread.origin}/queue/${path}`, { method: "POST", body })).json();
  const sent = (await post("")) as Message[];
  expect(sent.map((message) => message.plans)).toEqual(plans.map(({ plan }) => [plan]));
  expect(await post("deliver", "100")).toEqual([]);
  for (const { at, plan } of plans)
    expect(
      await spread.rowsIn(at, "select uid from expiry_plans where pulls_known_time is not null"),
    ).toEqual([{ uid: plan }]);
});
