/** Tables on standard output, for a terminal or (`--markdown`) for a document. */

/** One cell; numbers stand to the right. */
export type Cell = string | number;

/** Lines of a table. In Markdown every line of a row begins with `|`. */
export function tableText(head: string[], rows: Cell[][], markdown: boolean): string {
  const widths = head.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => String(row[at] ?? "").length)),
  );
  const lineOf = (cells: Cell[]) => {
    const padded = widths.map((width, at) => {
      const cell = cells[at] ?? "";
      return typeof cell === "number" ? String(cell).padStart(width) : cell.padEnd(width);
    });
    return markdown ? `| ${padded.join(" | ")} |` : padded.join("  ").trimEnd();
  };
  const isNumber = head.map((_, at) => rows.every((row) => typeof row[at] === "number"));
  const rule = widths.map((width, at) =>
    markdown && isNumber[at] ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
  );
  return [lineOf(head), lineOf(rule), ...rows.map(lineOf)].join("\n");
}
