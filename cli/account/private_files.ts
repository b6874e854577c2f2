/** Access to the platform's files on this machine, which contain keys, tokens and all data. */
import { randomUUID } from "node:crypto";
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { chmod, link, mkdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { hasCode, refusedFailure } from "../failure.ts";

/** Returns the path of a file for settings and logins. Without XDG_CONFIG_HOME, its folder is below ~/.config. */
export function configFile(env: NodeJS.ProcessEnv, name: string): string {
  const config = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config");
  return join(config, "platform", name);
}

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
  const unless = (code: string) => (error: unknown) => {
    if (!hasCode(error, code)) throw error;
  };
  const isThere = await chmod(file, 0o600).then(() => true, unless("ENOENT"));
  if (!isThere) {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const next = `${file}.${randomUUID()}.new`;
    await writeFile(next, await make(), { mode: 0o600, flush: true });
    // The link appears with its whole content, and never replaces a file that another program has created.
    await link(next, file).catch(unless("EEXIST"));
    await rm(next);
  }
  return readFile(file, "utf8");
}

/** Replaces the text of a file, or creates it with mode 0600. A reader sees the old text or the new one. */
export async function writePrivate(file: string, text: string): Promise<void> {
  const next = `${file}.${randomUUID()}.new`;
  await writeFile(next, text, { mode: 0o600, flush: true });
  await rename(next, file);
}

/**
 * In milliseconds. An older lock was left behind, because no program holds one longer than an issuer may take to
 * respond.
 */
const staleLock = 90_000;
const lockPause = 50;

/**
 * Calls `work` while no other program has the lock of the file. The lock is a folder, because creating a folder is
 * atomic. Throws a LOCKED Failure.
 */
export async function withLockOf<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const end = Date.now() + 2 * staleLock;
  while (!(await isMade(lock))) {
    if (Date.now() > end)
      throw refusedFailure(
        "LOCKED",
        `Another program holds the lock ${lock}. If no other program is running, delete it.`,
      );
    const made = await stat(lock).catch(() => undefined);
    if (made && Date.now() - made.mtimeMs > staleLock) await rmdir(lock).catch(() => {});
    else await pause(lockPause);
  }
  try {
    return await work();
  } finally {
    await rmdir(lock).catch(() => {});
  }
}

async function isMade(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}
