/** The report of a database check for people. */
import type { CheckOutcome } from "./run.ts";

const number = (value: number) => value.toLocaleString("en");

const problems = (count: number) => `${number(count)} ${count === 1 ? "problem" : "problems"}`;

type Total = Pick<CheckOutcome, "found" | "left">;

/** Returns a line for each check, with the problems that it found below it, and a summary. */
export const reportOf = (outcomes: CheckOutcome[], total: Total, isRepairing: boolean): string =>
  [
    ...outcomes.map((outcome) => outcomeText(outcome, isRepairing)),
    summary(total, isRepairing),
  ].join("\n");

function outcomeText(outcome: CheckOutcome, isRepairing: boolean): string {
  const { name, rows, promise, remedy, found: count, examples } = outcome;
  const line = `${name.padEnd(10)}  ${number(rows).padStart(11)} rows  ${verdict(outcome, isRepairing)}`;
  if (count === 0) return line;
  const rest = count - examples.length;
  return [
    line,
    `  Violated: ${promise}`,
    ...examples.map(({ uid, wrong }) => `    ${uid}  ${wrong}`),
    ...(rest > 0 ? [`    and ${number(rest)} more`] : []),
    isRepairing ? `  The repair ${remedy}.` : `  --repair ${remedy}.`,
  ].join("\n");
}

function verdict({ found: count, left }: CheckOutcome, isRepairing: boolean): string {
  if (count === 0) return "ok";
  if (!isRepairing) return problems(count);
  return `${problems(count)}, ${left === 0 ? "repaired" : `${number(left)} left`}`;
}

function summary({ found: count, left }: Total, isRepairing: boolean): string {
  if (count === 0) return "The database is consistent.";
  if (left === 0) return `${problems(count)}, all repaired. The database is consistent.`;
  if (isRepairing) return `${problems(left)} could not be repaired.`;
  return `${problems(left)}. To repair the database, add --repair.`;
}
