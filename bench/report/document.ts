/** What families found, as the document bench/RESULTS.md and as text for a terminal. */
import type { Cell, Findings, Goal, Table } from "./findings.ts";
import { markdownTable, plainTable } from "./table.ts";

/** A longer table is folded: its summary is a line to click on. */
const foldAboveRows = 40;

/** When, where and how a run was made: names and values. */
export type Circumstances = [name: string, value: string][];

const verdict = ({ kept }: Goal) => (kept ? "kept" : "**not kept**");

/** Kept and all. */
export function countKeptGoals(found: Findings[]): { kept: number; all: number } {
  const goals = found.flatMap((findings) => findings.goals);
  return { kept: goals.filter((goal) => goal.kept).length, all: goals.length };
}

/** One line of how many goals are kept. */
export function keptGoalsLine(found: Findings[]): string {
  const { kept, all } = countKeptGoals(found);
  if (all === 0) return "No goals were measured.";
  return kept === all ? `All ${all} goals are kept.` : `${kept} of ${all} goals are kept.`;
}

/** Those that are not kept first: they are what a reader looks for. */
const goalRows = (found: Findings[]): Cell[][] =>
  found
    .flatMap((findings) => findings.goals.map((goal) => ({ family: findings.title, goal })))
    .toSorted((a, b) => Number(a.goal.kept) - Number(b.goal.kept))
    .map(({ family, goal }) => [family, goal.what, goal.bound, goal.measured, verdict(goal)]);

const goalHead = ["Family", "Goal", "Bound", "Measured", ""];

function tableSection({ title, text, head, rows }: Table): string {
  const table = markdownTable(head, rows);
  const shown =
    rows.length <= foldAboveRows
      ? table
      : `<details>\n<summary>${rows.length} rows</summary>\n\n${table}\n\n</details>`;
  return [`### ${title}`, ...(text ? [text.trim()] : []), shown].join("\n\n");
}

const familySection = ({ title, text, tables, charts }: Findings) =>
  [
    `## ${title}`,
    text.trim(),
    ...charts.map((chart) => `![${chart.title}](${chart.name}.svg)`),
    ...tables.map(tableSection),
  ].join("\n\n");

/** The whole document, in Markdown. */
export function resultsDocument(found: Findings[], circumstances: Circumstances): string {
  const sections = [
    "# Results",
    `What the platform promises, measured. This page and its charts are written by \`npm run bench\`, never by
hand. Counts (round trips, rows, bytes) are exact and the same on every machine; times are those of one
machine, and say something only beside what was measured next to them in the same run.`,
    circumstances.map(([name, value]) => `- ${name}: ${value}`).join("\n"),
    `## Goals\n\n${keptGoalsLine(found)}`,
    markdownTable(goalHead, goalRows(found)),
    ...found.map(familySection),
  ];
  return `${sections.join("\n\n")}\n`;
}

/** One family, for a terminal. */
export function findingsText({ title, text, tables, goals }: Findings): string {
  const parts = [
    `${title}\n${"=".repeat(title.length)}`,
    text.trim(),
    ...tables.map((table) =>
      [table.title, ...(table.text ? [table.text.trim()] : []), plainTable(table.head, table.rows)]
        .join("\n\n")
        .trim(),
    ),
  ];
  if (goals.length > 0) {
    const rows = goals.map(({ what, bound, measured, kept }) => [
      what,
      bound,
      measured,
      kept ? "kept" : "NOT KEPT",
    ]);
    parts.push(plainTable(["goal", "bound", "measured", ""], rows));
  }
  return `\n${parts.join("\n\n")}\n`;
}
