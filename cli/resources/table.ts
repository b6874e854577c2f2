/** Rows as a table for a terminal, or as tab-separated lines for programs. */
import { stripVTControlCharacters, styleText } from "node:util";
import Table from "cli-table3";
import type { CellStyle } from "./cells.ts";
import { columnText, type TableColumn } from "./columns.ts";
import type { JsonObject } from "./flags.ts";

/** Where text goes: process.stdout, or what a test has in its place. */
export type TextOutput = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

type Format = Parameters<typeof styleText>[0];

/** Styles text if the output shows styles: a terminal, without NO_COLOR. */
export const styleOutput = (out: TextOutput, format: Format, text: string) =>
  styleText(format, text, { stream: out });

/** A text this narrow can still be read, and one narrower than the other says nothing any more. */
const preferredWidth = 32;
const minWidth = 12;

const noLines = {
  ...{ top: "", "top-mid": "", "top-left": "", "top-right": "" },
  ...{ bottom: "", "bottom-mid": "", "bottom-left": "", "bottom-right": "" },
  ...{ left: "", "left-mid": "", mid: "", "mid-mid": "", right: "", "right-mid": "" },
  middle: "  ",
};

/** The rows with a line of titles, as wide as the terminal at most. Ends with a newline. */
export function tableText(
  rows: JsonObject[],
  columns: TableColumn[],
  out: TextOutput,
  now: Date,
): string {
  const style: CellStyle = { now, isExact: false, isShort: true };
  const filled = columns.filter(
    (column) => column.rank === 0 || rows.some((row) => columnText(column, row, style)),
  );
  const texts = (column: TableColumn) => rows.map((row) => columnText(column, row, style));
  const shown = fitColumns(
    filled.map((column) => ({
      column,
      width: Math.max(...[column.title, ...texts(column)].map(widthOf)),
    })),
    out.columns || 80,
  );
  const table = new Table({
    chars: noLines,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
    head: shown.map(({ column }) => styleOutput(out, "bold", column.title.toUpperCase())),
    colWidths: shown.map(({ width }) => width),
  });
  for (const row of rows) {
    table.push(shown.map(({ column }) => colour(out, column, row, columnText(column, row, style))));
  }
  const lines = table.toString().split("\n");
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

function colour(
  out: TextOutput,
  { path, field }: TableColumn,
  row: JsonObject,
  text: string,
): string {
  if (path === "uid" || field?.kind === "time" || path === "digest")
    return styleOutput(out, "dim", text);
  if (path === "deprecated" && row.deprecated) return styleOutput(out, "yellow", text);
  return text;
}

const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}]/gu;

/** Columns of a terminal that a text takes, near enough to choose widths by; the table cuts exactly. */
function widthOf(text: string): number {
  const shown = stripVTControlCharacters(text).replace(/\p{M}/gu, "");
  return [...shown].length + (shown.match(wide)?.length ?? 0);
}

type Sized = { column: TableColumn; width: number };

/** Narrows the columns that matter least, then leaves them out, until they fit the terminal. */
function fitColumns(columns: Sized[], room: number): Sized[] {
  const gap = 2;
  const over = columns.reduce((sum, { width }) => sum + width + gap, -gap) - room;
  if (over <= 0 || columns.length === 1) return columns;
  const [least] = [...columns].sort((a, b) => b.column.rank - a.column.rank);
  if (!least) return columns;
  const isLeast = (one: Sized) => one === least;
  const without = (test: (one: Sized) => boolean) =>
    fitColumns(
      columns.filter((one) => !test(one)),
      room,
    );
  const narrowed = () =>
    columns.map((one) => (isLeast(one) ? { ...one, width: one.width - over } : one));
  // Half a uid is good for nothing.
  const isUncut = least.column.path === "uid" || least.column.field?.kind === "time";
  if (!isUncut && least.width - over >= preferredWidth) return narrowed();
  const isSpareUid = ({ column }: Sized) => column.path === "uid" && column.rank > 0;
  if (columns.some(isSpareUid)) return without(isSpareUid);
  return !isUncut && least.width - over >= minWidth ? narrowed() : without(isLeast);
}

/** A line a row, values parted by tabs, whole and without titles: for `cut`, `awk` and the like. */
export function tsvText(rows: JsonObject[], columns: TableColumn[], now: Date): string {
  const style: CellStyle = { now, isExact: true };
  const line = (row: JsonObject) =>
    columns.map((column) => columnText(column, row, style)).join("\t");
  return rows.map((row) => `${line(row)}\n`).join("");
}
