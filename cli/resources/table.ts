/** Rows as a table for a terminal, or as tab-separated lines for programs. */
import { stripVTControlCharacters, styleText } from "node:util";
import Table from "cli-table3";
import type { Style } from "./cells.ts";
import { type Column, textIn } from "./columns.ts";
import type { Json } from "./flags.ts";

/** Where text goes: process.stdout, or what a test has in its place. */
export type Out = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

type Format = Parameters<typeof styleText>[0];

/** Styles text if the output shows styles: a terminal, without NO_COLOR. */
export const styled = (out: Out, format: Format, text: string) =>
  styleText(format, text, { stream: out });

/** A text this narrow can still be read, and one narrower than the other says nothing any more. */
const goodWidth = 32;
const leastWidth = 12;

const noLines = {
  ...{ top: "", "top-mid": "", "top-left": "", "top-right": "" },
  ...{ bottom: "", "bottom-mid": "", "bottom-left": "", "bottom-right": "" },
  ...{ left: "", "left-mid": "", mid: "", "mid-mid": "", right: "", "right-mid": "" },
  middle: "  ",
};

/** The rows with a line of titles, as wide as the terminal at most. Ends with a newline. */
export function tableText(rows: Json[], columns: Column[], out: Out, now: Date): string {
  const style: Style = { now, isExact: false, isShort: true };
  const filled = columns.filter(
    (column) => column.rank === 0 || rows.some((row) => textIn(column, row, style)),
  );
  const texts = (column: Column) => rows.map((row) => textIn(column, row, style));
  const shown = fitted(
    filled.map((column) => ({
      column,
      width: Math.max(...[column.title, ...texts(column)].map(widthOf)),
    })),
    out.columns || 80,
  );
  const table = new Table({
    chars: noLines,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
    head: shown.map(({ column }) => styled(out, "bold", column.title.toUpperCase())),
    colWidths: shown.map(({ width }) => width),
  });
  for (const row of rows) {
    table.push(shown.map(({ column }) => colour(out, column, row, textIn(column, row, style))));
  }
  const lines = table.toString().split("\n");
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

function colour(out: Out, { path, field }: Column, row: Json, text: string): string {
  if (path === "uid" || field?.kind === "time" || path === "digest")
    return styled(out, "dim", text);
  if (path === "deprecated" && row.deprecated) return styled(out, "yellow", text);
  return text;
}

const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}]/gu;

/** Columns of a terminal that a text takes, near enough to choose widths by; the table cuts exactly. */
function widthOf(text: string): number {
  const shown = stripVTControlCharacters(text).replace(/\p{M}/gu, "");
  return [...shown].length + (shown.match(wide)?.length ?? 0);
}

type Sized = { column: Column; width: number };

/** Narrows the columns that matter least, then leaves them out, until they fit the terminal. */
function fitted(columns: Sized[], room: number): Sized[] {
  const gap = 2;
  const over = columns.reduce((sum, { width }) => sum + width + gap, -gap) - room;
  if (over <= 0 || columns.length === 1) return columns;
  const [least] = [...columns].sort((a, b) => b.column.rank - a.column.rank);
  if (!least) return columns;
  const isLeast = (one: Sized) => one === least;
  const without = (test: (one: Sized) => boolean) =>
    fitted(
      columns.filter((one) => !test(one)),
      room,
    );
  const narrowed = () =>
    columns.map((one) => (isLeast(one) ? { ...one, width: one.width - over } : one));
  // Half a uid is good for nothing.
  const isWhole = least.column.path === "uid" || least.column.field?.kind === "time";
  if (!isWhole && least.width - over >= goodWidth) return narrowed();
  const isSpareUid = ({ column }: Sized) => column.path === "uid" && column.rank > 0;
  if (columns.some(isSpareUid)) return without(isSpareUid);
  return !isWhole && least.width - over >= leastWidth ? narrowed() : without(isLeast);
}

/** A line a row, values parted by tabs, whole and without titles: for `cut`, `awk` and the like. */
export function tsvText(rows: Json[], columns: Column[], now: Date): string {
  const style: Style = { now, isExact: true };
  const line = (row: Json) => columns.map((column) => textIn(column, row, style)).join("\t");
  return rows.map((row) => `${line(row)}\n`).join("");
}
