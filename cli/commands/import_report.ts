/** The report of `platformctl import` at the end of an import of lines or documents. */
import { exitCodes } from "../failure.ts";
import {
  type BadLine,
  badLineText,
  type LinesOutcome,
  placeText,
  type SkippedLine,
} from "../import/batches.ts";
import { here } from "../surroundings.ts";
import { countText, type JsonOption, printAnswer } from "./answer.ts";

/** A group. The name is known only if the group was found by name. */
export type FoundGroup = { uid: string; name?: string };

/** How to report bad lines, and what the platform left out. */
type BadLineOptions<Bad, Left> = {
  describe?: (bad: Bad) => string;
  describeSkipped?: (record: Left) => string;
  noun?: string;
};

/** `Line 3 (EX-2026-1): affected names no package`. */
export function skippedText({ line, id, reason }: SkippedLine, unit = "line"): string {
  return `${placeText(line, unit)}${id === "" ? "" : ` (${id})`}: ${reason}`;
}

/**
 * Prints `text` for people, or `value` as JSON. Standard error gets the records that the platform left out, before the
 * text, which counts them in its last line. Bad lines follow the text.
 */
export function finishLines<Bad extends BadLine, Left extends SkippedLine>(
  options: JsonOption,
  value: Omit<LinesOutcome, "badLines" | "skipped"> & {
    badLines: Bad[];
    skipped: Left[];
    group: FoundGroup;
  },
  text: string[],
  {
    describe = (bad) => badLineText(bad),
    describeSkipped = (record) => skippedText(record),
    noun = "line",
  }: BadLineOptions<Bad, Left> = {},
): void {
  if (value.skippedCount > 0 && !options.json) {
    const unlisted = value.skippedCount - value.skipped.length;
    const rest = unlisted > 0 ? [`and ${unlisted} more`] : [];
    const list = [...value.skipped.map(describeSkipped), ...rest].map((line) => `  ${line}\n`);
    here().stderr.write(`Left out:\n${list.join("")}`);
  }
  printAnswer(options, value, text.join("\n"));
  if (value.badLineCount === 0) return;
  here().exitCode = exitCodes.badInput;
  if (options.json) return;
  const unlisted = value.badLineCount - value.badLines.length;
  const rest = unlisted > 0 ? [`and ${unlisted} more`] : [];
  const list = [...value.badLines.map((bad) => describe(bad)), ...rest].map((line) => `  ${line}`);
  here().stderr.write(
    `Skipped ${countText(value.badLineCount, `bad ${noun}`)}:\n${list.join("\n")}\n`,
  );
}
