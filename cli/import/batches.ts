/** Sends lines in batches that stay within the limits of the API, and reports errors by line. */
import { exitCodes, Failure, failureViolations, toFailure } from "../failure.ts";
import type { InputLine } from "./lines.ts";

/** A line that was skipped, and the reason. `field` is empty if the whole line is wrong. */
export type BadLine = { line: number; field: string; message: string };

/** An item that the platform left out, by its place in the call. JSON leaves out 0 and empty texts. */
export type SkippedItem = { position?: number; id?: string; reason?: string };

/** An item that the platform left out, by its line. */
export type SkippedLine = { line: number; id: string; reason: string };

/** An item and an upper bound for its bytes in the request, or what is wrong with its line. */
export type ParsedLine<Item> = { item: Item; bytes: number } | { field: string; message: string };

/** One import. */
export type ImportJob<Item> = {
  lines: AsyncIterable<InputLine>;
  parse(line: InputLine): ParsedLine<Item>;
  /**
   * Sends one batch, and returns what the platform left out of it. Its errors may name an item as
   * `<list>[<index>]`.
   */
  send(items: Item[]): Promise<SkippedItem[]>;
  /** The name of the request's list in errors. */
  list: string;
  /** Returns the word for an item. The default is `line`. Called only when there is something to report. */
  unit?: (() => string) | undefined;
  /** The most items and bytes in one batch. */
  limits: { items: number; bytes: number };
  skipBadLines: boolean;
  /** Whether the platform leaves nothing out. The first line that it cannot read then ends the import with 2. */
  strict?: boolean | undefined;
  /** The address of the platform, for messages. */
  url: string;
  onBatch?: (() => void) | undefined;
};

/** `lines` were sent. `badLines` and `skipped` have at most a thousand. */
export type LinesOutcome = {
  lines: number;
  badLines: BadLine[];
  badLineCount: number;
  skipped: SkippedLine[];
  skippedCount: number;
};

type Entry<Item> = { line: number; item: Item };

const maxListed = 1000;

/**
 * Sends all lines in order, one batch after another. Throws a BAD_INPUT Failure at the first bad line, or the failure
 * of a call. Either way, the message says how far the import got.
 */
export async function importInBatches<Item>(job: ImportJob<Item>): Promise<LinesOutcome> {
  const outcome: LinesOutcome = {
    lines: 0,
    badLines: [],
    badLineCount: 0,
    skipped: [],
    skippedCount: 0,
  };
  let batch: Entry<Item>[] = [];
  let bytes = 0;
  const flush = async () => {
    outcome.lines += await sendBatch(job, batch, outcome);
    batch = [];
    bytes = 0;
    job.onBatch?.();
  };
  try {
    for await (const line of job.lines) {
      const parsed = job.parse(line);
      if (!("item" in parsed)) {
        skipLine(job, outcome, { line: line.number, ...parsed });
        continue;
      }
      const isFull = batch.length === job.limits.items || bytes + parsed.bytes > job.limits.bytes;
      if (isFull && batch.length > 0) await flush();
      batch.push({ line: line.number, item: parsed.item });
      bytes += parsed.bytes;
    }
    if (batch.length > 0) await flush();
  } catch (error) {
    throw withProgress(toFailure(error, job.url), batch[0]?.line, outcome.lines, unitOf(job));
  }
  return outcome;
}

/**
 * Sends a batch. If bad lines may be skipped, it sends the batch again without the items that the platform rejected.
 */
async function sendBatch<Item>(job: ImportJob<Item>, batch: Entry<Item>[], outcome: LinesOutcome) {
  let left = batch;
  while (left.length > 0) {
    try {
      const skipped = await job.send(left.map((entry) => entry.item));
      outcome.skippedCount += skipped.length;
      const named = skipped.slice(0, maxListed - outcome.skipped.length);
      for (const { position = 0, id = "", reason = "" } of named)
        outcome.skipped.push({ line: left[position]?.line ?? 0, id, reason });
      break;
    } catch (error) {
      const refused = refusedLines(toFailure(error, job.url), job, left);
      const [first] = refused;
      if (!first) throw error;
      if (job.strict)
        throw new Failure(exitCodes.usage, "SKIPPED", badLineText(first, unitOf(job)));
      for (const line of refused) skipLine(job, outcome, line);
      const lines = new Set(refused.map((line) => line.line));
      left = left.filter((entry) => !lines.has(entry.line));
    }
  }
  return left.length;
}

function skipLine<Item>(job: ImportJob<Item>, outcome: LinesOutcome, bad: BadLine): void {
  if (!job.skipBadLines) {
    throw new Failure(exitCodes.badInput, "BAD_INPUT", badLineText(bad, unitOf(job)));
  }
  outcome.badLineCount += 1;
  if (outcome.badLines.length < maxListed) outcome.badLines.push(bad);
}

const unitOf = <Item>({ unit }: ImportJob<Item>) => unit?.() ?? "line";

/** `Line 3`, or `Document 3` for another kind of item. */
export const placeText = (line: number, unit: string) =>
  `${unit.charAt(0).toUpperCase()}${unit.slice(1)} ${line}`;

/** Returns the message for a bad line, or for another kind of item. */
export const badLineText = ({ line, field, message }: BadLine, unit = "line") => {
  return `${placeText(line, unit)}: ${field && !message.startsWith(field) ? `${field}: ` : ""}${message}`;
};

/** Returns the lines that an error names. Each line appears once. */
function refusedLines<Item>(
  failure: Failure,
  job: ImportJob<Item>,
  batch: Entry<Item>[],
): BadLine[] {
  const badLines = new Map<number, BadLine>();
  for (const { field, description } of failureViolations(failure)) {
    const [whole = "", index = "", member = ""] =
      /^(\w+\[(\d+)\])\.?(.*)$/.exec(field)?.slice(1) ?? [];
    const entry = batch[Number(index)];
    if (!entry || !whole.startsWith(`${job.list}[`) || badLines.has(entry.line)) continue;
    const message = description.replaceAll(`${whole}.`, "").replaceAll(whole, `the ${unitOf(job)}`);
    badLines.set(entry.line, { line: entry.line, field: member, message });
  }
  return [...badLines.values()];
}

function withProgress(
  failure: Failure,
  firstUnsent: number | undefined,
  linesIn: number,
  unit: string,
): Failure {
  const where =
    linesIn === 0
      ? "Nothing was imported."
      : `${linesIn === 1 ? `One ${unit}` : `${linesIn} ${unit}s`} before ${unit} ${firstUnsent} ${linesIn === 1 ? "was" : "were"} imported.`;
  const again = linesIn === 0 ? "" : " You can safely run the import again.";
  const { exitCode, code, message, details } = failure;
  return new Failure(exitCode, code, `${message}\n${where}${again}`, details);
}
