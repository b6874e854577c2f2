/** `platformctl pin`: prints the digest that a pull of a tag gets, or that of an earlier time. */
import type { Command } from "commander";
import { openClient } from "../account/client.ts";
import { refusedFailure, usageFailure } from "../failure.ts";
import { type CurrentMove, choiceText, currentMove } from "../history/current.ts";
import { deletionText } from "../history/deletion.ts";
import { splitMoment } from "../history/image_reference.ts";
import { readImage } from "../history/named_image.ts";
import { openRegistry } from "../history/registry.ts";
import { firstMove, moveAt } from "../history/tag_history.ts";
import { parseTime, relativeTime } from "../history/times.ts";
import { showWaiting } from "../import/progress.ts";
import { withoutControls } from "../resources/cells.ts";
import { platformOf } from "../resources/platform.ts";
import { note } from "../surroundings.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

type Options = JsonOption & { keepTag?: boolean };

const about = `Print the digest that a pull of a tag gets, as a reference that never changes.

A tag rule can choose another digest than that of the tag. Then a line on standard
error says so. The registry records a pull.

With @TIME, print the digest that the tag pointed to at that time. A time is a
timestamp such as 2026-01-31T12:00:00Z, a date (its first moment in UTC), or an
age such as 12h, 30d, 2w or 1y. Only the reference goes to standard output, so
you can use it in a command substitution.

In IMAGE, write a name such as python:3.12, or put its group or the registry's host
in front, as in acme.example/python:3.12. The default tag is latest.`;

/** Adds `pin`. */
export function addPin(program: Command): void {
  addJsonOption(
    program
      .command("pin")
      .summary("Print the digest of a tag, now or at an earlier time.")
      .description(about)
      .argument(
        "<image>",
        "Image such as python:3.12 or acme.example/python:3.12, and @TIME if you like.",
      )
      .option("--keep-tag", "Keep the tag in the reference: NAME:TAG@sha256:…"),
    "platformctl pin acme.example/python",
    "platformctl pin acme.example/python:latest@30d",
    "platformctl pin --keep-tag public/nginx@2026-01-31",
    "docker pull $(platformctl pin acme.example/python)",
  ).action(pin);
}

async function pin(text: string, options: Options): Promise<void> {
  const now = new Date();
  const { image: named, moment } = splitMoment(text);
  const time = moment === undefined ? undefined : readMoment(text, moment, now);
  const registry = await openRegistry();
  const { host } = registry;
  const { account } = registry;
  const platform = account && platformOf(openClient(account), account);
  const image = await readImage(platform, named, host);
  const read = registry.movesOf(image);
  const name = `${image.name}:${image.tag}`;
  const find = async () => {
    if (!time) return currentMove(registry, image);
    const move = await moveAt(read, time);
    return move && { move };
  };
  const found: CurrentMove | undefined = await showWaiting(
    `reading the history of ${name}`,
    find(),
  );
  if (!found) {
    const first = (await firstMove(read))?.updateTimestamp;
    if (!time || !first) throw refusedFailure("NOT_FOUND", `${name} has no history.`);
    throw refusedFailure(
      "NOT_FOUND",
      `${name} did not exist at ${time.toISOString()}. Its first digest is from ${first}, ${relativeTime(new Date(first), now)}.\n` +
        `To pin that digest, run: platformctl pin ${name}@${first}`,
    );
  }
  const { digest, updateTimestamp } = found.move;
  const { tagDigest } = found;
  const deleted = time ? undefined : await deletionText(platform, image, now);
  if (deleted !== undefined) note(withoutControls(`${deleted} This is its last digest.`));
  if (tagDigest !== undefined) note(choiceText(name, digest, tagDigest));
  const reference = `${host}/${options.keepTag ? name : image.name}@${digest}`;
  const asked = time ? { at: time.toISOString() } : {};
  const { tag } = image;
  printAnswer(options, { reference, digest, tag, updateTimestamp, tagDigest, ...asked }, reference);
}

function readMoment(text: string, moment: string, now: Date): Date {
  if (/^[a-z0-9]+:[0-9a-f]{32,}$/.test(moment))
    throw usageFailure(`${text} already contains a digest.`);
  const time = parseTime(moment, now);
  if (time <= now) return time;
  throw usageFailure(`${moment} is in the future. To pin the current digest, leave out @TIME.`);
}
