/** What people read of a check of the database. */
import type { CheckOutcome } from "./run.ts";

const number = (value: number) => value.toLocaleString("en");

const problems = (count: number) => `${number(count)} ${count === 1 ? "problem" : "problems"}`;

type Total = Pick<CheckOutcome, "found" | "left">;

/** A line for each check, below it what is wrong where something is, and how it ended. */
export const reportOf = (outcomes: CheckOutcome[], total: Total, isRepairing: boolean): string =>
  [...outcomes.map((one) => outcomeText(one, isRepairing)), summary(total, isRepairing)].join("\n");

function outcomeText(outcome: CheckOutcome, isRepairing: boolean): string {
  const { name, rows, promise, remedy, found, examples } = outcome;
  const line = `${name.padEnd(10)}  ${number(rows).padStart(11)} rows  ${verdict(outcome, isRepairing)}`;
  if (found === 0) return line;
  const rest = found - examples.length;
  return [
    line,
    `  ${promise} Not so:`,
    ...examples.map(({ uid, wrong }) => `    ${uid}  ${wrong}`),
    ...(rest > 0 ? [`    and ${number(rest)} more`] : []),
    isRepairing ? `  The repair ${remedy}.` : `  --repair ${remedy}.`,
  ].join("\n");
}

function verdict({ found, left }: CheckOutcome, isRepairing: boolean): string {
  if (found === 0) return "ok";
  if (!isRepairing) return problems(found);
  return `${problems(found)}, ${left === 0 ? "repaired" : `${number(left)} left`}`;
}

function summary({ found, left }: Total, isRepairing: boolean): string {
  if (found === 0) return "The database is sound.";
  if (left === 0) return `${problems(found)}, all repaired. The database is sound.`;
  if (isRepairing) return `${problems(left)} left, which could not be repaired.`;
  return `${problems(left)}. To repair: the same command with --repair.`;
}
