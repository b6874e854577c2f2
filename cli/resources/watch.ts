/** Reads rows again and again for `--watch`: redraws them on a terminal, and prints changes elsewhere. */
import { setTimeout as pause } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { exitCodes, Failure, usageFailure } from "../failure.ts";
import { here, type Output } from "../surroundings.ts";
import type { CatalogResource } from "./catalog.ts";
import { chosenColumns } from "./column_choice.ts";
import { columnsOf } from "./columns.ts";
import { printDocumentOfStream } from "./documents.ts";
import type { JsonObject } from "./flags.ts";
import { optionNamed } from "./options.ts";
import { type OutputOptions, outputFormat } from "./output.ts";
import { styleOutput, tsvText } from "./table.ts";
import { parseDuration } from "./values.ts";

export type WatchOptions = { watch?: boolean; interval?: number };

/** In milliseconds: the pause without --interval, the allowed pauses, and how long reads may fail in a row. */
const timings = { usual: 5_000, shortest: 1_000, longest: 3_600_000, patience: 300_000 };

/**
 * Adds `--watch` and `--interval`. A terminal shows the rows again. Elsewhere, each row that is added, changed or removed is
 * a line that begins with that word. Ctrl-C ends it with exit code 130.
 */
export const addWatchOptions = (command: Command): Command =>
  command
    .addOption(optionNamed("watch"))
    .addOption(
      new Option(
        "--interval <duration>",
        "How long to wait between reads (default: 5s).",
      ).argParser(interval),
    );

function interval(text: string): number {
  const length = parseDuration(text);
  if (length !== undefined && length >= timings.shortest && length <= timings.longest)
    return length;
  throw new InvalidArgumentError("It must be a duration from 1s to 1h.");
}

/** Throws a USAGE Failure for options that do not go together. */
export function checkWatch(options: WatchOptions & OutputOptions, out: Output): void {
  const { watch, interval: text, output } = options;
  if (text !== undefined && !watch) throw usageFailure("--interval needs --watch.");
  if (watch && !out.isTTY && (output === "table" || output === "wide"))
    throw usageFailure(
      `Outside a terminal, --watch prints changes as lines. Leave out -o ${output}, or choose tsv, uid, json or yaml.`,
    );
}

/** How to read rows once, and how to print them all. */
type Watched<T> = {
  resource: CatalogResource;
  read: () => Promise<T>;
  rowsOf: (answer: T) => JsonObject[];
  /** Whether there are more rows than the limit. */
  isCutOff: (answer: T) => boolean;
  print: (answer: T) => Promise<void>;
};

/**
 * Reads and prints once. With `watch`, it continues until a signal ends the process, or until reads fail for a reason that
 * does not pass. Throws a Failure.
 */
export async function printOrWatch<T>(
  { resource, read, rowsOf, isCutOff, print }: Watched<T>,
  options: WatchOptions & OutputOptions,
  out: Output,
): Promise<void> {
  if (!options.watch) return print(await read());
  let before = new Map<string, Change>();
  let failing: number | undefined;
  for (let isFirst = true; ; isFirst = false) {
    try {
      const answer = await read();
      failing = undefined;
      if (out.isTTY) {
        // The cursor goes home, and everything after it is erased. The scrolled lines remain.
        out.write("\u001b[H\u001b[2J");
        await print(answer);
      } else {
        const now = rowsByKey(rowsOf(answer));
        // A row that is pushed over the limit would look like a removed one.
        if (isCutOff(answer))
          throw usageFailure(
            `There are more than ${now.size} rows. To watch all of them, raise --limit, or choose fewer with a filter.`,
          );
        printChanges(resource, changesBetween(before, now), options, out);
        before = now;
      }
    } catch (error) {
      if (isFirst || !passes(error)) throw error;
      failing ??= Date.now();
      if (Date.now() - failing > timings.patience) throw error;
      here().stderr.write(`${styleOutput(here().stderr, "dim", retryText(error))}\n`);
    }
    await pause(options.interval ?? timings.usual);
  }
}

const retryText = (error: Failure) => `${error.message.split("\n")[0]} Trying again.`;

/** Whether a failure can pass by itself: no response, or a platform that is busy. */
const passes = (error: unknown): error is Failure =>
  error instanceof Failure &&
  (error.exitCode === exitCodes.unreachable ||
    ["UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "ABORTED"].includes(error.code));

export type Change = { change: "added" | "changed" | "removed"; row: JsonObject };

/** Returns rows by their uid. A row without a uid is its own key, so it never changes. */
export const rowsByKey = (rows: JsonObject[]): Map<string, Change> =>
  new Map(rows.map((row) => [String(row.uid ?? JSON.stringify(row)), { change: "added", row }]));

/** Returns what differs, in the order of the new rows, with removed ones last. */
export function changesBetween(before: Map<string, Change>, now: Map<string, Change>): Change[] {
  const isSame = (a: JsonObject, b: JsonObject) => JSON.stringify(a) === JSON.stringify(b);
  const changes = [...now].flatMap(([key, { row }]): Change[] => {
    const old = before.get(key);
    if (!old) return [{ change: "added", row }];
    return isSame(old.row, row) ? [] : [{ change: "changed", row }];
  });
  const removed = [...before].filter(([key]) => !now.has(key));
  return [...changes, ...removed.map(([, { row }]): Change => ({ change: "removed", row }))];
}

function printChanges(
  resource: CatalogResource,
  changes: Change[],
  options: OutputOptions,
  out: Output,
): void {
  const form = outputFormat(options, out);
  const columns = options.columns ? chosenColumns(resource, options.columns) : columnsOf(resource);
  for (const { change, row } of changes) {
    if (form === "json") printDocumentOfStream(options, { change, row }, out);
    else if (form === "uid") out.write(`${change}\t${String(row.uid ?? "")}\n`);
    else out.write(`${change}\t${tsvText([row], columns, new Date())}`);
  }
}
