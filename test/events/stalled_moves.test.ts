/** A move between databases that was killed, or that stopped for too long. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { moveOrganization } from "../../cli/move/move.ts";
import type { MoveStep } from "../../cli/move/request.ts";
import { sqlOf } from "../../cli/move/sql.ts";
import { type Home, type SpreadPlatform, startSpread } from "../world/spread.ts";

let platform: SpreadPlatform;
let home: Home;
beforeAll(async () => {
  platform = await startSpread();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  home = await platform.newHome("DB_2");
});

const move = (onStep: (step: MoveStep) => Promise<void> | void = () => {}) =>
  moveOrganization({
    databases: new Map(Object.entries(platform.databases).map(([name, one]) => [name, sqlOf(one)])),
    ...{ root: home.uid, to: "DB", maxPause: 60_000, onStep },
  });

/** Kills a move at the beginning of a step. */
async function killedAt(step: MoveStep): Promise<void> {
  const killed = move((at) => {
    if (at === step) throw new Error("killed");
  });
  await expect(killed).rejects.toThrow("killed");
}

/** The move is killed where its own handling of errors cannot run. */
async function leaving(): Promise<void> {
  await killedAt("compare");
  await platform.rowsIn(
    "DB_2",
    "update organization_moves set state = 'leaving' where uid = ?",
    home.uid,
  );
}

/** Runs the schedule, as if the last sign of life of the move were so many minutes old. */
async function runSchedule(minutes: number): Promise<void> {
  for (const at of ["DB", "DB_2"] as const)
    await platform.rowsIn(
      at,
      "update organization_moves set time = ? where uid = ?",
      Date.now() - minutes * 60_000,
      home.uid,
    );
  await platform.runSchedule();
}

const create = async (name: string) =>
  (await platform.call(`/iam/v2/groups/${home.uid}`, home.token, { name })).status;

/** Whether the events of the old database have passed its sender. */
async function waitingEvents(): Promise<number> {
  const [row] = await platform.rowsIn<{ n: number }>(
    "DB_2",
    "select count(*) as n from events where seq > (select event_seq from delivery_cursor)",
  );
  return row?.n ?? 0;
}

/** The organization has these groups in the new database, and takes writes there. */
async function hasArrivedWith(names: string[]): Promise<void> {
  expect(await create("last")).toBe(200);
  const found = await platform.rowsIn<{ name: string }>(
    "DB",
    "select name from groups where uid like ? order by name",
    `${home.uid}/%`,
  );
  expect(found.map(({ name }) => name)).toEqual([...names, "last"].sort());
}

async function arrivesWith(names: string[]): Promise<void> {
  await move();
  await hasArrivedWith(names);
}

test("writes continue in an organization whose move was killed while they were refused", async () => {
  await leaving();
  await runSchedule(1);
  expect(await create("refused")).toBe(503);
  await runSchedule(6);
  expect(await create("a")).toBe(200);
  await runSchedule(6);
  expect(await waitingEvents()).toBe(0);
  await arrivesWith(["a"]);
});

test("a move that was killed before the copy served the organization is undone, and can run again", async () => {
  await create("a");
  await killedAt("arm");
  await runSchedule(1);
  expect(await create("refused")).toBe(503);
  await runSchedule(6);
  expect(await create("b")).toBe(200);
  await runSchedule(6);
  expect(await waitingEvents()).toBe(0);
  await arrivesWith(["a", "b"]);
});

test("a move that was killed after the copy served the organization is finished", async () => {
  await create("a");
  await killedAt("name");
  await runSchedule(6);
  expect(await create("b")).toBe(200);
  expect(await waitingEvents()).toBe(0);
  await arrivesWith(["a", "b"]);
});

test("a move that stopped for too long and then continues changes nothing", async () => {
  await create("a");
  const late = move(async (step) => {
    if (step === "arm") await runSchedule(6);
  });
  await expect(late).rejects.toThrow("interrupted for too long");
  expect(await create("b")).toBe(200);
  await arrivesWith(["a", "b"]);
});

test("a move whose pause has ended meanwhile tries again", async () => {
  await create("a");
  let isFirst = true;
  await move(async (step) => {
    if (step !== "switch" || !isFirst) return;
    isFirst = false;
    await runSchedule(6);
    expect(await create("b")).toBe(200);
  });
  expect(isFirst).toBe(false);
  await hasArrivedWith(["a", "b"]);
});
