/** Lines into calls: batches under the limits of the API, and refusals told by line. */
import { exitCodes, Failure, failureViolations, toFailure } from "../failure.ts";
import type { InputLine } from "./lines.ts";

/** A line that is left out, and why. `field` is empty when the line as a whole is wrong. */
export type BadLine = { line: number; field: string; message: string };

/** An item and a bound for its size in the request, in bytes; or what is wrong with its line. */
export type ParsedLine<Item> = { item: Item; bytes: number } | { field: string; message: string };

/** One import. */
export type ImportJob<Item> = {
  lines: AsyncIterable<InputLine>;
  parse(line: InputLine): ParsedLine<Item>;
  /** Sends one batch. Its refusals may name an item as `<list>[<index>]`. */
  send(items: Item[]): Promise<void>;
  /** Name of the request's list in refusals. */
  list: string;
  /** What an item is to people: `line` unless told. Asked for when there is something to tell. */
  unit?: (() => string) | undefined;
  /** Most items and bytes in one batch. */
  limits: { items: number; bytes: number };
  skipBadLines: boolean;
  /** Address of the platform, for messages. */
  url: string;
  onBatch?: (() => void) | undefined;
};

/** `lines` are in; `badLines` are the first thousand of those left out. */
export type LinesOutcome = { lines: number; badLines: BadLine[]; badLineCount: number };

type Entry<Item> = { line: number; item: Item };

const maxListed = 1000;

/**
 * Sends all lines in order, one batch after the other. Throws a BAD_INPUT Failure at the first bad
 * line, or whatever a call failed with; either way the message says how far the import came.
 */
export async function importInBatches<Item>(job: ImportJob<Item>): Promise<LinesOutcome> {
  const outcome: LinesOutcome = { lines: 0, badLines: [], badLineCount: 0 };
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

/** Sends a batch, without the items that the platform refuses if they may be left out. */
async function sendBatch<Item>(job: ImportJob<Item>, batch: Entry<Item>[], outcome: LinesOutcome) {
  let left = batch;
  while (left.length > 0) {
    try {
      await job.send(left.map((entry) => entry.item));
      break;
    } catch (error) {
      const refused = refusedLines(toFailure(error, job.url), job, left);
      const [first] = refused;
      if (!first) throw error;
      for (const one of refused) skipLine(job, outcome, one);
      const lines = new Set(refused.map((one) => one.line));
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

/** A bad line, or whatever else an item is, as people are told of it. */
export const badLineText = ({ line, field, message }: BadLine, unit = "line") => {
  const name = `${unit.charAt(0).toUpperCase()}${unit.slice(1)}`;
  return `${name} ${line}: ${field && !message.startsWith(field) ? `${field}: ` : ""}${message}`;
};

/** The lines whose items the refusal names, each once. */
function refusedLines<Item>(
  failure: Failure,
  job: ImportJob<Item>,
  batch: Entry<Item>[],
): BadLine[] {
  const found = new Map<number, BadLine>();
  for (const { field, description } of failureViolations(failure)) {
    const [whole = "", index = "", member = ""] =
      /^(\w+\[(\d+)\])\.?(.*)$/.exec(field)?.slice(1) ?? [];
    const entry = batch[Number(index)];
    if (!entry || !whole.startsWith(`${job.list}[`) || found.has(entry.line)) continue;
    const message = description.replaceAll(`${whole}.`, "").replaceAll(whole, `the ${unitOf(job)}`);
    found.set(entry.line, { line: entry.line, field: member, message });
  }
  return [...found.values()];
}

function withProgress(
  failure: Failure,
  firstUnsent: number | undefined,
  linesIn: number,
  unit: string,
): Failure {
  const where =
    linesIn === 0
      ? "Nothing was loaded."
      : `The ${linesIn} ${unit}s before ${unit} ${firstUnsent} are loaded.`;
  const again =
    linesIn === 0 ? "" : " Running the import again is safe: what is loaded stays as it is.";
  const { exitCode, code, message, details } = failure;
  return new Failure(exitCode, code, `${message}\n${where}${again}`, details);
}
