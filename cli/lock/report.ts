/** The output of `platformctl lock`. Data goes to standard output, and messages for people to standard error. */
import { countText, type JsonOption, printAnswer } from "../commands/answer.ts";
import { shortDigest } from "../history/timeline.ts";
import { relativeTime } from "../history/times.ts";
import { withoutControls } from "../resources/cells.ts";
import { computedColumn as column, type TableColumn } from "../resources/columns.ts";
import type { JsonObject } from "../resources/flags.ts";
import { tableText, tsvText } from "../resources/table.ts";
import { here } from "../surroundings.ts";
import type { HoldOutcome } from "./holds.ts";
import { holdsJson, printHolds } from "./holds_report.ts";
import type { Lock, LockEntry } from "./lock_file.ts";
import type { Change } from "./plan.ts";
import type { Location, Problem } from "./references.ts";
import type { CheckOutcome, LockOutcome, Reading } from "./run.ts";
import type { Stray } from "./strays.ts";

/** `holds` is present if the run wrote holds. */
type HoldPrint = { holds: HoldOutcome | undefined };

type LockPrint = JsonOption & HoldPrint & { lockFile: string; now: Date };

const nothingHeld = "The lock has no images to hold.";

/** Prints what a run wrote. */
export function printLock(outcome: LockOutcome, options: LockPrint): void {
  const { lock, rewritten, strays, isWritten, isStopped } = outcome;
  const changes = isStopped ? [] : outcome.changes;
  if (options.json) {
    const files = rewritten.map(({ path, count }) => ({ file: path, count }));
    const body = {
      ...bodyOf(outcome, lock),
      ...{ changes: changes.map(changeJson), strays },
      ...(options.holds && holdsJson(options.holds)),
    };
    printAnswer(options, { lockFile: options.lockFile, isWritten, ...body, rewritten: files }, "");
    return;
  }
  printRows(changes.map(changeRow), changeColumns(options.now), options.now);
  printProblems(outcome);
  for (const stray of strays) {
    printLine(stray, "note", `${stray.message} To write the digest of the lock, add --rewrite.`);
  }
  here().stderr.write(`${summaryOf(outcome, options)}\n`);
  if (options.holds) printHolds(options.holds, nothingHeld);
}

/** Prints where the files differ from the lock. */
export function printCheck(
  outcome: CheckOutcome,
  options: JsonOption & HoldPrint & { lockFile: string },
): void {
  const { lock, strays, problems, places } = outcome;
  if (options.json) {
    const body = {
      ...{ lockFile: options.lockFile, ...bodyOf(outcome, lock), strays },
      ...(options.holds && holdsJson(options.holds)),
    };
    printAnswer(options, body, "");
    return;
  }
  const rows = strays.map((stray) => ({ ...stray, place: placeText(stray) }));
  printRows(rows, checkColumns, new Date());
  printProblems(outcome);
  const count = strays.length + problems.length;
  const images = `${countText(places.size, "image")} in ${countText(placesOf(outcome).length, "place")}`;
  here().stderr.write(
    count === 0
      ? `The files agree with ${options.lockFile}: ${images}.\n`
      : `The files differ from ${options.lockFile} in ${countText(count, "place")}. To fix this, run: ${fixCommand(strays, options.lockFile)}\n`,
  );
  if (options.holds) printHolds(options.holds, nothingHeld);
}

/** A new lock keeps the digests of existing entries, so a file with another digest needs --rewrite. */
function fixCommand(strays: Stray[], lockFile: string): string {
  const isOther = strays.some(({ kind }) => kind === "other-digest");
  const flag = lockFile === "platform.lock" ? "" : ` --lock-file ${lockFile}`;
  return `platformctl lock${isOther ? " --rewrite" : ""}${flag}`;
}

const placesOf = ({ places }: Reading): Location[] => [...places.values()].flat();

/** The parts of the JSON document that both runs have. */
function bodyOf(reading: Reading, { registry, images }: Lock) {
  const { problems, notes, filesRead } = reading;
  const list = [...images].sort(([reference], [other]) => (reference < other ? -1 : 1));
  return {
    registry,
    filesRead,
    images: list.map(([reference, entry]) => ({
      reference,
      ...entry,
      places: (reading.places.get(reference) ?? []).map(placeJson),
    })),
    problems,
    notes,
  };
}

