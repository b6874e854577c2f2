/** Replaces several files at once, each of them as a whole. */
import { randomUUID } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setImmediate as settled } from "node:timers/promises";
import { Cancelled, Failure, hasCode, reasonOf, refusedFailure } from "../failure.ts";
import { here } from "../surroundings.ts";
import { isOutside } from "./find_files.ts";

/** A file to write. `before` is its present content, or undefined if it must not exist yet. */
export type FileWrite = { path: string; before: Buffer | undefined; after: Buffer };

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Writes every file next to its target first, and renames them when all are written. Throws a CHANGED Failure, and
 * changes nothing, if a file is no longer what it was. A signal waits until the files are in place. The paths are
 * relative to `cwd`, and a symbolic link must not lead out of it.
 */
export async function writeFiles(cwd: string, writes: FileWrite[]): Promise<void> {
  let stopped: (typeof signals)[number] | undefined;
  const stop = (signal: NodeJS.Signals) => {
    stopped ??= signals.find((name) => name === signal);
  };
  for (const signal of signals) here().on(signal, stop);
  const staged: { from: string; to: string; write: FileWrite }[] = [];
  try {
    for (const write of writes) {
      const to = explained(write, () => targetOf(cwd, write));
      const from = join(dirname(to), `.platform-lock-${randomUUID()}`);
      staged.push({ from, to, write });
      explained(write, () => stageFile(from, to, write));
    }
    for (const { to, write } of staged) requireUnchanged(to, write);
    for (const { from, to, write } of staged) renameFile(from, to, write);
  } finally {
    for (const { from } of staged) rmSync(from, { force: true });
    // A signal is reported only when the program has time for it.
    await settled();
    for (const signal of signals) here().off(signal, stop);
  }
  if (stopped) throw new Cancelled(stopped);
}

/** Returns the file behind a path. Throws an OUTSIDE Failure if a link leads to a file that is not below `cwd`. */
function targetOf(cwd: string, { path, before }: FileWrite): string {
  const full = resolve(cwd, path);
  if (before === undefined) return join(realpathSync(dirname(full)), basename(full));
  const real = realpathSync(full);
  if (!isOutside(realpathSync(cwd), real)) return real;
  // The user may name a file elsewhere, but not a link to one.
  if (isOutside(cwd, full) && !lstatSync(full).isSymbolicLink()) return real;
  throw refusedFailure(
    "OUTSIDE",
    `${path} is a link to ${real}, which is not below the current folder. Nothing was written.`,
  );
}

/** Turns an error of the file system into a WRITE Failure. */
function explained<T>({ path }: FileWrite, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof Failure) throw thrown;
    throw refusedFailure(
      "WRITE",
      `${path} cannot be written: ${reasonOf(thrown)}. Nothing was written.`,
    );
  }
}

function stageFile(from: string, to: string, { before, after }: FileWrite): void {
  const mode = before === undefined ? undefined : statSync(to).mode & 0o7777;
  // Renaming over a file works even if it may not be written.
  if (before !== undefined) accessSync(to, constants.W_OK);
  const file = openSync(from, "wx", mode ?? 0o666);
  try {
    writeFileSync(file, after);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (mode !== undefined) chmodSync(from, mode);
}

function renameFile(from: string, to: string, { path }: FileWrite): void {
  try {
    renameSync(from, to);
  } catch (thrown) {
    throw refusedFailure(
      "WRITE",
      `${path} cannot be replaced: ${reasonOf(thrown)}. Run the command again.`,
    );
  }
}

function requireUnchanged(to: string, { path, before }: FileWrite): void {
  const now = readOrNothing(to);
  if (before === undefined ? now === undefined : now?.equals(before)) return;
  throw refusedFailure(
    "CHANGED",
    `${path} was changed by another program in the meantime. Nothing was written. Run the command again.`,
  );
}

function readOrNothing(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (thrown) {
    if (hasCode(thrown, "ENOENT")) return undefined;
    throw thrown;
  }
}
