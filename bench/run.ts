/**
 * `npm run bench`: what the platform promises, measured on this machine. All families together are
 * written to bench/RESULTS.md with a chart each; a single one is only printed. `--help` has the rest.
 */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type Asked,
  type Family,
  families,
  manual,
  readArguments,
  WrongArguments,
} from "./arguments.ts";
import { drawn } from "./report/chart.ts";
import { type Circumstances, documentOf, printed, score, scoreLine } from "./report/document.ts";
import type { Findings, Ground } from "./report/findings.ts";
import { commit, machine } from "./report/machine.ts";

/** Loaded as they are asked for: one family is measured without what only another needs. */
const measures: Record<Family, (ground: Ground, asked: Asked) => Promise<Findings>> = {
  cost: async (ground) => (await import("./cost/cost.ts")).measureCost(ground),
  speed: async (ground) => (await import("./speed/measure.ts")).measureSpeed(ground),
  growth: async (ground, { moves }) =>
    (await import("./growth/growth.ts")).measureGrowth(ground, moves),
  size: async (ground) => (await import("./size/size.ts")).measureSize(ground),
  peers: async (ground) => (await import("./peers/peers.ts")).measurePeers(ground),
};

const exitCodes = { kept: 0, notKept: 1, wrongArguments: 2, interrupted: 130, terminated: 143 };

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Progress, with the time since the start. */
function say(line: string): void {
  const seconds = (performance.now() / 1_000).toFixed(1);
  console.error(`[${seconds.padStart(6)} s] ${line}`);
}

/** The folder for everything that is written, gone when the process ends, in whatever way it does. */
async function makeGround({ sizes }: Asked): Promise<Ground> {
  // What it loads takes seconds, which a refused command line should not.
  const { build, makeFolder } = await import("./stage.ts");
  const folder = await makeFolder();
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", remove);
  process.once("SIGINT", () => process.exit(exitCodes.interrupted));
  process.once("SIGTERM", () => process.exit(exitCodes.terminated));
  say("bundling the platform");
  return { bundle: await build(folder), folder, sizes, say };
}

/** Name and text of a file beside RESULTS.md. */
type Picture = [name: string, text: string];

interface Measured {
  findings: Findings;
  pictures: Picture[];
}

/** Measures one family; a failure is told, so that those that follow are measured all the same. */
async function measured(
  family: Family,
  ground: Ground,
  asked: Asked,
): Promise<Measured | undefined> {
  say(family);
  try {
    const findings = await measures[family](ground, asked);
    console.log(printed(findings));
    const pictures = findings.charts.map((chart): Picture => [`${chart.name}.svg`, drawn(chart)]);
    return { findings, pictures };
  } catch (error) {
    console.error(`${family} was not measured:`, error);
    return undefined;
  }
}

async function measureAll(asked: Asked): Promise<number> {
  const before = commit();
  const begun = new Date();
  const ground = await makeGround(asked);
  const all: Measured[] = [];
  for (const family of asked.families) {
    const one = await measured(family, ground, asked);
    if (one) all.push(one);
  }
  const found = all.map(({ findings }) => findings);
  console.log(scoreLine(found));
  if (found.length === families.length) {
    const pictures = all.flatMap((one) => one.pictures);
    write(documentOf(found, circumstances(begun, before)), pictures);
  }
  const goals = score(found);
  const isKept = found.length === asked.families.length && goals.kept === goals.all;
  return isKept ? exitCodes.kept : exitCodes.notKept;
}

function circumstances(begun: Date, of: ReturnType<typeof commit>): Circumstances {
  const minutes = (Date.now() - begun.getTime()) / 60_000;
  const args = process.argv.slice(2);
  const state = of?.isClean ? "and nothing besides" : "with changes that are in no commit";
  return [
    ["Commit", of ? `${of.hash}, ${state}` : "unknown, as this is no git repository"],
    ["Date", `${begun.toISOString().slice(0, 16).replace("T", " ")} UTC`],
    ...machine(),
    ["Command", `\`${["npm run bench", ...(args.length > 0 ? ["--"] : []), ...args].join(" ")}\``],
    ["Took", `${minutes.toFixed(1)} minutes`],
  ];
}

/** Writes the document and its charts; charts of an earlier run go. */
function write(document: string, pictures: Picture[]): void {
  for (const name of readdirSync(here("."))) if (name.endsWith(".svg")) rmSync(here(name));
  for (const [name, text] of pictures) writeFileSync(here(name), text);
  writeFileSync(here("RESULTS.md"), document);
  say("written: bench/RESULTS.md and its charts");
}

/** The array of cost records, and nothing else, on standard output. */
async function printRecords(asked: Asked): Promise<number> {
  const { costRecords } = await import("./cost/cost.ts");
  const records = await costRecords(await makeGround(asked));
  process.stdout.write(`${JSON.stringify(records)}\n`);
  return exitCodes.kept;
}

async function run(): Promise<number> {
  try {
    const asked = readArguments(process.argv.slice(2));
    if (!asked.help) return await (asked.json ? printRecords(asked) : measureAll(asked));
    console.log(manual);
    return exitCodes.kept;
  } catch (error) {
    if (!(error instanceof WrongArguments)) throw error;
    console.error(`${error.message}\n\n${manual}`);
    return exitCodes.wrongArguments;
  }
}

process.exitCode = await run();
