/** The folder with all files of a run. */
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
const prefix = "platform-test-";
const neededBytes = 4 * 1024 ** 3;
const hour = 3_600_000;

/** Makes the folder: in memory if there is room, because D1 waits for the disk at every write. */
export async function newRunFolder(): Promise<string> {
  const room = await statfs(memory).catch(() => undefined);
  // Tests run programs that they write. Containers often forbid that there.
  const isRoomy =
    room !== undefined && room.bavail * room.bsize >= neededBytes && !(await forbidsPrograms());
  if (isRoomy) await deleteLeftovers();
  return mkdtemp(join(isRoomy ? memory : tmpdir(), `${prefix}${process.pid}-`));
}

async function forbidsPrograms(): Promise<boolean> {
  const mounts = await readFile("/proc/mounts", "utf8").catch(() => "");
  return mounts.split("\n").some((line) => line.includes(` ${memory} `) && /\bnoexec\b/.test(line));
}

/** Deletes the folders in memory of runs that were killed. */
async function deleteLeftovers(): Promise<void> {
  for (const name of await readdir(memory)) {
    if (!name.startsWith(prefix)) continue;
    const [pid = ""] = name.slice(prefix.length).split("-");
    const folder = join(memory, name);
    const found = await stat(folder).catch(() => undefined);
    const isOwn = found?.uid === process.getuid?.();
    if (found && isOwn && Date.now() - found.mtimeMs > hour && !existsSync(`/proc/${pid}`))
      await rm(folder, { recursive: true, force: true });
  }
}
