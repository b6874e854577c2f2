/** What becomes of a page, a history and an import when there is much of everything. */
import { join } from "node:path";
import type { BenchSetup, Findings } from "../report/findings.ts";
import { makeDatabase, removeFolder, startBenchPlatform } from "../stage.ts";
import { measureDepth } from "./depth.ts";
import { measureHistory } from "./history.ts";
import { measureImport } from "./import.ts";
import { fillRegistry } from "./registry.ts";

/** Records of the tag that has moved often. */
const records = 100_000;

const textOf = (tags: number) =>
  `An organization with ${tags} tags in 40 repos, and a tag that moved ${records} times, asked by its owner on a platform on miniflare with
sockets of its own. What is compared takes turns, call by call, one call at a time, so that whatever
else the machine does falls on all of it; rows read are what D1 tells, and exact.`;

/** Measures; `moves` is a file to import in place of moves that are made up. */
export async function measureGrowth(setup: BenchSetup, moves?: string): Promise<Findings> {
  const { bundle, folder, sizes, say } = setup;
  const tags = Math.max(...sizes);
  const place = join(folder, "growth");
  say(`filling a registry with ${tags} tags`);
  fillRegistry(await makeDatabase(place), { tags, records }, say);
  const platform = await startBenchPlatform(bundle, place);
  const parts: (Pick<Findings, "tables" | "goals"> & { charts?: Findings["charts"] })[] = [];
  try {
    parts.push(await measureDepth(platform, tags, say));
    parts.push(await measureHistory(platform, records, say));
  } finally {
    await platform.stop();
    await removeFolder(place);
  }
  parts.push(await measureImport(folder, moves, say));
  return {
    title: "Growth",
    text: textOf(tags),
    tables: parts.flatMap(({ tables }) => tables),
    goals: parts.flatMap(({ goals }) => goals),
    charts: parts.flatMap(({ charts = [] }) => charts),
  };
}
