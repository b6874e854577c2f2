/** Writes tables as text: aligned for a terminal, and in Markdown for a document. */
import type { Cell } from "./findings.ts";

/** At most three digits after the decimal point. */
const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });

const textOf = (cell: Cell | undefined) =>
  typeof cell === "number" ? grouped.format(cell) : (cell ?? "");

/** Whether each column contains only numbers, which are aligned to the right. */
const areNumbers = (head: string[], rows: Cell[][]) =>
  head.map((_, index) => rows.length > 0 && rows.every((row) => typeof row[index] === "number"));

/** Returns aligned columns, two spaces apart. */
export function plainTable(head: string[], rows: Cell[][]): string {
  const lines = [head, ...rows.map((row) => head.map((_, index) => textOf(row[index])))];
  const widths = head.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  const isNumber = areNumbers(head, rows);
  const written = lines.map((line) =>
    widths
      .map((width, index) =>
        isNumber[index] ? line[index]?.padStart(width) : line[index]?.padEnd(width),
      )
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [written[0], rule, ...written.slice(1)].join("\n");
}

const escaped = (cell: string) => cell.replaceAll("|", "\\|").replaceAll("\n", " ");

/** Cells are not padded, so that two runs differ only in the lines whose figures differ. */
export function markdownTable(head: string[], rows: Cell[][]): string {
  const lineOf = (cells: string[]) => `| ${cells.map(escaped).join(" | ")} |`;
  const rule = areNumbers(head, rows).map((isNumber) => (isNumber ? "---:" : "---"));
  return [
    lineOf(head),
    `| ${rule.join(" | ")} |`,
    ...rows.map((row) => lineOf(head.map((_, index) => textOf(row[index])))),
  ].join("\n");
}
