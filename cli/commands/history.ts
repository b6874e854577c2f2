/** `platformctl history`: lists the digests that a tag has pointed to. */
import type { Command } from "commander";
import { openClient } from "../account/client.ts";
import { usageFailure } from "../failure.ts";
import { deletionText } from "../history/deletion.ts";
import { readImage } from "../history/named_image.ts";
import { type Override, overrideText, withOverrides } from "../history/overrides.ts";
import { openRegistry } from "../history/registry.ts";
import {
  firstMove,
  moveAt,
  type ReadMoves,
  readTagPeriods,
  type TagPeriod,
  type TimePeriod,
} from "../history/tag_history.ts";
import { drawTimeline, showsUnicode, summaryLine } from "../history/timeline.ts";
import { parseEnd, parseTime, relativeTime } from "../history/times.ts";
import { showWaiting } from "../import/progress.ts";
import { withoutControls } from "../resources/cells.ts";
import { optionNamed } from "../resources/options.ts";
import { platformOf } from "../resources/platform.ts";
import { styleOutput } from "../resources/table.ts";
import { here, note } from "../surroundings.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

type Options = JsonOption & {
  since?: string;
  until?: string;
  reverse?: boolean;
  limit: number;
  all?: boolean;
};

const description = `Show the digests that a tag has pointed to, newest first.

On a terminal, the history is a timeline. The longer the line after a dot, the
longer the digest was current. Elsewhere, each record is a line of the form
TIME<TAB>DIGEST. A move that overrode a tag rule also shows the rule and the
reason, if you may list the moves of the repository. With --json, the output is one JSON document. All three have the
same order.

A time is a timestamp such as 2026-01-31T12:00:00Z, a date in UTC, or an age
such as 12h, 30d, 2w or 1y. For --until, a date includes the whole day. The
history of a tag remains after the tag is deleted.

In IMAGE, write a name such as python:3.12, or put its group or the registry's host
in front, as in acme.example/python:3.12. The default tag is latest.`;

/** Adds `history`. */
export function addHistory(program: Command): void {
  addJsonOption(
    program
      .command("history")
      .summary("Show the history of a tag as a timeline.")
      .description(description)
      .argument("<image>", "Image such as python:3.12 or acme.example/python:3.12.")
      .addOption(optionNamed("since"))
      .addOption(optionNamed("until"))
      .addOption(optionNamed("limit"))
      .addOption(optionNamed("all"))
      .option("--reverse", "Show the oldest record first."),
    "platformctl history acme.example/python:latest --since 30d",
    "platformctl history public/nginx --limit 10",
    "platformctl history acme.example/alpine:3.22 | cut -f2 | sort -u",
    "platformctl history acme.example/python --json | jq -r '.history[0].digest'",
  ).action(history);
}

async function history(text: string, options: Options): Promise<void> {
  const now = new Date();
  const period = readPeriod(options, now);
  const registry = await openRegistry();
  const platform = registry.account && platformOf(openClient(registry.account), registry.account);
  const image = await readImage(platform, text, registry.host);
  const read = registry.movesOf(image);
  const name = `${image.name}:${image.tag}`;
  const { stays, hasOlder } = await showWaiting(
    `reading the history of ${name}`,
    readTagPeriods(read, period, options.all ? Number.POSITIVE_INFINITY : options.limit),
  );
  const marked = platform ? await withOverrides(platform, image, stays) : stays;
  const deleted = stays.length > 0 ? await deletionText(platform, image, now) : undefined;
  if (deleted !== undefined) note(withoutControls(deleted));
  const shown = options.reverse ? marked.toReversed() : marked;
  if (options.json) {
    printAnswer(options, { image: `${registry.host}/${name}`, history: shown }, "");
    return;
  }
  if (stays.length === 0) {
    const hint = await explainEmpty(name, read, period, now);
    here().stderr.write(`${hint}\n`);
  } else if (here().stdout.isTTY) {
    printTimeline({ name, host: registry.host, shown, hasOlder, now });
  } else {
    const lines = shown.map(lineOf);
    here().stdout.write(lines.join(""));
    if (hasOlder) here().stderr.write("There are older records. To see all, add --all.\n");
  }
}

/** An override is a third column, so that the others are the same for all records. */
function lineOf({ updateTimestamp, digest, ...override }: TagPeriod & Override): string {
  const text = withoutControls(overrideText(override));
  return `${[updateTimestamp, digest, ...(text === "" ? [] : [text])].join("\t")}\n`;
}

function readPeriod({ since, until }: Options, now: Date): TimePeriod {
  const period = {
    since: since === undefined ? undefined : parseTime(since, now),
    until: until === undefined ? undefined : parseEnd(until, now),
  };
  if (period.since && period.until && period.since > period.until) {
    throw usageFailure(
      `--since ${since} (${period.since.toISOString()}) is later than --until ${until} (${period.until.toISOString()}).`,
    );
  }
  return period;
}

type TimelineView = {
  name: string;
  host: string;
  shown: (TagPeriod & Override)[];
  hasOlder: boolean;
  now: Date;
};

function printTimeline({ name, host, shown, hasOlder, now }: TimelineView): void {
  const out = here().stdout;
  const paint = (style: "bold" | "dim", text: string) => styleOutput(out, style, text);
  const more = hasOlder ? ". There are older records: add --all to see them" : "";
  const lines = [
    `${paint("bold", name)}  ${paint("dim", `at ${host}`)}`,
    "",
    ...drawTimeline(shown, {
      columns: out.columns || 80,
      unicode: showsUnicode(here().env),
      stream: out,
      now,
    }),
    "",
    paint("dim", `${summaryLine(shown)}${more}.`),
  ];
  out.write(`${lines.join("\n")}\n`);
}

/** Explains why the history of an existing tag is empty, and suggests a command that shows something. */
async function explainEmpty(
  name: string,
  read: ReadMoves,
  { until }: TimePeriod,
  now: Date,
): Promise<string> {
  const before = await moveAt(read, until);
  const other = before ?? (await firstMove(read));
  if (!other) return `${name} has no history.`;
  const time = `${other.updateTimestamp}, ${relativeTime(new Date(other.updateTimestamp), now)}`;
  const detail = before
    ? `${name} did not change in that period. The previous change was at ${time}.`
    : `${name} did not exist in that period. Its first digest is from ${time}.`;
  return `${detail}\nTo see it, run: platformctl history ${name} --since ${other.updateTimestamp}`;
}