const placeJson = ({ file, line, column, digest }: Location) => ({
  file,
  line,
  column,
  ...(digest === undefined ? {} : { digest }),
});

const changeJson = ({ places, ...change }: Change) => ({
  ...change,
  places: places.map(placeJson),
});

function summaryOf(outcome: LockOutcome, { lockFile }: LockPrint): string {
  const { lock, changes, rewritten, isStopped, isWritten, problems } = outcome;
  if (isStopped) {
    return `Nothing was written, because of ${countText(problems.length, "problem")}. To write the rest, add --keep-going.`;
  }
  if (lock.images.size === 0 && !isWritten) return `No file uses an image of ${lock.registry}.`;
  const kinds = (["added", "updated", "removed"] as const).flatMap((kind) => {
    const count = changes.filter((change) => change.kind === kind).length;
    return count > 0 ? [`${count} ${kind}`] : [];
  });
  const images = countText(lock.images.size, "image");
  const written =
    kinds.length > 0
      ? `Wrote ${lockFile} with ${images}: ${kinds.join(", ")}.`
      : `${lockFile} is up to date: ${images}.`;
  if (rewritten.length === 0) return written;
  const count = rewritten.reduce((sum, file) => sum + file.count, 0);
  return `${written} Rewrote ${countText(count, "reference")} in ${countText(rewritten.length, "file")}.`;
}

function printProblems({ problems, notes }: Reading): void {
  for (const note of notes) printLine(note, "note", note.message);
  for (const problem of problems) printLine(problem, "error", problem.message);
}

function printLine(position: Partial<Problem>, kind: "note" | "error", message: string): void {
  // A file may contain characters that control a terminal.
  const lines = message.split("\n").map(withoutControls);
  here().stderr.write(`${withoutControls(placeText(position))}: ${kind}: ${lines.join("\n  ")}\n`);
}

const placeText = ({ file, line, column }: Partial<Problem>) =>
  file === undefined ? "" : `${file}:${line}:${column}`;

/** Prints a table on a terminal, and lines with tabs elsewhere. */
function printRows(rows: JsonObject[], columns: TableColumn[], now: Date): void {
  if (rows.length === 0) return;
  const isTerminal = here().stdout.isTTY;
  const text = isTerminal
    ? tableText(rows, columns, here().stdout, now)
    : tsvText(rows, columns, now);
  here().stdout.write(`${text.trimEnd()}\n`);
}

const changeRow = ({ kind, reference, before, after, places }: Change): JsonObject => ({
  kind,
  reference,
  before,
  after,
  files: [...new Set(places.map(placeText))].join(" "),
});

/** All references have the same host. */
const withoutHost = (reference: unknown) => String(reference).replace(/^[^/]*\//, "");

/** The columns of changes: exact values for programs, and short ones for a terminal. */
function changeColumns(now: Date): TableColumn[] {
  const isShort = here().stdout.isTTY;
  const digest = (entry: LockEntry | undefined) =>
    entry ? (isShort ? shortDigest(entry.digest) : entry.digest) : "";
  const since = (entry: LockEntry | undefined) =>
    entry ? (isShort ? relativeTime(new Date(entry.since), now) : entry.since) : "";
  const before = (row: JsonObject) => row.before as LockEntry | undefined;
  const after = (row: JsonObject) => row.after as LockEntry | undefined;
  return [
    column("change", 4, ({ kind }) => String(kind)),
    column("image", 0, ({ reference }) => (isShort ? withoutHost(reference) : String(reference))),
    column("from", 2, (row) => digest(before(row))),
    column("from since", 3, (row) => since(before(row))),
    column("to", 1, (row) => digest(after(row))),
    column("to since", 3, (row) => since(after(row))),
    column("files", 5, ({ files }) => String(files)),
  ];
}

const checkTitles: Record<Stray["kind"], string> = {
  "not-locked": "not locked",
  "other-digest": "other digest",
  unused: "unused",
};

const checkColumns: TableColumn[] = [
  column("place", 0, (row) => String(row.place)),
  column("image", 0, ({ reference }) => String(reference)),
  column("problem", 0, ({ kind }) => checkTitles[kind as Stray["kind"]]),
];
