/**
 * Chooses the mutant that runs. Code with mutants imports it (instrument.ts), in the Workers and in the process of a
 * test. Both have the variable MUTANT: the number of a mutant, or `record` to print which mutants are reached.
 */
export * as drizzle from "drizzle-orm";

const scope = globalThis as {
  MUTANT?: string;
  process?: { env: Record<string, string | undefined> };
};
const chosen = scope.MUTANT ?? scope.process?.env.MUTANT;
const number = Number(chosen);
const reached = new Set<number>();
let times = 0;

/** A mutant that runs more often is one that never ends. */
const most = 5_000_000;

/** The line about a mutant that is reached begins with it, and ends with the number. */
export const reachedText = "reached the mutant ";

/** True if this mutant runs. */
export function isMutant(id: number): boolean {
  if (chosen === "record" && !reached.has(id)) {
    reached.add(id);
    console.log(reachedText + id);
  }
  if (id !== number) return false;
  times += 1;
  if (times > most) throw new Error("the mutant never ends");
  return true;
}
