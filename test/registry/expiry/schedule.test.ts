/** The schedule makes daily plans, carries out what is ready, and continues what was cut off. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ExpiryPlanState } from "../../../schema/gen/platform/registry/v2/expiry_plans_pb.js";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { AgedRepo } from "./aged_repo.ts";

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let repo: AgedRepo;

beforeAll(async () => {
  registry = await startOwnRegistry();
});
afterAll(() => registry.stop());
beforeEach(async () => {
  repo = await AgedRepo.createIn(registry);
});

const daily = { unmovedDays: 30, daily: true };

const plans = async () => {
  const { body } = await repo.call(`?uidp.children_of=${repo.uid}`);
  return body.expiryPlans ?? [];
};

async function oldTag(): Promise<string> {
  const { digest } = await repo.image();
  await repo.tag(digest, "pr-1", 60);
  return digest;
}

test("a rule with daily needs no one: the plan is made, carried out, and says that the platform did it", async () => {
  await oldTag();
  await repo.rule({ expire: daily }, { includeTags: ["pr-*"] }, repo.organization);
  await registry.runSchedule();
  await registry.runSchedule();
  expect(await plans()).toMatchObject([{ state: "EXPIRY_PLAN_STATE_READY" }]);
  await repo.waitForPulls();
  await registry.runSchedule();
  const [plan, ...others] = await plans();
  expect(others).toEqual([]);
  expect(plan).toMatchObject({ state: "EXPIRY_PLAN_STATE_DONE", daily: true, deletedCount: 2 });
  expect(plan.creatorUid ?? "").toBe("");
  expect(await repo.pull("pr-1")).toBe(404);
  await repo.undo(plan.uid);
  expect(await repo.pull("pr-1")).toBe(200);
});

test("it makes one plan a day, and keeps only the last one without anything to do", async () => {
  await repo.rule({ expire: daily });
  const first = async () => {
    await registry.runSchedule();
    const [plan, ...others] = await plans();
    expect(others).toEqual([]);
    return plan;
  };
  const plan = await first();
  expect(plan).toMatchObject({ state: "EXPIRY_PLAN_STATE_DONE", tagCount: 0, manifestCount: 0 });
  expect((await first()).uid).toBe(plan.uid);
  await repo.sql(
    "update expiry_plans set create_time = create_time - 86400000 where uid = ?",
    plan.uid,
  );
  expect((await first()).uid).not.toBe(plan.uid);
});

test("a rule that needs approval waits, and the schedule carries the plan out after it", async () => {
  await oldTag();
  await repo.rule({ expire: { ...daily, approval: true } });
  await registry.runSchedule();
  await registry.runSchedule();
  const [plan] = await plans();
  expect(plan.state).toBe("EXPIRY_PLAN_STATE_AWAITING_APPROVAL");
  expect((await repo.call(`${plan.uid}:carryOut`, {})).status).toBe(400);
  expect((await repo.call(`${plan.uid}:approve`, {})).status).toBe(200);
  await repo.waitForPulls();
  await registry.runSchedule();
  expect((await plans())[0]).toMatchObject({ state: "EXPIRY_PLAN_STATE_DONE", deletedCount: 2 });
});

test("a rule without daily lets nothing expire by itself, and a nearer one of them still counts", async () => {
  await oldTag();
  await repo.rule({ expire: daily }, {}, repo.organization);
  await repo.rule({ expire: { unmovedDays: 30 } });
  await registry.runSchedule();
  expect(await plans()).toMatchObject([{ daily: true, tagCount: 0 }]);
  expect(await repo.pull("pr-1")).toBe(200);
});

test("it continues a plan that was cut off, in the name of the person who made it", async () => {
  await oldTag();
  await repo.rule({ expire: { unmovedDays: 30 } });
  const plan = await repo.plan();
  await repo.sql(
    `update expiry_plans set state = ${ExpiryPlanState.RUNNING}, update_time = update_time - 600000, undo_expire_time = ? where uid = ?`,
    Date.now() + 86_400_000,
    plan.uid,
  );
  await registry.runSchedule();
  expect((await plans())[0]).toMatchObject({ state: "EXPIRY_PLAN_STATE_DONE", deletedCount: 2 });
  const [move] = await repo.sql(
    "select identity_name, method from tag_moves where repo_uid = ? order by update_time desc limit 1",
    repo.uid,
  );
  expect(move).toEqual({ identity_name: "owner", method: 4 });
});

test("it deletes plans that have been finished for a month, with their items", async () => {
  await oldTag();
  await repo.rule({ expire: { unmovedDays: 30 } });
  const plan = await repo.plan();
  await repo.carryOut(plan.uid);
  const month = 31 * 86_400_000;
  await repo.sql(
    "update expiry_plans set update_time = update_time - ?1, undo_expire_time = undo_expire_time - ?1 where uid = ?2",
    month,
    plan.uid,
  );
  await registry.runSchedule();
  expect(await plans()).toEqual([]);
  expect(await repo.sql("select 1 from expiry_items where plan_uid = ?", plan.uid)).toEqual([]);
});
