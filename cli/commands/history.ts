/** `platformctl history`: what a tag has pointed to. */
import { styleText } from "node:util";
import { type Command, InvalidArgumentError } from "commander";
import { usageFailure } from "../failure.ts";
import { readReference } from "../history/image_reference.ts";
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
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

type Options = JsonOption & {
  since?: string;
  until?: string;
  reverse?: boolean;
  limit?: number;
};

const description = `show what a tag has pointed to, the newest first

On a terminal it is a timeline: the longer the line behind a dot, the longer
that digest was current. Elsewhere it is a line a record, TIME<TAB>DIGEST, and
with --json one document; all in the same order.

A time is 2026-01-31T12:00:00Z, a date in UTC (all of it, after --until), or how
long ago it was: 12h, 30d, 2w, 1y. A history outlives its tag, so a tag that was
deleted is shown as it last was.

NAMESPACE is an organization's uid, or its name once it is verified.`;

/** Adds `history`. */
export function addHistory(program: Command): void {
  addJsonOption(
    program
      .command("history")
      .summary("show what a tag has pointed to, as a timeline")
      .description(description)
      .argument("<image>", "NAMESPACE/NAME[:TAG], with or without the registry's host before it")
      .option("--since <time>", "only what came at this time or later")
      .option("--until <time>", "only what came at this time or earlier")
      .option("--limit <n>", "only the newest n of those", limit)
      .option("--reverse", "the oldest first"),
    "platformctl history example.com/python:latest --since 30d",
    "platformctl history public/nginx --limit 10",
    "platformctl history example.com/alpine:3.22 | cut -f2 | sort -u",
    "platformctl history example.com/python --json | jq -r '.history[0].digest'",
  ).action(history);
}

async function history(text: string, options: Options): Promise<void> {
  const now = new Date();
  const period = readPeriod(options, now);
  const registry = await openRegistry();
  const image = readReference(text, registry.host);
  const read = registry.movesOf(image);
  const name = `${image.name}:${image.tag}`;
  const { stays, hasOlder } = await showWaiting(
    `reading the history of ${name}`,
    readTagPeriods(read, period, options.limit),
  );
  const shown = options.reverse ? stays.toReversed() : stays;
  if (options.json) {
    printAnswer(options, { image: `${registry.host}/${name}`, history: shown }, "");
    return;
  }
  if (stays.length === 0) {
    const hint = await explainEmpty(name, read, period, now);
    process.stderr.write(`${hint}\n`);
  } else if (process.stdout.isTTY) {
    printTimeline({ name, host: registry.host, shown, hasOlder, now });
  } else {
    const lines = shown.map(({ updateTimestamp, digest }) => `${updateTimestamp}\t${digest}\n`);
    process.stdout.write(lines.join(""));
  }
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
  shown: TagPeriod[];
  hasOlder: boolean;
  now: Date;
};

function printTimeline({ name, host, shown, hasOlder, now }: TimelineView): void {
  const out = process.stdout;
  const paint = (style: "bold" | "dim", text: string) => styleText(style, text, { stream: out });
  const more = hasOlder ? ". There are older ones: raise --limit" : "";
  const lines = [
    `${paint("bold", name)}  ${paint("dim", `at ${host}`)}`,
    "",
    ...drawTimeline(shown, {
      columns: out.columns || 80,
      unicode: showsUnicode(process.env),
      stream: out,
      now,
    }),
    "",
    paint("dim", `${summaryLine(shown)}${more}.`),
  ];
  out.write(`${lines.join("\n")}\n`);
}

/** Why nothing is shown of a tag that exists, and what would show something. */
async function explainEmpty(
  name: string,
  read: ReadMoves,
  { until }: TimePeriod,
  now: Date,
): Promise<string> {
  const before = await moveAt(read, until);
  const other = before ?? (await firstMove(read));
  if (!other) return `${name} has no history.`;
  const at = `${other.updateTimestamp}, ${relativeTime(new Date(other.updateTimestamp), now)}`;
  const detail = before
    ? `${name} got no new digest in that time. The one before came at ${at}.`
    : `${name} did not exist yet in that time. Its first digest came at ${at}.`;
  return `${detail}\nTo see it: platformctl history ${name} --since ${other.updateTimestamp}`;
}

function limit(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new InvalidArgumentError("It must be a number from 1.");
}
