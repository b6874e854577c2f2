/** Measures the size of every Worker's upload and the time to start it, compared with an empty Worker. */
import { join } from "node:path";
import { platformBound, workerBound } from "../../cli/check/sizes.ts";
import { percentile } from "../percentile.ts";
import type { BenchSetup, Findings, Goal } from "../report/findings.ts";
import { type Bundle, bundleAll, platformName } from "./bundles.ts";
import { type Isolate, startIsolates } from "./isolates.ts";
import { makeProbes } from "./probes.ts";
import { configure, measureStart, type RuntimeStart } from "./runtime.ts";

/** Relative to a start of an empty Worker. */
const maxStartRatio = 3;

/** Measured starts of each Worker, and the starts before them that do not count. */
const rounds = 15;
const warming = 1;

const text = `Every Worker is bundled as for a deployment (\`wrangler deploy --dry-run --minify\`). Its size is the
size that Cloudflare counts: gzip, without the static assets. An empty Worker is bundled by the same wrangler with the
same flags.

At the edge, the runtime is already running, so a cold start consists of a new isolate, the evaluation of the script,
and the first call. On one machine, there are two ways to measure that, and both are below.

- **Process**: the runtime (\`workerd\`, with the flags of wrangler.toml) is started with one Worker and receives one
  request. The time ends when the response has been read. For both Workers, it includes the start of a process and of
  the JavaScript engine, which the edge does not need. The goal limits the median of a Worker divided by that of
  the empty Worker. Processor time covers all threads of the process and is less affected by other programs on the
  machine.
- **Isolate**: the Worker Loader of a runtime that is already running loads a new isolate of the bundle for every call.
  This is closest to the edge. The result is the first call minus the second call of the same isolate. There is no
  goal for a ratio here, because the time of an empty isolate is too short to divide by.

The Workers take turns, with ${rounds} starts each, after ${warming} start that is not counted. The first request
is a real call and not a 404. It is a List with a valid token and an invalid page size. The Worker finds the route,
verifies the token, reads the message and checks its rules, but does not call D1. The Worker ping returns its ping, the
issuer returns its discovery document, and distribution rejects the name of a tag.`;

interface Measured extends Bundle {
  starts: RuntimeStart[];
  isolates: Isolate[];
}

const median = (numbers: number[]) => percentile(numbers, 0.5);

const rounded = (number: number, digits = 0) => Number(number.toFixed(digits));

const untilAnswer = ({ starts }: Measured) => median(starts.map((start) => start.untilAnswer));

const processor = ({ starts }: Measured) => median(starts.map((start) => start.processor));

const ofIsolate = ({ isolates }: Measured) =>
  median(isolates.map(({ first, second }) => first - second));

/** Bundles and starts every Worker. */
export async function measureSize({ folder, say }: BenchSetup): Promise<Findings> {
  const workFolder = join(folder, "size");
  const bundles = await bundleAll(workFolder, say);
  const probes = await makeProbes();
  const configured = await Promise.all(
    bundles.map(async (bundle) => ({
      ...bundle,
      starts: [] as RuntimeStart[],
      config: await configure(bundle.module, probes.vars),
    })),
  );
  for (let round = -warming; round < rounds; round += 1) {
    say(`starting every Worker, round ${round + warming + 1} of ${rounds + warming}`);
    for (const { name, config, starts } of configured) {
      const probe = probes.probes(name);
      const start = await measureStart(config, probe, probe.expected);
      if (round >= 0) starts.push(start);
    }
  }
  say("starting isolates");
  const isolates = await startIsolates(
    join(workFolder, "isolates"),
    bundles,
    probes,
    rounds + warming,
  );
  return findingsOf(
    configured.map((worker) => ({
      ...worker,
      isolates: (isolates.get(worker.name) ?? []).slice(warming),
    })),
  );
}

const head = [
  "Worker",
  "KiB as gzip",
  "KiB",
  "start, ms",
  "start / empty Worker",
  "processor, ms",
  "processor / empty Worker",
  "isolate, ms",
];

function findingsOf(all: Measured[]): Findings {
  const [empty, ...workers] = all;
  if (!empty) throw new Error("no Worker was measured");
  const ratio = (worker: Measured) => untilAnswer(worker) / untilAnswer(empty);
  const lineOf = (worker: Measured) => [
    worker.name,
    rounded(worker.gzipKib, 1),
    rounded(worker.kib),
    rounded(untilAnswer(worker)),
    rounded(ratio(worker), 2),
    rounded(processor(worker)),
    rounded(processor(worker) / processor(empty), 2),
    rounded(ofIsolate(worker), 1),
  ];
  // The chart leaves out the whole platform, which has a different bound. The table has it.
  const domains = workers.filter(({ name }) => name !== platformName);
  const series = (value: (worker: Measured) => number) => [
    { name: "Workers", points: domains.map((worker) => ({ x: worker.name, y: value(worker) })) },
  ];
  return {
    title: "Size and cold start",
    text,
    tables: [
      { title: "Every Worker and an empty one", head, rows: [empty, ...workers].map(lineOf) },
    ],
    goals: workers.flatMap((worker) => goalsOf(worker, ratio(worker))),
    charts: [
      {
        name: "size",
        title: "Upload of each domain's Worker",
        kind: "bars",
        xTitle: "Worker",
        yTitle: "KiB as gzip",
        bound: workerBound,
        series: series((worker) => worker.gzipKib),
      },
      {
        name: "start",
        title: "Cold start of each domain's Worker",
        kind: "bars",
        xTitle: "Worker",
        yTitle: "relative to an empty Worker",
        bound: maxStartRatio,
        series: series(ratio),
      },
    ],
  };
}

function goalsOf({ name, gzipKib }: Bundle, ratio: number): Goal[] {
  const greatest = name === platformName ? platformBound : workerBound;
  const size: Goal = {
    what: name === platformName ? "size of the whole platform" : `size of the Worker ${name}`,
    bound: `under ${greatest} KiB as gzip`,
    measured: `${gzipKib.toFixed(1)} KiB`,
    kept: gzipKib < greatest,
  };
  if (name === platformName) return [size];
  const begin: Goal = {
    what: `cold start of the Worker ${name}`,
    bound: `under ${maxStartRatio} × that of an empty Worker`,
    measured: `${ratio.toFixed(2)} ×`,
    kept: ratio < maxStartRatio,
  };
  return [size, begin];
}
