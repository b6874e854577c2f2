import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import type { LocalOutcome, LocalResults } from "../../../bench/registry/local.ts";
import { localGoals, localTables } from "../../../bench/registry/local_findings.ts";
import { usesOf, workSince } from "../../../bench/registry/processes.ts";

const MB = 1e6;
const outcome = (load: string, server: string, rates: number[], seconds: number): LocalOutcome => ({
  ...{ load, server, rates, unit: load.includes("layer") ? "MiB" : "requests" },
  ...{ units: 2_000, work: new Map([["workerd", seconds]]) },
});
const trio = (load: string, mine: number[], peer: number[], floor: number[]) => [
  outcome(load, "npm start", mine, 4),
  outcome(load, "Distribution 2.8.2", peer, 1),
  outcome(load, "bare Worker", floor, 2),
];
const process = (memory: number) => ({ id: 1, name: "workerd", cpu: 1, memory });
const memory = (after: number) => ({
  ...{ server: "npm start", before: [process(300 * MB)], after: [process(after)] },
});
const results: LocalResults = {
  outcomes: [
    ...trio("HEAD of a manifest", [50, 10, 60], [100, 100, 100], [80, 80, 80]),
    ...trio("push of new images", [1], [100], [1]),
    ...trio("push of a layer of 1 GiB", [69, 69], [100, 100], [70, 70]),
  ],
  memory: [memory(500 * MB)],
};

test("pulls need half of Distribution's speed and pushes of layers 0.7, as the median of the rounds", () => {
  const goals = localGoals(results);
  expect(goals.map(({ bound, measured, kept }) => [bound, measured, kept])).toEqual([
    ["at least 0.5 ×", "0.50 ×", true],
    ["at least 0.7 ×", "0.69 ×", false],
    ["at most 200 MB", "200 MB", true],
  ]);
});

test("a process that gains more than 200 MB misses the goal, and no memory means no goal", () => {
  const more = localGoals({ ...results, memory: [memory(501 * MB)] });
  expect(more.at(-1)).toMatchObject({ measured: "201 MB", kept: false });
  expect(localGoals({ ...results, memory: [] })).toHaveLength(2);
});

test("the tables have the ratios of the platform and of the bare Worker, and the work for 1000 requests", () => {
  const [speed, work, grown] = localTables(results);
  const row = ["HEAD of a manifest", "requests", 50, 100, 80, 0.5, 0.8];
  expect(speed?.rows[0]).toEqual(row);
  expect(work?.rows[0]).toEqual(["HEAD of a manifest", "npm start", "workerd", 2]);
  expect(grown?.rows).toEqual([["npm start", "workerd", 300, 500, 200]]);
});

const onLinux = test.skipIf(globalThis.process.platform !== "linux");

onLinux("the work of a program and of what it has started is counted", async () => {
  const busy = "while (process.cpuUsage().user < 500_000); setTimeout(() => {}, 60_000);";
  const nested = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(busy)}]);`;
  const options = { detached: true } as const;
  const child: ChildProcess = spawn(globalThis.process.execPath, ["-e", nested], options);
  const id = child.pid ?? 0;
  await expect.poll(() => usesOf([id]).length).toBe(2);
  expect(usesOf([id])[0]?.memory).toBeGreaterThan(MB);
  const total = () => [...workSince([], [id]).values()].reduce((sum, work) => sum + work, 0);
  await expect.poll(total, { timeout: 10_000 }).toBeGreaterThan(0.5);
  expect(workSince(usesOf([id]), [id]).get("node")).toBeLessThan(0.2);
  globalThis.process.kill(-id);
  await once(child, "exit");
  await pause(50);
  expect(usesOf([id])).toEqual([]);
});
