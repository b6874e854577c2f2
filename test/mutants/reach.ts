/** The mutants that each test file reaches. They are recorded once for each file, and kept until code changes. */
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Mutant } from "./instrument.ts";
import type { Runs } from "./runs.ts";

/** A run of a test file without a mutant: its seconds, and the mutants that it reaches. */
export type Reach = { seconds: number; reached: number[]; isGreen: boolean };

/** Reads what is known about the test files, and records the rest. */
export async function readReach(
  runs: Runs,
  { root, files, code }: { root: string; files: string[]; code: string },
): Promise<Map<string, Reach>> {
  const kept = join(import.meta.dirname, "../../node_modules/.cache/mutants/reach.json");
  const known: Record<string, Reach> = JSON.parse(await readFile(kept, "utf8").catch(() => "{}"));
  const found = new Map<string, Reach>();
  for (const [at, file] of files.entries()) {
    const text = await readFile(join(root, file), "utf8");
    const key = createHash("sha256").update(`${code}\n${file}\n${text}`).digest("hex");
    if (!known[key]) {
      const { failure, seconds, reached } = await runs.record(file);
      known[key] = { seconds, reached, isGreen: failure === undefined };
      await mkdir(dirname(kept), { recursive: true });
      await writeFile(kept, JSON.stringify(known));
      console.log(
        `${at + 1}/${files.length} ${file}: ${reached.length} mutants, ${seconds.toFixed(1)} s ${failure ?? ""}`,
      );
    }
    found.set(file, known[key]);
  }
  return found;
}

/**
 * The test files of a mutant, in the order of their runs. First come those that have killed other mutants of its file,
 * then the test of its file, then the tests of its room, and then the fastest.
 */
export function testsOf(
  { id, file }: Mutant,
  reach: Map<string, Reach>,
  { kills, most }: { kills: Map<string, number>; most: number },
): string[] {
  const path = file.replace(/^src/, "test").replace(/(\.v1)?\.ts$/, "");
  const order = (test: string, seconds: number) => [
    -(kills.get(`${file} ${test}`) ?? 0),
    test.startsWith(`${path}.`) || test.startsWith(`${path}/`) ? 0 : 1,
    test.startsWith(`${dirname(path)}/`) ? 0 : 1,
    seconds,
  ];
  return [...reach]
    .filter(([, { isGreen, reached }]) => isGreen && reached.includes(id))
    .map(([test, { seconds }]) => ({ test, order: order(test, seconds) }))
    .sort((one, other) => compare(one.order, other.order))
    .slice(0, most)
    .map(({ test }) => test);
}

function compare(one: number[], other: number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}
