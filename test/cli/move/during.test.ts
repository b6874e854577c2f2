/** Moves that are interrupted, and moves during which others write. */
import type { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MoveStep } from "../../../cli/move/request.ts";
import { long, place, tiers } from "../../world/tiers.ts";
import { faultsIn, newWorld, type Pair, snapshot } from "./world.ts";
import { writes } from "./writes.ts";

let world: Awaited<ReturnType<typeof newWorld>>;
beforeAll(async () => {
  world = await newWorld();
});
afterAll(() => world.remove());

/** The steps of a whole move, in their order. */
async function allSteps(): Promise<MoveStep[]> {
  const pair = world.open();
  const steps: MoveStep[] = [];
  await pair.move({ onStep: (step) => void steps.push(step) });
  pair.close();
  return steps;
}

/** A function for `onStep` that fails before the nth step. */
function failsAt(n: number) {
  let at = 0;
  return () => {
    at += 1;
    if (at === n) throw new Error("interrupted");
  };
}

const isEmpty = (rows: Record<string, unknown[]>) =>
  Object.values(rows).every((one) => one.length === 0);

/** How many steps of each kind are tried. Set MOVE_RUNS to try more of them. */
const runs = Number(process.env.MOVE_RUNS ?? 2);

/** Some of the numbers from 1 to a count. Each seed chooses others. */
function some(count: number): number[] {
  const gap = Math.max(1, Math.floor(count / runs));
  const offset = place("steps of a move", gap);
  return Array.from({ length: count }, (_, at) => at + 1).filter((n) => n % gap === offset);
}

test("a move that is interrupted before any of its steps is continued without a loss", {
  ...long,
  timeout: 300_000,
}, async () => {
  const steps = await allSteps();
  const before = snapshot(world.open().source);
  const chosen = some(steps.length);
  for (const [at, step] of steps.entries()) {
    if (step === "page" && !chosen.includes(at)) continue;
    const pair = world.open();
    await expect(pair.move({ onStep: failsAt(at + 1) }), step).rejects.toThrow("interrupted");
    if (step !== "done") await pair.move();
    expect(snapshot(pair.target), `${step}, step ${at}`).toEqual(before);
    expect(isEmpty(snapshot(pair.source)), `${step}, step ${at}`).toBe(true);
    expect(pair.location()).toBe("DB");
    pair.close();
  }
});

test("a move whose connection breaks after any statement is continued without a loss", async () => {
  const whole = world.open();
  let count = 0;
  whole.onAnswer(() => {
    count += 1;
  });
  const before = snapshot(whole.source);
  await whole.move();
  whole.close();
  for (const n of some(count - 1)) {
    const pair = world.open();
    let at = 0;
    // As if the command had been killed: nothing later is done.
    pair.onAnswer(() => {
      at += 1;
      if (at >= n) throw new Error("interrupted");
    });
    await expect(pair.move(), `statement ${n}`).rejects.toThrow("interrupted");
    pair.onAnswer(() => {});
    // Its last statements are done if the organization is there.
    await pair.move().catch(({ message }) => expect(message).toContain("in DB already"));
    expect(snapshot(pair.target), `statement ${n}`).toEqual(before);
    expect(isEmpty(snapshot(pair.source)), `statement ${n}`).toBe(true);
    pair.close();
  }
}, 300_000);

test("a move can be undone until it switches, and leaves nothing in the other database", async () => {
  const steps = await allSteps();
  const before = snapshot(world.open().source);
  const chosen = some(steps.length);
  for (const [at, step] of steps.entries()) {
    if (step === "arm") break;
    if (step === "begin" || (step === "page" && !chosen.includes(at))) continue;
    const pair = world.open();
    await expect(pair.move({ onStep: failsAt(at + 1) }), step).rejects.toThrow("interrupted");
    await pair.undo();
    expect(snapshot(pair.source), step).toEqual(before);
    expect(isEmpty(snapshot(pair.target)), step).toBe(true);
    expect(pair.source.prepare("SELECT * FROM organization_moves").all()).toEqual([]);
    expect(pair.source.prepare("SELECT * FROM organization_changes").all()).toEqual([]);
    expect(pair.location()).toBe("DB_2");
    pair.close();
  }
}, 300_000);

