import { defineConfig } from "vitest/config";

export default defineConfig({
  // The client's sources in place of its build.
  ssr: { resolve: { conditions: ["checkout"] } },
  test: {
    globalSetup: ["test/world/setup.ts"],
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    fileParallelism: true,
    // Twice as many as most machines of CI have cores, as tests wait for Workers half of the time.
    maxWorkers: 4,
  },
});
