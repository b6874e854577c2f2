/** Runs work in a copy of the project, and applies its result at once. */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate as settled } from "node:timers/promises";
import { refusedFailure } from "../failure.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs the work in a copy of these paths below `root`. Copies the changed files back, and removes those that it removed. If anything stops it before
 * that, including a signal, the project stays as it was. Throws what the work throws, and an INTERRUPTED Failure after
 * a signal.
 */
export async function staged<Outcome>(
  root: string,
  paths: string[],
  work: (copy: string) => Promise<Outcome>,
): Promise<Outcome> {
  let isInterrupted = false;
  // A signal from the terminal also goes to the programs that the work runs. They end, and the copy still has to be
  // removed.
  const interrupt = () => {
    isInterrupted = true;
  };
  for (const signal of signals) process.on(signal, interrupt);
  const copy = mkdtempSync(join(root, ".generating-"));
  try {
    for (const path of paths) cpSync(join(root, path), join(copy, path), { recursive: true });
    const copied = filesOf(copy);
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const [outcome] = await Promise.allSettled([work(copy)]);
    await settled();
    // If a signal ended a program, its failure has no other reason.
    if (isInterrupted)
      throw refusedFailure("INTERRUPTED", "The command was interrupted. Nothing was changed.");
    if (outcome.status === "rejected") throw outcome.reason;
    for (const name of copied)
      if (!existsSync(join(copy, name))) rmSync(join(root, name), { force: true });
    for (const path of paths) {
      const isChanged = (from: string, to: string) =>
        statSync(from).isDirectory() || !isSame(from, to);
      cpSync(join(copy, path), join(root, path), { recursive: true, filter: isChanged });
    }
    return outcome.value;
  } finally {
    // A program that a signal is ending can still write into it.
    rmSync(copy, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    for (const signal of signals) process.off(signal, interrupt);
  }
}

const isSame = (path: string, other: string) =>
  existsSync(other) && readFileSync(path).equals(readFileSync(other));

/** The paths of all files below a folder. */
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
