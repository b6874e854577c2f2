/** `platformctl rollback`: moves a tag back to an earlier digest of its history. */
import { type Command, InvalidArgumentError } from "commander";
import { usageFailure } from "../failure.ts";
import { parseTime } from "../history/times.ts";
import { findResourceRow, requireResourceNamed } from "../resources/names.ts";
import { openPlatform } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

type Options = JsonOption & { to?: string; toTime?: string; steps?: number; dryRun?: boolean };

const rpc = "platform.registry.v2.TagsService/RollbackTag";

const description = `Move a tag back to an earlier digest of its history.

Without an option, the tag moves to the digest before the current one. The
repository must still have the manifest of that digest. Otherwise the command
fails, changes nothing, and names earlier digests that are there.

A time is a timestamp such as 2026-01-31T12:00:00Z, a date in UTC, or an age
such as 12h, 30d, 2w or 1y. To undo a rollback, run the command again without
an option.`;

/** Adds `rollback`. */
export function addRollback(program: Command): void {
  addJsonOption(
    program
      .command("rollback")
      .summary("Move a tag back to an earlier digest.")
      .description(description)
      .argument("<image>", "NAMESPACE/NAME:TAG.")
      .option("--to <digest>", "Move to this digest, to which the tag has pointed before.")
      .option("--to-time <time>", "Move to the digest to which the tag pointed at this time.")
      .option("--steps <n>", "Go back by this many moves (default: 1).", steps)
      .option("--dry-run", "Show where the tag would move, and change nothing."),
    "platformctl rollback example.com/python:3.12",
    "platformctl rollback example.com/python:3.12 --to-time 2d --dry-run",
  ).action(rollback);
}

function steps(value: string): number {
  if (/^([1-9]\d?|100)$/.test(value)) return Number(value);
  throw new InvalidArgumentError("It must be a whole number from 1 to 100.");
}

async function rollback(image: string, options: Options): Promise<void> {
  requireOneTarget(options);
  const platform = await openPlatform();
  await explainFailure({ verb: "call", platform }, async () => {
    const before = await findResourceRow(platform, requireResourceNamed("tag"), image, {});
    const validateOnly = options.dryRun === true;
    const target = targetOf(options, String(before.digest ?? ""));
    const answer = await platform.call(rpc, { uid: before.uid, ...target, validateOnly });
    printAnswer(options, answer, outcome(image, before.digest, answer.digest, validateOnly));
  });
}

function requireOneTarget({ to, toTime, steps: count }: Options): void {
  const targets = [to, toTime, count].filter((value) => value !== undefined);
  if (targets.length > 1) throw usageFailure("Give only one of --to, --to-time and --steps.");
}

/** The fields that say where the tag goes. By moves, it goes from where it points now, so a second call changes nothing. */
function targetOf({ to, toTime, steps: count = 1 }: Options, current: string) {
  if (to !== undefined) return { digest: to };
  if (toTime !== undefined) return { time: parseTime(toTime, new Date()).toISOString() };
  return { steps: count, currentDigest: current };
}

function outcome(image: string, from: unknown, to: unknown, isDry: boolean): string {
  if (from === to) return `${image} points to ${to} already.`;
  return `${image} ${isDry ? "would move" : "moved"} from ${from} to ${to}.`;
}
