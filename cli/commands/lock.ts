/** `platformctl lock`: writes the digests of the images that files use into a lock, and checks them. */
import type { Command } from "commander";
import { exitCodes, usageFailure } from "../failure.ts";
import { openRegistry } from "../history/registry.ts";
import { parseTime } from "../history/times.ts";
import { showWaiting } from "../import/progress.ts";
import type { LockScope } from "../lock/run.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, type JsonOption } from "./answer.ts";

type Options = JsonOption & {
  at?: string;
  update?: boolean;
  check?: boolean;
  rewrite?: boolean;
  keepGoing?: boolean;
  lockFile: string;
};

const description = `Write the digests of the images that files use into platform.lock.

The command finds the images of this platform in Dockerfiles, compose files,
Kubernetes manifests, values of Helm charts and devcontainer.json files. It reads
the current folder, or the files and folders that you name. It leaves out .git,
node_modules, symbolic links and what .gitignore excludes.

New entries get the digest that a pull of the tag gets. If a tag rule chose another
digest than that of the tag, a note says so. Each look-up is recorded as a pull.

Entries that exist stay as they are. With --update, all are looked up again, and
the output shows the old and the new digest with their ages. With --at, all get
the digest of an earlier time: a timestamp such as 2026-01-31T12:00:00Z, a date
(its first moment in UTC), or an age such as 12h, 30d, 2w or 1y.

--rewrite also writes the digests into the files, as NAME:TAG@sha256:…. It
changes no other byte. --check compares the files with the lock, without a
request to the platform. It ends with exit code 1 if they differ.

If an image cannot be locked, nothing is written, and the exit code is 1.`;

/** Adds `lock`. */
export function addLock(program: Command): void {
  addJsonOption(
    program
      .command("lock")
      .summary("Lock the images that files use to their digests.")
      .description(description)
      .argument("[paths...]", "Files and folders to read (default: the current folder).")
      .option("--at <time>", "Lock to the digests of this time.")
      .option("--update", "Look up the digests of all images again, and show what changed.")
      .option("--rewrite", "Also write the digests into the files.")
      .option("--check", "Only report where files differ from the lock.")
      .option("--keep-going", "Write the rest if some images cannot be locked.")
      .option("--lock-file <file>", "Use another lock (default: platform.lock).", "platform.lock"),
    "platformctl lock",
    "platformctl lock --rewrite",
    "platformctl lock --update --rewrite services/api",
    "platformctl lock --at 30d",
    "platformctl lock --check",
    "platformctl lock --update --json | jq -r '.changes[] | [.reference, .after.digest] | @tsv'",
  ).action(lock);
}

async function lock(paths: string[], options: Options): Promise<void> {
  const now = new Date();
  const time = options.at === undefined ? undefined : readAt(options.at, now);
  requireUsable(options);
  const scope: LockScope = { cwd: here().cwd(), paths, lockFile: options.lockFile };
  // The parsers of files are only loaded for this command.
  const { checkLock, runLock } = await import("../lock/run.ts");
  const { printCheck, printLock } = await import("../lock/report.ts");
  if (options.check) {
    const outcome = await showWaiting("reading files", checkLock(scope));
    printCheck(outcome, options);
    if (outcome.strays.length + outcome.problems.length > 0) here().exitCode = exitCodes.refused;
    return;
  }
  const registry = await openRegistry();
  const outcome = await showWaiting(
    "looking up digests",
    runLock(registry, {
      ...scope,
      now,
      time,
      replaces: options.update === true || time !== undefined,
      rewrites: options.rewrite === true,
      keepsGoing: options.keepGoing === true,
    }),
  );
  printLock(outcome, { ...options, now });
  if (outcome.problems.length > 0) here().exitCode = exitCodes.refused;
}

function readAt(text: string, now: Date): Date {
  const time = parseTime(text, now);
  if (time <= now) return time;
  throw usageFailure(`--at ${text} is in the future. To lock the current digests, leave it out.`);
}

function requireUsable({ check, ...others }: Options): void {
  if (!check) return;
  const [name] =
    Object.entries({
      "--at": others.at,
      "--update": others.update,
      "--rewrite": others.rewrite,
      "--keep-going": others.keepGoing,
    }).find(([, value]) => value !== undefined) ?? [];
  if (name) throw usageFailure(`--check changes nothing, so it cannot be combined with ${name}.`);
}
