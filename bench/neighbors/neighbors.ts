/** Measures whether an organization that sends far more than its limit slows the calls of another one. */
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { fillOrganization } from "../organization.ts";
import { percentile } from "../percentile.ts";
import type { BenchSetup, Findings, Goal } from "../report/findings.ts";
import { shuffled } from "../shuffled.ts";
import { headersOf, type SpeedCase } from "../speed/cases.ts";
import { emptyWorker } from "../speed/floor.ts";
import { type LoadTarget, sendLoad } from "../speed/load.ts";
import { type BenchPlatform, makeDatabase, removeFolder, startBenchPlatform } from "../stage.ts";
import type { Noise, NoiseCounts } from "./noise.ts";

/** The calls a minute that an organization may make in this measurement. */
const limit = 60;
/** How many times its limit the noisy organization sends. */
const excess = 100;
const rounds = 12;
/** In seconds. */
const slice = 2;
const warmUp = 3;
/** In milliseconds. */
const rest = 500;

/** The most that the p99 of the other organization may be, compared with its p99 while the noise reaches no one. */
const maxGrowth = 1.1;

const noisy = "f".repeat(40);

const text = `Each organization may make ${limit} reads and ${limit} lists in a minute, and each caller any number. One
organization sends ${excess} times that: ${(limit * excess) / 60} reads in a second, of which nearly all are refused. Another
one makes calls on one connection, and its own limit is taken away. Both organizations use the same Worker and the same
isolate. The programs that send the calls share the cores of this machine with it, which Cloudflare's do not. As a
control, the same noise is sent to an empty Worker in the same process: what that costs is the price of the machine,
and what the refusals add to it is the price of the platform. Slices of ${slice} s of the three kinds follow each
other in shuffled order, ${rounds} of each.`;

const variables = {
  RATE_LIMITS: JSON.stringify({
    read: { organization: limit, caller: 10 * limit * excess },
    list: { organization: limit, caller: 10 * limit * excess },
  }),
};

/** Measures the latencies of an organization, with and without a noisy one. */
export async function measureNeighbors({ bundle, folder, say }: BenchSetup): Promise<Findings> {
  const workFolder = join(folder, "neighbors");
  const { root, repo, owner } = fillOrganization(await makeDatabase(workFolder), 20_000);
  const options = { meter: false, countsItself: true, variables, extraWorkers: [emptyWorker] };
  const platform = await startBenchPlatform(bundle, workFolder, options);
  try {
    await platform.db
      .prepare(
        "insert into quotas (organization, kind, quota_limit) values (?, 'rate_percent', -1)",
      )
      .bind(root)
      .all();
    const below = `uidp.descendants_of=${root}&page_size=50&order_by=name`;
    const cases: SpeedCase[] = [
      { name: "get", title: "Get a repo", path: `/registry/v2/repos/${repo}`, isRegistry: false },
      {
        name: "list",
        title: "List 50 tags",
        path: `/registry/v2/tags?${below}`,
        isRegistry: false,
      },
    ];
    const outcomes: Outcome[] = [];
    for (const speedCase of cases) {
      say(`neighbors: ${speedCase.title}`);
      outcomes.push(await compare(platform, owner, speedCase));
    }
    return toFindings(outcomes);
  } finally {
    await platform.stop();
    await removeFolder(workFolder);
  }
}

const kinds = ["calm", "control", "noise"] as const;
type Kind = (typeof kinds)[number];

interface Outcome {
  title: string;
  /** In milliseconds: without noise, with noise that reaches an empty Worker, and with noise. */
  latencies: Record<Kind, number[]>;
  /** The calls of the noisy organization, and those that were refused. */
  sent: number;
  refused: number;
}

async function compare(
  platform: BenchPlatform,
  caller: string,
  speedCase: SpeedCase,
): Promise<Outcome> {
  const headers = await headersOf(platform, caller, speedCase);
  const target: LoadTarget = { url: `${platform.url}${speedCase.path}`, headers };
  const token = await platform.tokenFor(`${noisy}/${"0".repeat(16)}`);
  const origins = { control: await platform.extraWorkerUrl("empty"), noise: platform.url };
  const latencies = { calm: [], control: [], noise: [] };
  const outcome: Outcome = { title: speedCase.title, latencies, sent: 0, refused: 0 };
  await sendLoad(target, 1, warmUp);
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of shuffled(kinds)) {
      const noise = kind === "calm" ? undefined : startNoise(origins[kind], token);
      // The thread needs time to begin.
      await pause(rest);
      outcome.latencies[kind].push(...(await sendLoad(target, 1, slice)));
      const counts = await noise?.stop();
      if (kind !== "noise" || !counts) continue;
      outcome.sent += counts.sent;
      outcome.refused += counts.refused;
    }
  }
  return outcome;
}

/** Sends calls of the noisy organization to a Worker, in a thread of its own. */
function startNoise(origin: string, token: string) {
  const noise: Noise = {
    url: `${origin}/iam/v2/groups/${noisy}`,
    headers: { authorization: `Bearer ${token}` },
    pause: 60_000 / (limit * excess),
  };
  const thread = new Worker(new URL("noise.ts", import.meta.url), { workerData: noise });
  return {
    async stop(): Promise<NoiseCounts> {
      thread.postMessage("stop");
      const [counts] = await once(thread, "message");
      return counts;
    },
  };
}

const growthOf = ({ latencies: { control, noise } }: Outcome, share: number) =>
  percentile(noise, share) / percentile(control, share);

const milliseconds = (latencies: number[], share: number) =>
  Number(percentile(latencies, share).toFixed(2));

const toFindings = (outcomes: Outcome[]): Findings => ({
  title: "Noisy neighbors",
  text,
  tables: [
    {
      title: "Latency of the other organization",
      text: "× is the latency with noise divided by that of the control.",
      head: [
        "call",
        ...["median", "p99"].flatMap((name) => [...kinds.map((kind) => `${kind} ${name} ms`), "×"]),
        "noisy calls",
        "refused",
      ],
      rows: outcomes.map((outcome) => [
        outcome.title,
        ...[0.5, 0.99].flatMap((share) => [
          ...kinds.map((kind) => milliseconds(outcome.latencies[kind], share)),
          Number(growthOf(outcome, share).toFixed(2)),
        ]),
        outcome.sent,
        outcome.refused,
      ]),
    },
  ],
  goals: outcomes.map((outcome): Goal => {
    const growth = growthOf(outcome, 0.99);
    return {
      what: `${outcome.title}: p99 while another organization sends ${excess} times its limit, compared with the control`,
      bound: `under ${maxGrowth} ×`,
      measured: `${growth.toFixed(2)} ×`,
      kept: growth < maxGrowth,
    };
  }),
  charts: [],
});
