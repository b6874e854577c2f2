/**
 * Runs test files for one mutant after the other, in a process of its own with one vitest. Its argument is the
 * checkout with the mutants. Vitest starts the platform again before each run (test/world/setup.ts).
 */
import { stripVTControlCharacters } from "node:util";
import { createVitest, type TestSpecification } from "vitest/node";
import type { Result, Task } from "./runs.ts";

const [, , root = ""] = process.argv;

/** Keeps the order of the task. */
let order: string[] = [];
class AsAsked {
  shard = async (files: TestSpecification[]) => files;
  sort = async (files: TestSpecification[]) =>
    files.toSorted((one, other) => order.indexOf(one.moduleId) - order.indexOf(other.moduleId));
}

const vitest = await createVitest("test", {
  root,
  watch: false,
  bail: 1,
  maxWorkers: 1,
  cache: false,
  // The lines about reached mutants go to standard output as they are (switch.ts).
  disableConsoleIntercept: true,
  reporters: [{}],
  sequence: { sequencer: AsAsked },
});
const specifications = await vitest.globTestSpecifications();

async function run({ mutant, files }: Task): Promise<Result> {
  order = files.map((file) => `${root}/${file}`);
  const chosen = specifications.filter(({ moduleId }) => order.includes(moduleId));
  process.env.MUTANT = mutant;
  // Failures of the runs before would end this one.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  const began = performance.now();
  const { testModules, unhandledErrors } = await vitest.rerunTestSpecifications(chosen);
  const seconds = (performance.now() - began) / 1000;
  const failed = testModules.find((one) => one.state() === "failed");
  const [test] = failed?.children.allTests("failed") ?? [];
  const errors = [...(test?.result().errors ?? failed?.errors() ?? []), ...unhandledErrors];
  if (!failed && errors.length === 0) return { seconds };
  const { message = "" } = (errors[0] ?? {}) as { message?: string };
  const failure = `${test?.fullName ?? ""}: ${stripVTControlCharacters(message).split("\n", 1)}`;
  return { seconds, failedFile: failed?.moduleId.slice(root.length + 1) ?? "", failure };
}

process.on("message", async (task: Task) => process.send?.(await run(task)));
process.on("disconnect", () => process.exit());
process.send?.("ready");
