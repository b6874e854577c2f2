import { expect, test } from "vitest";
import type { BlobOutcome } from "../../../bench/registry/blobs.ts";
import type { ManifestOutcome } from "../../../bench/registry/manifests.ts";
import { type RegistryResults, registryFindings } from "../../../bench/registry/registry.ts";
import { requestCost } from "../../../bench/registry/server_timing.ts";
import { drawChart } from "../../../bench/report/chart.ts";

const MiB = 1024 ** 2;
const cost = { roundTrips: 1, rowsRead: 20, rowsWritten: 0, reads: 0, writes: 0, mostPending: 0 };
const outcomes = (server: string, latency: number): ManifestOutcome[] =>
  [1, 16].flatMap((connections) =>
    (["HEAD", "GET"] as const).map((method) => ({
      ...{ server, method, connections },
      latencies: [latency, latency],
    })),
  );
const platform: BlobOutcome = { name: "platform", push: [90, 45, 80], pull: [100, 100, 70] };
const bare: BlobOutcome = { name: "bare Worker", push: [100, 50, 100], pull: [100, 100, 100] };
const results: RegistryResults = {
  counted: {
    requests: [
      { name: "GET a blob", isRead: true, cost },
      { name: "POST an upload", isRead: false, cost: { ...cost, roundTrips: 2 } },
    ],
    mostPending: 16 * MiB,
  },
  blobs: [platform, bare],
  manifests: [...outcomes("platform", 2.4), ...outcomes("bare Worker", 2)],
  programs: [
    { command: "docker-registry", version: undefined, source: "`apt-get install docker-registry`" },
    { command: "registry", version: "3.1.2", source: "elsewhere" },
  ],
  local: undefined,
};
const kept = (changed: Partial<RegistryResults> = {}) =>
  registryFindings({ ...results, ...changed }).goals.map((goal) => goal.kept);

test("the throughput is compared in each round, and the median decides", () => {
  const [push, pull] = registryFindings(results).goals;
  expect([push?.measured, pull?.measured]).toEqual(["0.90 ×", "1.00 ×"]);
  expect(kept()).toEqual([true, true, true, true, true, true]);
});

test("less than 0.8 of the throughput, or of the requests, misses the goal", () => {
  const slow = { ...platform, push: [79, 39.5, 79], pull: [79, 79, 100] };
  expect(kept({ blobs: [slow, bare] })).toEqual([false, false, true, true, true, true]);
  const slower = [...outcomes("platform", 2.6), ...outcomes("bare Worker", 2)];
  expect(kept({ manifests: slower })).toEqual([true, true, false, false, true, true]);
});

test("more than two parts in memory, or none, miss the goal", () => {
  for (const mostPending of [16 * MiB + 1, 0]) {
    expect(kept({ counted: { ...results.counted, mostPending } })[4]).toBe(false);
  }
});

test("a read with two round trips misses the goal, which names it", () => {
  const wide = { name: "GET a blob", isRead: true, cost: { ...cost, roundTrips: 2 } };
  const { goals } = registryFindings({ ...results, counted: { requests: [wide], mostPending: 1 } });
  expect(goals[5]).toMatchObject({ measured: "missed by GET a blob (2)", kept: false });
});

test("the requests per second of each server are divided by those of the bare Worker", () => {
  const [, one, many] = registryFindings(results).tables;
  expect(one?.rows[0]).toEqual(["HEAD", "platform", 417, 2.4, 2.4, 0.83]);
  expect(one?.rows[1]).toEqual(["HEAD", "bare Worker", 500, 2, 2, 1]);
  expect(many?.rows[0]).toEqual(["HEAD", "platform", 6667, 2.4, 2.4, 0.83]);
});

test("the text says which program of Distribution was not found", () => {
  const { text } = registryFindings(results);
  expect(text).toContain("**CNCF Distribution as `docker-registry` is not measured**");
  expect(text).toContain("CNCF Distribution 3.1.2 is the program `registry`");
});

test("the charts can be drawn", () => {
  for (const chart of registryFindings(results).charts) {
    expect(drawChart(chart)).toContain("<svg");
  }
});

test("the cost of a request comes from server-timing, and its absence is an error", () => {
  const text =
    'd1;desc="round_trips=2 rows_read=45 rows_written=13", r2;desc="reads=1 writes=34 most_pending=16777216"';
  expect(requestCost({ headers: { "server-timing": text } })).toEqual({
    ...{ roundTrips: 2, rowsRead: 45, rowsWritten: 13 },
    ...{ reads: 1, writes: 34, mostPending: 16_777_216 },
  });
  expect(() => requestCost({ headers: {} })).toThrow(/server-timing/);
});
