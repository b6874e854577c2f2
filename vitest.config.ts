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
    // On a busy CI machine, a page needs longer than the usual second.
    expect: { poll: { timeout: 15_000 } },
    // Twice as many as most machines of CI have cores, as tests wait for Workers half of the time.
    maxWorkers: 4,
    ...test,
  },
});

/** Files that run for half a minute or more. One of them that begins last would run on alone, on one core. */
const longFiles = [
  ...["races/pairs_even", "races/pairs_odd", "contract/access", "contract/outbox"],
  ...["contract/versions/history", "contract/topologies", "contract/openapi/bad_input"],
  ...["attacks/tokens/revocation", "attacks/cross_tenant", "journeys/guides", "cli/preview"],
  ...["cli/deploy", "cli/recursive_delete", "cli/local/disk_guard", "paging/list"],
  "console/timeline/large",
  "console/every_page/every_page",
].map((path) => `/test/${path}.test.ts`);

/** Begins with the long files. In a checkout that never ran the tests, vitest begins with the largest. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      longFiles.some((path) => moduleId.endsWith(path));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/world/setup.ts"],
    sequence: { sequencer: LongFirst },
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
