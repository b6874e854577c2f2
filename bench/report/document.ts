/** Writes the results of the families as the document bench/RESULTS.md, and as text for a terminal. */
import type { Cell, Findings, Goal, Table } from "./findings.ts";
import { markdownTable, plainTable } from "./table.ts";

/** A longer table is collapsed below its summary. */
const foldAboveRows = 40;

/** When, where and how a run was made, as names and values. */
export type Circumstances = [name: string, value: string][];

const verdict = ({ kept }: Goal) => (kept ? "met" : "**not met**");

/** Counts the goals that are met, and all goals. */
export function countKeptGoals(results: Findings[]): { kept: number; all: number } {
  const goals = results.flatMap((findings) => findings.goals);
  return { kept: goals.filter((goal) => goal.kept).length, all: goals.length };
}

/** Returns a line that says how many goals are met. */
export function keptGoalsLine(results: Findings[]): string {
  const { kept, all } = countKeptGoals(results);
  if (all === 0) return "No goals were measured.";
  return kept === all ? `All ${all} goals are met.` : `${kept} of ${all} goals are met.`;
}

/** Returns the rows of goals. Goals that are not met come first, because readers look for them. */
const goalRows = (results: Findings[]): Cell[][] =>
  results
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

/** Returns the whole document in Markdown. */
export function resultsDocument(results: Findings[], circumstances: Circumstances): string {
  const sections = [
    "# Results",
    `This page compares the goals of the platform with measurements. \`npm run bench\` writes the page and its charts,
and no one edits them by hand. Counts (round trips, rows, bytes) are exact and the same on every machine. Times depend
on the machine. Compare them only with other times of the same run.`,
    circumstances.map(([name, value]) => `- ${name}: ${value}`).join("\n"),
    `## Goals\n\n${keptGoalsLine(results)}`,
    markdownTable(goalHead, goalRows(results)),
    ...results.map(familySection),
  ];
  return `${sections.join("\n\n")}\n`;
}

/** Returns one family as text for a terminal. */
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
