/**
 * `npm run bench`: measures the goals of the platform on this machine. A run of all families writes bench/RESULTS.md
 * with a chart for each family. A run of one family only prints its results. See `--help`.
 */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  ArgumentsError,
  type BenchArguments,
  type Family,
  families,
  readArguments,
  usageText,
} from "./arguments.ts";
import { drawChart } from "./report/chart.ts";
import {
  type Circumstances,
  countKeptGoals,
  findingsText,
  keptGoalsLine,
  resultsDocument,
} from "./report/document.ts";
import type { BenchSetup, Findings } from "./report/findings.ts";
import { commit, machine } from "./report/machine.ts";

/** Each family is loaded when it is needed, without the modules that only others need. */
const measures: Record<Family, (setup: BenchSetup, args: BenchArguments) => Promise<Findings>> = {
  cost: async (setup) => (await import("./cost/cost.ts")).measureCost(setup),
  speed: async (setup) => (await import("./speed/measure.ts")).measureSpeed(setup),
  neighbors: async (setup) => (await import("./neighbors/neighbors.ts")).measureNeighbors(setup),
  growth: async (setup, { moves }) =>
    (await import("./growth/growth.ts")).measureGrowth(setup, moves),
  size: async (setup) => (await import("./size/size.ts")).measureSize(setup),
  events: async (setup) => (await import("./events/events.ts")).measureEvents(setup),
  registry: async (setup) => (await import("./registry/registry.ts")).measureRegistry(setup),
  console: async (setup) => (await import("./console/console.ts")).measureConsole(setup),
  matching: async (setup) => (await import("./matching/matching.ts")).measureMatching(setup),
  rules: async (setup) => (await import("./rules/rules.ts")).measureRules(setup),
  peers: async (setup) => (await import("./peers/peers.ts")).measurePeers(setup),
};

const exitCodes = { kept: 0, notKept: 1, wrongArguments: 2, interrupted: 130, terminated: 143 };

const localPath = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Prints progress, with the time since the start. */
function say(line: string): void {
  const seconds = (performance.now() / 1_000).toFixed(1);
  console.error(`[${seconds.padStart(6)} s] ${line}`);
}

/** Creates the folder for everything that the run writes. It is removed when the process ends, in whatever way. */
async function makeSetup({ sizes }: BenchArguments): Promise<BenchSetup> {
  // The module takes seconds to load. A wrong command line should not have to wait for it.
  const { build, makeFolder } = await import("./stage.ts");
  const folder = await makeFolder();
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", remove);
  process.once("SIGINT", () => process.exit(exitCodes.interrupted));
  process.once("SIGTERM", () => process.exit(exitCodes.terminated));
  say("bundling the platform");
  return { bundle: await build(folder), folder, sizes, say };
}

/** The name and the text of a file next to RESULTS.md. */
type Picture = [name: string, text: string];

interface Measured {
  findings: Findings;
  pictures: Picture[];
}

/** Measures one family. A failure is only printed, so that the other families are still measured. */
async function measureFamily(
  family: Family,
  setup: BenchSetup,
  args: BenchArguments,
): Promise<Measured | undefined> {
  say(family);
  try {
    const findings = await measures[family](setup, args);
    console.log(findingsText(findings));
    const pictures = findings.charts.map(
      (chart): Picture => [`${chart.name}.svg`, drawChart(chart)],
    );
    return { findings, pictures };
  } catch (error) {
    console.error(`${family} was not measured:`, error);
    return undefined;
  }
}

async function measureAll(args: BenchArguments): Promise<number> {
  const before = commit();
  const begun = new Date();
  const setup = await makeSetup(args);
  const all: Measured[] = [];
  for (const family of args.families) {
    const measured = await measureFamily(family, setup, args);
    if (measured) all.push(measured);
  }
  const results = all.map(({ findings }) => findings);
  console.log(keptGoalsLine(results));
  if (results.length === families.length) {
    const pictures = all.flatMap((family) => family.pictures);
    write(resultsDocument(results, circumstances(begun, before)), pictures);
  }
  const goals = countKeptGoals(results);
  const isKept = results.length === args.families.length && goals.kept === goals.all;
  return isKept ? exitCodes.kept : exitCodes.notKept;
}

function circumstances(begun: Date, of: ReturnType<typeof commit>): Circumstances {
  const minutes = (Date.now() - begun.getTime()) / 60_000;
  const args = process.argv.slice(2);
  const state = of?.isClean ? "without other changes" : "with changes that are not committed";
  return [
    ["Commit", of ? `${of.hash}, ${state}` : "unknown, because this is not a git repository"],
    ["Date", `${begun.toISOString().slice(0, 16).replace("T", " ")} UTC`],
    ...machine(),
    ["Command", `\`${["npm run bench", ...(args.length > 0 ? ["--"] : []), ...args].join(" ")}\``],
    ["Duration", `${minutes.toFixed(1)} minutes`],
  ];
}

/** Writes the document and its charts, and removes the charts of an earlier run. */
function write(document: string, pictures: Picture[]): void {
  for (const name of readdirSync(localPath(".")))
    if (name.endsWith(".svg")) rmSync(localPath(name));
  for (const [name, text] of pictures) writeFileSync(localPath(name), text);
  writeFileSync(localPath("RESULTS.md"), document);
  say("wrote bench/RESULTS.md and its charts");
}

/** Prints only the array of cost records on standard output. */
async function printRecords(args: BenchArguments): Promise<number> {
  const { costRecords } = await import("./cost/cost.ts");
  const records = await costRecords(await makeSetup(args));
  process.stdout.write(`${JSON.stringify(records)}\n`);
  return exitCodes.kept;
}

async function run(): Promise<number> {
  try {
    const args = readArguments(process.argv.slice(2));
    if (!args.help) return await (args.json ? printRecords(args) : measureAll(args));
    console.log(usageText);
    return exitCodes.kept;
  } catch (error) {
    if (!(error instanceof ArgumentsError)) throw error;
    console.error(`${error.message}\n\n${usageText}`);
    return exitCodes.wrongArguments;
  }
}

process.exitCode = await run();
