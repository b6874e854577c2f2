import { globSync, readFileSync } from "node:fs";
import { configDefaults, defineConfig, type UserWorkspaceConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { workerFiles } from "./test/world/worker_files.ts";

const include = ["test/**/*.test.ts"];

/**
 * Files that replace a module, watch a function, set the clock or change what the process may do: each runs in
 * a process of its own, and nothing of theirs reaches other files.
 */
const changesOthers = /\bvi\.|\bprocess\.(umask|sete?[ug]id|chdir)\b/;
const alone = globSync(include).filter((file) => changesOthers.test(readFileSync(file, "utf8")));

const project = (test: UserWorkspaceConfig["test"]): UserWorkspaceConfig => ({
  // The client's sources in place of its build.
  ssr: { resolve: { conditions: ["checkout"] } },
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Twice as many as most machines of CI have cores, as tests wait for Workers half of the time.
    maxWorkers: 4,
    ...test,
  },
});

/** Files that keep a core busy for a minute: they begin first, and others run while those wait. */
class BusyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isBusy = ({ moduleId }: TestSpecification) => /\/races\/pairs_/.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isBusy), ...sorted.filter((file) => !isBusy(file))];
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/world/setup.ts"],
    sequence: { sequencer: BusyFirst },
    // No test imports what a Worker is made of, and most call one: while vitest watches, a change of that reruns all.
    forceRerunTriggers: [
      ...configDefaults.forceRerunTriggers,
      ...workerFiles.map((glob) => `${import.meta.dirname}/${glob}`),
    ],
    projects: [
      project({ name: "alone", include: alone, pool: "forks" }),
      // A file finds the modules that others have read: that saves a third of a second for each.
      project({ name: "together", include, exclude: alone, pool: "threads", isolate: false }),
    ],
  },
});
