/** Shows rows as a table on a terminal, or as tab-separated lines for programs. */
import { WriteStream } from "node:tty";
import { stripVTControlCharacters, styleText } from "node:util";
import Table from "cli-table3";
import { here, type Output } from "../surroundings.ts";
import type { CellStyle } from "./cells.ts";
import { columnText, type TableColumn } from "./columns.ts";
import type { JsonObject } from "./flags.ts";

/** The formats of a text, such as `bold`. */
export type Format = Parameters<typeof styleText>[0];

/** Styles text if the output shows styles: a terminal without NO_COLOR, and everything with FORCE_COLOR. */
export function styleOutput(out: Output, format: Format, text: string): string {
  const { env } = here();
  const isAsked = out.isTTY || env.FORCE_COLOR !== undefined;
  const hasColors = isAsked && WriteStream.prototype.getColorDepth.call(out, env) > 2;
  return hasColors ? styleText(format, text, { validateStream: false }) : text;
}

/** A text of the first width is still readable. A text narrower than the second width is not useful. */
const preferredWidth = 32;
const minWidth = 12;

const noLines = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/** `isWide` shows all columns, however wide the terminal is. `isExact` shows exact times and whole digests. */
type TableShape = { isWide?: boolean; isExact?: boolean };

/** Returns the rows below a line of titles, at most as wide as the terminal. It ends with a newline. */
export function tableText(
  rows: JsonObject[],
  columns: TableColumn[],
  out: Output,
  now: Date,
  { isWide = false, isExact = false }: TableShape = {},
): string {
  const style: CellStyle = { now, isExact, ...(isExact ? {} : { isShort: true }) };
  const filled = columns.filter(
    (column) => column.rank === 0 || rows.some((row) => columnText(column, row, style)),
  );
  const texts = (column: TableColumn) => rows.map((row) => columnText(column, row, style));
  const shown = fitColumns(
    filled.map((column) => ({
      column,
      width: Math.max(...[column.title, ...texts(column)].map(widthOf)),
    })),
    isWide ? Number.POSITIVE_INFINITY : out.columns || 80,
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

function colour(out: Output, { path, field }: TableColumn, row: JsonObject, text: string): string {
  if (path === "uid" || field?.kind === "time" || path === "digest")
    return styleOutput(out, "dim", text);
  if (path === "deprecated" && row.deprecated) return styleOutput(out, "yellow", text);
  return text;
}

const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}]/gu;

/** Returns the approximate width of a text on a terminal, to choose column widths. The table cuts exactly. */
function widthOf(text: string): number {
  const shown = stripVTControlCharacters(text).replace(/\p{M}/gu, "");
  return [...shown].length + (shown.match(wide)?.length ?? 0);
}

type Sized = { column: TableColumn; width: number };

/** Narrows the least important columns, and then leaves them out, until the table fits the terminal. */
function fitColumns(columns: Sized[], room: number): Sized[] {
  const gap = 2;
  const over = columns.reduce((sum, { width }) => sum + width + gap, -gap) - room;
  if (over <= 0 || columns.length === 1) return columns;
  const [least] = [...columns].sort((a, b) => b.column.rank - a.column.rank);
  if (!least) return columns;
  const isLeast = (column: Sized) => column === least;
  const without = (test: (column: Sized) => boolean) =>
    fitColumns(
      columns.filter((column) => !test(column)),
      room,
    );
  const narrowed = () =>
    columns.map((column) => (isLeast(column) ? { ...column, width: column.width - over } : column));
  // A part of a uid is useless.
  const isUncut = least.column.path === "uid" || least.column.field?.kind === "time";
  if (!isUncut && least.width - over >= preferredWidth) return narrowed();
  const isSpareUid = ({ column }: Sized) => column.path === "uid" && column.rank > 0;
  if (columns.some(isSpareUid)) return without(isSpareUid);
  return !isUncut && least.width - over >= minWidth ? narrowed() : without(isLeast);
}

/**
 * Returns one line per row with complete values, separated by tabs, for tools such as `cut` and `awk`. With `hasTitles`,
 * the first line has the titles of the columns.
 */
export function tsvText(
  rows: JsonObject[],
  columns: TableColumn[],
  now: Date,
  hasTitles = false,
): string {
  const style: CellStyle = { now, isExact: true };
  const line = (row: JsonObject) =>
    columns.map((column) => columnText(column, row, style)).join("\t");
  const titles = hasTitles ? [columns.map(({ title }) => title.toUpperCase()).join("\t")] : [];
  return [...titles, ...rows.map(line)].map((text) => `${text}\n`).join("");
}
