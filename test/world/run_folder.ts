/** The folder with all files of a run. */
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, stat, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
const prefix = "platform-test-";
const neededBytes = 4 * 1024 ** 3;
const hour = 3_600_000;

/** Makes the folder: in memory if there is room, because D1 waits for the disk at every write. */
export async function newRunFolder(): Promise<string> {
  const room = await statfs(memory).catch(() => undefined);
  const isRoomy = room !== undefined && room.bavail * room.bsize >= neededBytes;
  if (isRoomy) await deleteLeftovers();
  return mkdtemp(join(isRoomy ? memory : tmpdir(), `${prefix}${process.pid}-`));
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
