/** Access to the platform's files on this machine, which hold keys, tokens and all data. */
import { randomUUID } from "node:crypto";
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { chmod, link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Makes the folder and its content accessible to its owner only: folders 0700, files 0600; links are left
 * alone. The same holds for all files that this process and its children create from now on.
 */
export function makePrivate(folder: string): void {
  process.umask(0o077);
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const path of [folder, ...names.map((name) => join(folder, name))]) {
    // A database removes its files when the last program closes it.
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) chmodSync(path, 0o700);
    else if (stat?.isFile()) chmodSync(path, 0o600);
  }
}

/**
 * The text of a file, which is made with the text of `make` where there is none: mode 0600, whatever it was,
 * and a folder that has to be made 0700. Programs that make it at the same time all get the same text.
 */
export async function readOrCreatePrivate(
  file: string,
  make: () => Promise<string>,
): Promise<string> {
  const isCode = (code: string) => (error: NodeJS.ErrnoException) => {
    if (error.code !== code) throw error;
  };
  const isThere = await chmod(file, 0o600).then(() => true, isCode("ENOENT"));
  if (!isThere) {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const next = `${file}.${randomUUID()}.new`;
    await writeFile(next, await make(), { mode: 0o600, flush: true });
    // Whole or not at all, and never over one that another program has made.
    await link(next, file).catch(isCode("EEXIST"));
    await rm(next);
  }
  return readFile(file, "utf8");
}
