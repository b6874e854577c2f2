/** `platformctl pin`: prints the digest of a tag, now or at an earlier time. */
import type { Command } from "commander";
import { refusedFailure, usageFailure } from "../failure.ts";
import { readReference, splitMoment } from "../history/image_reference.ts";
import { openRegistry } from "../history/registry.ts";
import { firstMove, moveAt } from "../history/tag_history.ts";
import { parseTime, relativeTime } from "../history/times.ts";
import { showWaiting } from "../import/progress.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

type Options = JsonOption & { tag?: boolean };

const about = `Print the digest of a tag as a reference that never changes.

With @TIME, print the digest that the tag pointed to at that time. A time is a
timestamp such as 2026-01-31T12:00:00Z, a date (its first moment in UTC), or an
age such as 12h, 30d, 2w or 1y. Only the reference goes to standard output, so
you can use it in a command substitution.

NAMESPACE is the uid of an organization, or its name if it is verified.`;

/** Adds `pin`. */
export function addPin(program: Command): void {
  addJsonOption(
    program
      .command("pin")
      .summary("Print the digest of a tag, now or at an earlier time.")
      .description(about)
      .argument(
        "<image>",
        "NAMESPACE/NAME[:TAG][@TIME], with or without the registry's host in front.",
      )
      .option("--tag", "Keep the tag in the reference: NAME:TAG@sha256:…"),
    "platformctl pin example.com/python",
    "platformctl pin example.com/python:latest@30d",
    "platformctl pin --tag public/nginx@2026-01-31",
    "docker pull $(platformctl pin example.com/python)",
  ).action(pin);
}

async function pin(text: string, options: Options): Promise<void> {
  const now = new Date();
  const { image: named, moment } = splitMoment(text);
  const time = moment === undefined ? undefined : readMoment(text, moment, now);
  const { host, movesOf } = await openRegistry();
  const image = readReference(named, host);
  const read = movesOf(image);
  const name = `${image.name}:${image.tag}`;
  const move = await showWaiting(`reading the history of ${name}`, moveAt(read, time));
  if (!move) {
    const first = (await firstMove(read))?.updateTimestamp;
    if (!time || !first) throw refusedFailure("NOT_FOUND", `${name} has no history.`);
    throw refusedFailure(
      "NOT_FOUND",
      `${name} did not exist at ${time.toISOString()}. Its first digest is from ${first}, ${relativeTime(new Date(first), now)}.\n` +
        `To pin that digest, run: platformctl pin ${name}@${first}`,
    );
  }
  const { digest, updateTimestamp } = move;
  const reference = `${host}/${options.tag ? name : image.name}@${digest}`;
  const asked = time ? { at: time.toISOString() } : {};
  printAnswer(options, { reference, digest, tag: image.tag, updateTimestamp, ...asked }, reference);
}

function readMoment(text: string, moment: string, now: Date): Date {
  if (/^[a-z0-9]+:[0-9a-f]{32,}$/.test(moment))
    throw usageFailure(`${text} already contains a digest.`);
  const time = parseTime(moment, now);
  if (time <= now) return time;
  throw usageFailure(`${moment} is in the future. To pin the current digest, leave out @TIME.`);
}
