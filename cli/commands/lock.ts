/** `platformctl lock`: writes the digests of the images that files use into a lock, and checks them. */
import { type Command, InvalidArgumentError } from "commander";
import { exitCodes, usageFailure } from "../failure.ts";
import { openRegistry } from "../history/registry.ts";
import { parseTime } from "../history/times.ts";
import { showWaiting } from "../import/progress.ts";
import type { HoldOutcome } from "../lock/holds.ts";
import type { Lock } from "../lock/lock_file.ts";
import type { LockScope } from "../lock/run.ts";
import { optionNamed } from "../resources/options.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

type Options = JsonOption & {
  at?: string;
  update?: boolean;
  check?: boolean;
  rewrite?: boolean;
  keepGoing?: boolean;
  lockFile: string;
  hold?: string;
  release?: string;
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

--hold keeps the images in the lock when expiry plans delete old tags and
images. Each repository of the lock gets an image hold with this name and
exactly the digests of the lock. A run replaces the digests of the run before.
With --check, it is done only if the files agree with the lock. --release deletes
the holds with this name that you can see in the organizations of the lock, and
does nothing else. Without a lock, it does so in PLATFORM_GROUP.

If an image cannot be locked, nothing is written, and the exit code is 1.`;

/** Adds `lock`. */
export function addLock(program: Command): void {
  addJsonOption(
    program
      .command("lock")
      .summary("Lock the images that files use to their digests.")
      .description(description)
      .argument("[paths...]", "Files and folders to read (default: the current folder).")
      .addOption(optionNamed("at"))
      .option("--update", "Look up the digests of all images again, and show what changed.")
      .option("--rewrite", "Also write the digests into the files.")
      .option("--check", "Only report where files differ from the lock.")
      .option("--keep-going", "Write the rest if some images cannot be locked.")
      .option("--hold <name>", "Let no expiry plan delete these images.", nameOf)
      .option("--release <name>", "Only delete the holds with this name.", nameOf)
      .option("--lock-file <file>", "Use another lock (default: platform.lock).", "platform.lock"),
    "platformctl lock",
    "platformctl lock --rewrite",
    "platformctl lock --update --rewrite services/api",
    "platformctl lock --at 30d",
    "platformctl lock --check",
    "platformctl lock --update --hold apps/prod.lock",
    "platformctl lock --release apps/prod.lock",
    "platformctl lock --update --json | jq -r '.changes[] | [.reference, .after.digest] | @tsv'",
  ).action(lock);
}

async function lock(paths: string[], options: Options): Promise<void> {
  const now = new Date();
  const time = options.at === undefined ? undefined : readAt(options.at, now);
  requireUsable(paths, options);
  const scope: LockScope = { cwd: here().cwd(), paths, lockFile: options.lockFile };
  if (options.release !== undefined) return release(scope, options.release, options);
  // A missing login is found before anything is written.
  const platform = options.hold === undefined ? undefined : await openPlatform();
  if (options.check) return check(scope, platform, options);
  // The parsers of files are only loaded for this command.
  const { runLock } = await import("../lock/run.ts");
  const { printLock } = await import("../lock/report.ts");
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
  const holds = outcome.isStopped ? undefined : await hold(platform, outcome.lock, options);
  printLock(outcome, { ...options, now, holds });
  if (outcome.problems.length > 0) here().exitCode = exitCodes.refused;
}

async function check(
  scope: LockScope,
  platform: PlatformClient | undefined,
  options: Options,
): Promise<void> {
  const { checkLock, requireRegistry } = await import("../lock/run.ts");
  const { printCheck } = await import("../lock/report.ts");
  const outcome = await showWaiting("reading files", checkLock(scope));
  if (platform) requireRegistry(outcome.lock, hostOf(platform), scope);
  const differs = outcome.strays.length + outcome.problems.length > 0;
  const holds = differs ? undefined : await hold(platform, outcome.lock, options);
  printCheck(outcome, { ...options, holds });
  if (differs) here().exitCode = exitCodes.refused;
}

const hostOf = ({ account }: PlatformClient) => new URL(account.registryUrl).host;

/** Writes the holds if the command line asks for them. */
async function hold(
  platform: PlatformClient | undefined,
  lock: Lock,
  { hold: name }: Options,
): Promise<HoldOutcome | undefined> {
  if (!platform || name === undefined) return undefined;
  const { holdImages } = await import("../lock/holds.ts");
  const outcome = await showWaiting("holding images", holdImages(platform, name, lock));
  exitWith(outcome);
  return outcome;
}

async function release(scope: LockScope, name: string, options: Options): Promise<void> {
  const { openLock, requireRegistry } = await import("../lock/run.ts");
  const { releaseImages } = await import("../lock/holds.ts");
  const { holdsJson, printHolds } = await import("../lock/holds_report.ts");
  const lock = openLock(scope)?.lock;
  const platform = await openPlatform();
  if (lock) requireRegistry(lock, hostOf(platform), scope);
  const outcome = await showWaiting("releasing images", releaseImages(platform, name, lock));
  exitWith(outcome);
  if (options.json) printAnswer(options, holdsJson(outcome), "");
  else printHolds(outcome, `No hold has the name ${name}.`);
}

function exitWith({ failed }: HoldOutcome): void {
  const [first] = failed;
  if (first) here().exitCode = first.failure.exitCode;
}

/** Parses the name of a hold, so that a bad one is found before anything is written. */
function nameOf(text: string): string {
  if (/^[a-zA-Z0-9][a-zA-Z0-9._/-]{0,127}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "It must be 1 to 128 letters, digits, dots, underscores, slashes and hyphens, and begin with a letter or a digit.",
  );
}

function readAt(text: string, now: Date): Date {
  const time = parseTime(text, now);
  if (time <= now) return time;
  throw usageFailure(`--at ${text} is in the future. To lock the current digests, leave it out.`);
}

function requireUsable(paths: string[], { check, release, ...others }: Options): void {
  const writing = {
    ...{ "--at": others.at, "--update": others.update, "--rewrite": others.rewrite },
    "--keep-going": others.keepGoing,
  };
  if (check) refuseWith("--check changes no file", writing);
  if (release !== undefined)
    refuseWith("--release only deletes holds", {
      "--check": check,
      "--hold": others.hold,
      ...writing,
      [`the path ${paths[0]}`]: paths[0],
    });
}

function refuseWith(why: string, options: Record<string, unknown>): void {
  const [name] = Object.entries(options).find(([, value]) => value !== undefined) ?? [];
  if (name) throw usageFailure(`${why}, so it cannot be combined with ${name}.`);
}
