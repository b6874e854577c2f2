import { configDefaults, defineConfig } from "vitest/config";
import { workerFiles } from "./test/world/worker_files.ts";

export default defineConfig({
  // The client's sources in place of its build.
  ssr: { resolve: { conditions: ["checkout"] } },
  test: {
    globalSetup: ["test/world/setup.ts"],
    include: ["test/**/*.test.ts"],
    // No test imports what a Worker is made of, and most call one: while vitest watches, a change of that reruns all.
    forceRerunTriggers: [
      ...configDefaults.forceRerunTriggers,
      ...workerFiles.map((glob) => `${import.meta.dirname}/${glob}`),
    ],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    fileParallelism: true,
    // Twice as many as most machines of CI have cores, as tests wait for Workers half of the time.
    maxWorkers: 4,
  },
});
