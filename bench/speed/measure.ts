/**
 * Compares the platform with a bare Worker that sends the same statements to D1, and with an empty Worker. All three
 * run in one process. They take turns in short slices of shuffled order, so that other work on the machine affects all
 * of them.
 */
import { join } from "node:path";
import { percentile } from "../percentile.ts";
import type { BenchSetup, Cell, Chart, Findings, Goal } from "../report/findings.ts";
import { shuffled } from "../shuffled.ts";
import { type BenchPlatform, removeFolder, startBenchPlatform } from "../stage.ts";
import {
  type CasesWithCaller,
  headersOf,
  makeCases,
  recordStatements,
  type SpeedCase,
} from "./cases.ts";
import { bareWorker, emptyWorker } from "./floor.ts";
import { type LoadTarget, sendLoad } from "./load.ts";

const connectionCounts = [1, 16];
const rounds = 8;
/** In seconds. */
const slice = 1;
const warmUp = 3;

/** The percentiles, and how many times the bare Worker's latency the platform may take. */
const bounds = [
  { name: "median", share: 0.5, most: 1.25 },
  { name: "p99", share: 0.99, most: 1.5 },
] as const;

const contestants = ["platform", "bare", "empty"] as const;
type Contestant = (typeof contestants)[number];

/** The latencies of one case with one number of connections, in milliseconds. */
interface Outcome {
  title: string;
  connections: number;
  latencies: Record<Contestant, number[]>;
}

/** Measures all cases with all numbers of connections. */
export async function measureSpeed({ bundle, folder, say }: BenchSetup): Promise<Findings> {
  const workFolder = join(folder, "speed");
  try {
    const casesWithCaller = await makeCases(workFolder);
    const recorded = await recordStatements(bundle, workFolder, casesWithCaller);
    const extraWorkers = [bareWorker(recorded), emptyWorker];
    const platform = await startBenchPlatform(bundle, workFolder, { meter: false, extraWorkers });
    try {
      return toFindings(await race(platform, casesWithCaller, say));
    } finally {
      await platform.stop();
    }
  } finally {
    await removeFolder(workFolder);
  }
}

async function race(
  platform: BenchPlatform,
  { caller, cases }: CasesWithCaller,
  say: BenchSetup["say"],
) {
  const outcomes: Outcome[] = [];
  for (const connections of connectionCounts) {
    for (const speedCase of cases) {
      say(`speed: ${speedCase.title}, ${connections} at a time`);
      const targets = await targetsOf(platform, caller, speedCase);
      for (const name of contestants) await sendLoad(targets[name], connections, warmUp);
      const latencies = await alternate(targets, connections);
      outcomes.push({ title: speedCase.title, connections, latencies });
    }
  }
  return outcomes;
}

async function targetsOf(
  platform: BenchPlatform,
  caller: string,
  speedCase: SpeedCase,
): Promise<Record<Contestant, LoadTarget>> {
  const headers = await headersOf(platform, caller, speedCase);
  return {
    platform: { url: `${platform.url}${speedCase.path}`, headers },
    bare: { url: `${await platform.extraWorkerUrl("bare")}/${speedCase.name}`, headers },
    empty: { url: await platform.extraWorkerUrl("empty"), headers },
  };
}

async function alternate(targets: Record<Contestant, LoadTarget>, connections: number) {
  const latencies: Record<Contestant, number[]> = { platform: [], bare: [], empty: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of shuffled(contestants)) {
      const measured = await sendLoad(targets[name], connections, slice);
      for (const latency of measured) latencies[name].push(latency);
    }
  }
  return latencies;
}

const ratio = ({ latencies }: Outcome, share: number) =>
  percentile(latencies.platform, share) / percentile(latencies.bare, share);

const label = ({ title, connections }: Outcome) =>
  `${title}, ${connections} ${connections === 1 ? "connection" : "connections"}`;

function toFindings(outcomes: Outcome[]): Findings {
  return {
    title: "Speed compared with a bare Worker",
    text: `Three Workers run in one workerd on one D1. Each has its own socket, without the proxy of the development
server.

- The platform.
- A bare Worker that sends D1 the statements that were recorded from the platform, with the same parameters in the
  same batches. It returns their rows with \`JSON.stringify\`.
- An empty Worker.

The Workers take turns in shuffled order, with ${rounds} slices of ${slice} s each after a warm-up. The
latencies of all slices are evaluated together, as the client on the same machine measures them. All calls
of a case send the same token. The platform verifies its ES256 signature once, and reads the permissions of the caller
from D1 with every call. The bare Worker checks nothing. The platform runs without its static assets, which none of these calls uses.
With assets, miniflare would put a router Worker in front of the platform, which the other two do not have.`,
    tables: [latencyTable(outcomes)],
    goals: outcomes.flatMap((outcome) =>
      bounds.map(({ name, share, most }): Goal => {
        const measured = ratio(outcome, share);
        return {
          what: `${label(outcome)}: ${name}, compared with the bare Worker`,
          bound: `at most ${most} ×`,
          measured: `${measured.toFixed(2)} ×`,
          kept: measured <= most,
        };
      }),
    ),
    charts: bounds.map((bound) => ratioChart(outcomes, bound)),
  };
}

function latencyTable(outcomes: Outcome[]) {
  const head = ["call", "connections"];
  for (const { name } of bounds)
    head.push(...contestants.map((contestant) => `${contestant} ${name} ms`), "×");
  const rows = outcomes.map((outcome): Cell[] => [
    outcome.title,
    outcome.connections,
    ...bounds.flatMap(({ share }) => [
      ...contestants.map((contestant) =>
        Number(percentile(outcome.latencies[contestant], share).toFixed(2)),
      ),
      Number(ratio(outcome, share).toFixed(2)),
    ]),
  ]);
  return { title: "Latency", text: "× is the platform divided by the bare Worker.", head, rows };
}

function ratioChart(outcomes: Outcome[], { name, share, most }: (typeof bounds)[number]): Chart {
  return {
    name: name === "median" ? "speed" : `speed-${name}`,
    title: `Latency of the platform divided by that of a bare Worker, ${name}`,
    kind: "bars",
    xTitle: "call",
    yTitle: "relative to the bare Worker",
    bound: most,
    series: connectionCounts.map((connections) => ({
      name: connections === 1 ? "1 connection" : `${connections} connections`,
      points: outcomes
        .filter((outcome) => outcome.connections === connections)
        .map((outcome) => ({ x: outcome.title, y: Number(ratio(outcome, share).toFixed(3)) })),
    })),
  };
}