test("a move that was killed while writes were refused can be undone, and writes continue", async () => {
  const pair = world.open();
  const before = snapshot(pair.source);
  let isKilled = false;
  pair.onAnswer(() => {
    if (isKilled) throw new Error("killed");
  });
  const killed = pair.move({
    onStep(step) {
      isKilled = step === "compare";
    },
  });
  await expect(killed).rejects.toThrow("killed");
  const write = () => writes["a subscription changes"]?.(pair.source);
  expect(write).toThrow("organization is leaving");
  pair.onAnswer(() => {});
  await pair.undo();
  expect(snapshot(pair.source)).toEqual(before);
  write();
  pair.close();
});

test("a move that has switched cannot be undone", async () => {
  const pair = world.open();
  const steps = await allSteps();
  const at = steps.indexOf("arm") + 1;
  await expect(pair.move({ onStep: failsAt(at) })).rejects.toThrow("interrupted");
  await expect(pair.undo()).rejects.toThrow("has switched already");
  pair.close();
});

/** The rows after these writes, without a move. */
function control(made: ((db: DatabaseSync) => void)[]) {
  const pair = world.open();
  for (const write of made) write(pair.source);
  const rows = snapshot(pair.source);
  pair.close();
  return rows;
}

/** Moves the organization in small pages, and calls a function at each step while others can still write. */
async function moveWhile(pair: Pair, atStep: (n: number) => void) {
  let n = 0;
  let isOpen = true;
  await pair.move({
    maxPage: 3,
    onStep(step) {
      if (step === "compare") isOpen = false;
      if (!isOpen || step === "begin") return;
      n += 1;
      atStep(n);
    },
  });
}

/** The steps at which a test writes: some of those that copy, and the last ones. */
async function someSteps(): Promise<number[]> {
  const pair = world.open();
  let count = 0;
  await moveWhile(pair, (n) => {
    count = n;
  });
  pair.close();
  return [...some(count).slice(0, runs), count - 1, count];
}

let steps: number[] | undefined;

/** Each write at each of these steps, by its place among them. */
const writesAtSteps = Object.keys(writes).flatMap((name) =>
  Array.from({ length: runs + 2 }, (_, place) => ({ name, place })),
);

for (const [rows, tier] of tiers(writesAtSteps, ({ place }) => `${place}`))
  test.for(rows)(
    "a move copies what others write meanwhile: $name, at step $place of some",
    tier,
    async ({ name, place }) => {
      const write = writes[name] ?? (() => {});
      const expected = control([write]);
      steps ??= await someSteps();
      const at = steps[place];
      const pair = world.open();
      await moveWhile(pair, (n) => {
        if (n === at) write(pair.source);
      });
      expect(snapshot(pair.target), `at step ${at}`).toEqual(expected);
      pair.close();
    },
  );

test("writes of all kinds while the organization moves leave no fault", async () => {
  const all = Object.values(writes);
  const expected = control(all);
  const pair = world.open();
  await moveWhile(pair, (n) => all[n - 1]?.(pair.source));
  expect(snapshot(pair.target)).toEqual(expected);
  expect(await faultsIn(pair.source)).toEqual({});
  pair.close();
});

test("while the last changes are copied, the database refuses every write of the organization", async () => {
  const refused: string[] = [];
  const pair = world.open();
  await pair.move({
    onStep(step) {
      if (step !== "compare") return;
      for (const [name, write] of Object.entries(writes)) {
        try {
          write(pair.source);
        } catch (thrown) {
          if (String(thrown).includes("organization is leaving")) refused.push(name);
        }
      }
    },
  });
  expect(refused).toEqual(Object.keys(writes));
  pair.close();
});

test("a copy that differs from its source is not switched to, and writes continue", async () => {
  const pair = world.open();
  const spoiled = pair.move({
    onStep(step) {
      if (step === "compare")
        pair.target.exec("DELETE FROM findings WHERE uid = (SELECT max(uid) FROM findings)");
    },
  });
  await expect(spoiled).rejects.toThrow(/findings: \d+ in the source, \d+ in the copy/);
  expect(pair.location()).toBe("DB_2");
  writes["a subscription changes"]?.(pair.source);
  pair.close();
});

test("a move that takes too long lets writes continue, and tries again", async () => {
  const pair = world.open();
  await expect(pair.move({ maxPause: -1 })).rejects.toThrow("Run the command again later");
  expect(pair.source.prepare("SELECT state FROM organization_moves").all()).toEqual([
    { state: "copying" },
  ]);
  await pair.move();
  expect(pair.location()).toBe("DB");
  pair.close();
});
