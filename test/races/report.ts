/** The outcome of the races as text: counts for each write, and every failure. */
import type { RaceFailure, Verdict } from "./races.ts";

/** The outcome of one write together with its partners. */
export interface ReportLine {
  name: string;
  /**
   * Pairs that ran, and pairs that did not because they share no row, or because another pair shows the same.
   */
  met: number;
  apart: number;
  counts: Record<Verdict, number>;
  failures: RaceFailure[];
}

const verdicts: Verdict[] = [
  ...(["first before second", "second before first", "refused", "between batches"] as const),
  "failed",
];

/** More details of a failure add nothing. */
const mostLines = 12;
const longestLine = 500;

/** A failure for readers: which calls overlapped how, and the differences. */
export function failureText({ pair, how, lines }: RaceFailure): string {
  const cut = lines.slice(0, mostLines).map((line) => line.slice(0, longestLine));
  return [`${pair} (${how})`, ...cut].join("\n  ");
}

const row = (name: string, numbers: (number | string)[]) =>
  `${numbers.map((one) => String(one).padStart(9)).join("")}  ${name}`;

const numbersOf = ({ met, apart, counts }: Omit<ReportLine, "name" | "failures">) => [
  ...[met, apart],
  ...verdicts.map((verdict) => counts[verdict]),
];

export function raceReport(part: string, lines: ReportLine[]): string {
  const sum = (of: (line: ReportLine) => number) =>
    lines.reduce((total, line) => total + of(line), 0);
  const counts = Object.fromEntries(
    verdicts.map((verdict) => [verdict, sum((line) => line.counts[verdict])]),
  ) as ReportLine["counts"];
  const all = { met: sum(({ met }) => met), apart: sum(({ apart }) => apart), counts };
  return [
    `Races, part ${part}: pairs of writes that met and that were spared, and their runs by`,
    "the order that explains them (of the pair as it is named: AB or BA), by ABORTED, by none.",
    row("", ["met", "apart", "AB", "BA", "aborted", "failed"]),
    row("all writes", numbersOf(all)),
    ...lines.map((line) => row(line.name, numbersOf(line))),
    ...lines.flatMap(({ failures }) => failures).map((failure) => `\n${failureText(failure)}`),
    "\n",
  ].join("\n");
}
