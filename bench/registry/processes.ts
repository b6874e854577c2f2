/** The CPU time and the memory of running programs, from /proc of Linux. */
import { readdirSync, readFileSync } from "node:fs";

/** One process. The time is in seconds since its start, and the memory in bytes. */
export interface ProcessUse {
  id: number;
  name: string;
  cpu: number;
  memory: number;
}

/** Linux counts time in hundredths of a second, and memory in pages, on all machines that run this. */
const ticks = 100;
const pageBytes = 4096;

/** The name by which a reader knows a process. A null character ends each word, because a path can have spaces. */
function nameOf(words: string): string {
  const commandLine = words.replaceAll("\0", " ");
  if (commandLine.includes("workerd serve")) return "workerd";
  if (commandLine.includes("dev_worker.ts")) return "miniflare (Node)";
  if (commandLine.includes("start.ts")) return "front door (Node)";
  return words.split("\0")[0]?.split("/").at(-1) ?? "";
}

function readProcess(id: string): (ProcessUse & { parent: number }) | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const name = nameOf(readFileSync(`/proc/${id}/cmdline`, "utf8"));
    const [parent, user, system, pages] = [1, 11, 12, 21].map((at) => Number(fields[at]));
    return {
      id: Number(id),
      name,
      cpu: ((user ?? 0) + (system ?? 0)) / ticks,
      memory: (pages ?? 0) * pageBytes,
      parent: parent ?? 0,
    };
  } catch {
    // The process has just ended, or this is not Linux.
    return undefined;
  }
}

/** Returns the processes of programs, with all that they have started. It is empty where there is no /proc. */
export function usesOf(programs: number[]): ProcessUse[] {
  let names: string[] = [];
  try {
    names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  const all = names.flatMap((name) => readProcess(name) ?? []);
  const wanted = new Set(programs);
  // A process has a higher id than its parent, unless the ids have begun again.
  for (let round = 0; round < 4; round += 1)
    for (const { id, parent } of all) if (wanted.has(parent)) wanted.add(id);
  return all.filter(({ id }) => wanted.has(id)).map(({ parent: _, ...use }) => use);
}

/** Returns the seconds that each kind of process has worked since the first reading. */
export function workSince(before: ProcessUse[], programs: number[]): Map<string, number> {
  const earlier = new Map(before.map(({ id, cpu }) => [id, cpu]));
  const work = new Map<string, number>();
  for (const { id, name, cpu } of usesOf(programs))
    work.set(name, (work.get(name) ?? 0) + cpu - (earlier.get(id) ?? 0));
  return work;
}
