/** Access to the platform's files on this machine, which contain keys, tokens and all data. */
import { randomUUID } from "node:crypto";
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { chmod, link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Gives only the owner access to the folder and its content: mode 0700 for folders and 0600 for files. It skips links.
 * All files that this process and its children create from now on get the same modes.
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
 * Returns the text of a file. If the file does not exist, it is created with the text that `make` returns. The file
 * gets mode 0600 even if it had another one. A new folder gets mode 0700. Programs that call this at the same time all
 * get the same text.
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
    // The link appears with its whole content, and never replaces a file that another program has created.
    await link(next, file).catch(isCode("EEXIST"));
    await rm(next);
  }
  return readFile(file, "utf8");
}
