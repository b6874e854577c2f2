/** Measures a page, a history and an import with a large amount of data. */
import { join } from "node:path";
import type { BenchSetup, Findings } from "../report/findings.ts";
import { makeDatabase, removeFolder, startBenchPlatform } from "../stage.ts";
import { measureDepth } from "./depth.ts";
import { measureHistory } from "./history.ts";
import { measureImport } from "./import.ts";
import { fillRegistry } from "./registry.ts";

/** The records of the tag that has moved often. */
const records = 100_000;

const textOf = (tags: number) =>
  `The owner of an organization makes the calls. The organization has ${tags} tags in 40 repositories, and a tag
that moved ${records} times. The platform runs on miniflare with its own sockets. Calls that are compared take turns,
one call at a time, so that other work on the machine affects all of them. The rows read are the exact numbers that D1
reports.`;

/** Measures growth. `moves` is a file to import instead of made-up moves. */
export async function measureGrowth(setup: BenchSetup, moves?: string): Promise<Findings> {
  const { bundle, folder, sizes, say } = setup;
  const tags = Math.max(...sizes);
  const workFolder = join(folder, "growth");
  say(`filling a registry with ${tags} tags`);
  fillRegistry(await makeDatabase(workFolder), { tags, records }, say);
  const platform = await startBenchPlatform(bundle, workFolder);
  const parts: (Pick<Findings, "tables" | "goals"> & { charts?: Findings["charts"] })[] = [];
  try {
    parts.push(await measureDepth(platform, tags, say));
    parts.push(await measureHistory(platform, records, say));
  } finally {
    await platform.stop();
    await removeFolder(workFolder);
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
