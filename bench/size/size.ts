/** Size of every Worker's upload and what it takes to start, against an empty Worker. */
import { join } from "node:path";
import { platformBound, workerBound } from "../../cli/check/sizes.ts";
import { percentile } from "../percentile.ts";
import type { BenchSetup, Findings, Goal } from "../report/findings.ts";
import { type Bundle, bundleAll, platformName } from "./bundles.ts";
import { type Isolate, startIsolates } from "./isolates.ts";
import { makeProbes } from "./probes.ts";
import { configure, measureStart, type RuntimeStart } from "./runtime.ts";

/** A start in starts of an empty Worker. */
const maxStartRatio = 3;

/** Measured starts of each Worker, and those before them that do not count. */
const rounds = 15;
const warming = 1;

const text = `Every Worker is bundled as a deployment does it (\`wrangler deploy --dry-run --minify\`); its size is what
Cloudflare counts, gzip, without the static assets. An empty Worker is bundled by the same wrangler with the same flags.

What a start is: at the edge the runtime runs already, so a cold start is a new isolate, the evaluation of the
script, and the first call. On one machine that can be measured in two ways, and both are below.

- **Process**: the runtime (\`workerd\`, with the flags of wrangler.toml) is spawned with one Worker, and asked once.
  The time ends when the answer was read. It holds the start of a process and of the JavaScript engine, which the edge does not pay,
  in both Workers alike. The goal is about the ratio of these medians. Processor time is of all
  threads of the process and disturbed less by others on the machine.
- **Isolate**: one runtime that runs already loads a new isolate of the bundle for every call (its Worker Loader). This
  is nearest to the edge: first call less second call of the same isolate. No ratio has a goal here, as an empty isolate is almost nothing to divide by.

The Workers take turns, ${rounds} starts each after ${warming} that does not count. What is asked first is a real call, not a 404: a List with a good
token and a bad page size, so that routes, token, message and rules are all used and only D1 is not; ping answers its ping, the issuer its
discovery document, distribution refuses the name of a tag.`;

interface Measured extends Bundle {
  starts: RuntimeStart[];
  isolates: Isolate[];
}

const median = (numbers: number[]) => percentile(numbers, 0.5);

const rounded = (number: number, digits = 0) => Number(number.toFixed(digits));

const untilAnswer = ({ starts }: Measured) => median(starts.map((one) => one.untilAnswer));

const processor = ({ starts }: Measured) => median(starts.map((one) => one.processor));

const ofIsolate = ({ isolates }: Measured) =>
  median(isolates.map(({ first, second }) => first - second));

/** Bundles and starts every Worker. */
export async function measureSize({ folder, say }: BenchSetup): Promise<Findings> {
  const place = join(folder, "size");
  const bundles = await bundleAll(place, say);
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
      const one = await measureStart(config, probe, probe.expected);
      if (round >= 0) starts.push(one);
    }
  }
  say("starting isolates");
  const isolates = await startIsolates(join(place, "isolates"), bundles, probes, rounds + warming);
  return findingsOf(
    configured.map((one) => ({
      ...one,
      isolates: (isolates.get(one.name) ?? []).slice(warming),
    })),
  );
}

const head = [
  "Worker",
  "KiB as gzip",
  "KiB",
  "start, ms",
  "start of empty Workers",
  "processor, ms",
  "processor of empty Workers",
  "isolate, ms",
];

function findingsOf(all: Measured[]): Findings {
  const [empty, ...workers] = all;
  if (!empty) throw new Error("no Worker was measured");
  const ratio = (one: Measured) => untilAnswer(one) / untilAnswer(empty);
  const lineOf = (one: Measured) => [
    one.name,
    rounded(one.gzipKib, 1),
    rounded(one.kib),
    rounded(untilAnswer(one)),
    rounded(ratio(one), 2),
    rounded(processor(one)),
    rounded(processor(one) / processor(empty), 2),
    rounded(ofIsolate(one), 1),
  ];
  // Their bounds are not those of the whole platform, which stands in the table.
  const domains = workers.filter(({ name }) => name !== platformName);
  const series = (value: (one: Measured) => number) => [
    { name: "Workers", points: domains.map((one) => ({ x: one.name, y: value(one) })) },
  ];
  return {
    title: "Size and cold start",
    text,
    tables: [
      { title: "Every Worker and an empty one", head, rows: [empty, ...workers].map(lineOf) },
    ],
    goals: workers.flatMap((one) => goalsOf(one, ratio(one))),
    charts: [
      {
        name: "size",
        title: "Upload of each domain's Worker",
        kind: "bars",
        xTitle: "Worker",
        yTitle: "KiB as gzip",
        bound: workerBound,
        series: series((one) => one.gzipKib),
      },
      {
        name: "start",
        title: "Cold start of each domain's Worker",
        kind: "bars",
        xTitle: "Worker",
        yTitle: "starts of an empty Worker",
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
    bound: `under ${maxStartRatio} × an empty Worker's`,
    measured: `${ratio.toFixed(2)} ×`,
    kept: ratio < maxStartRatio,
  };
  return [size, begin];
}
