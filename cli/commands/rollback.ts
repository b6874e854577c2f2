/** `platformctl rollback`: moves tags back to earlier digests of their history. */
import { type Command, InvalidArgumentError } from "commander";
import { usageFailure } from "../failure.ts";
import { findNamedTag } from "../history/repository.ts";
import { parseTime } from "../history/times.ts";
import { findResourceRow, requireResourceNamed } from "../resources/names.ts";
import { optionNamed } from "../resources/options.ts";
import { overriding } from "../resources/override.ts";
import { openPlatform } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";
import { rollbackMany, rollbackRpc } from "./rollback_many.ts";

type Options = JsonOption & {
  to?: string;
  toTime?: string;
  steps?: number;
  by?: string;
  since?: string;
  group?: string;
  dryRun?: boolean;
  yes?: boolean;
  override?: string;
};

const description = `Move a tag back to an earlier digest of its history.

Without an option, the tag moves to the digest before the current one. The
repository must still have the manifest of that digest. Otherwise the command
fails, changes nothing, and names earlier digests that are there.

A time is a timestamp such as 2026-01-31T12:00:00Z, a date in UTC, or an age
such as 12h, 30d, 2w or 1y. To undo a rollback, run the command again without
an option.

With --by and --since, all tags go back that an identity has moved since
then, such as those of a pipeline that was taken over. The command shows where
each would go, and asks. A tag that someone else has moved meanwhile stays.`;

/** Adds `rollback`. */
export function addRollback(program: Command): void {
  addJsonOption(
    program
      .command("rollback")
      .summary("Move a tag back to an earlier digest, or all tags that an identity moved.")
      .description(description)
      .argument("[image]", "Image such as python:3.12 or acme.example/python:3.12.")
      .option("--to <digest>", "Move to this digest, to which the tag has pointed before.")
      .option("--to-time <time>", "Move to the digest to which the tag pointed at this time.")
      .option("--steps <n>", "Go back by this many moves (default: 1).", steps)
      .addOption(optionNamed("by"))
      .addOption(optionNamed("since"))
      .addOption(optionNamed("group"))
      .addOption(optionNamed("yes"))
      .addOption(optionNamed("override"))
      .addOption(optionNamed("dryRun")),
    "platformctl rollback acme.example/python:3.12",
    "platformctl rollback acme.example/python:3.12 --to-time 2d --dry-run",
    "platformctl rollback --by old-pipeline --since 6h --group acme.example",
  ).action(rollback);
}

function steps(value: string): number {
  if (/^([1-9]\d?|100)$/.test(value)) return Number(value);
  throw new InvalidArgumentError("It must be a whole number from 1 to 100.");
}

async function rollback(image: string | undefined, options: Options): Promise<void> {
  requireOneTarget(options);
  const { by, since } = options;
  if (by !== undefined) {
    if (image !== undefined || since === undefined)
      throw usageFailure("With --by, give --since and no image.");
    return rollbackMany({ ...options, by, since });
  }
  if (image === undefined) throw usageFailure("Name an image, such as acme.example/python:3.12.");
  const platform = await openPlatform();
  await explainFailure({ verb: "call", platform }, async () => {
    const { repoUid, tag, name } = await findNamedTag(platform, image);
    const scope = { below: repoUid, displayName: name };
    const before = await findResourceRow(platform, requireResourceNamed("tag"), tag, scope);
    const validateOnly = options.dryRun === true;
    const target = targetOf(options, String(before.digest ?? ""));
    const answer = await platform.call(rollbackRpc, {
      ...{ uid: before.uid, ...target, validateOnly },
      ...overriding(options.override),
    });
    printAnswer(options, answer, outcome(image, before.digest, answer.digest, validateOnly));
  });
}

function requireOneTarget({ to, toTime, steps: count, by }: Options): void {
  const targets = [to, toTime, count, by].filter((value) => value !== undefined);
  if (targets.length > 1) throw usageFailure("Give only one of --to, --to-time, --steps and --by.");
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
