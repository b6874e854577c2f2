import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { defineConfig, type UserWorkspaceConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { sampleOf } from "./test/world/tiers.ts";
import { patience } from "./test/world/times.ts";
import { nearestTests } from "./test/world/worker_files.ts";

const include = ["test/**/*.test.ts"];
const textOf = (file: string) => readFileSync(file, "utf8");

/** `.ci/test.ts` sets it to run only one of the tiers (test/world/tiers.ts). */
const tier = process.env.TEST_TIER;
const tagsFilter = { quick: ["!long"], long: ["long"] }[tier ?? ""];
const isLong = (file: string) => /@module-tag long\b/.test(textOf(file));
const files = globSync(include);
const quickFiles = files.filter((file) => !isLong(file));
/** The tests that SECURITY.md names, and what is not committed with the tests at its path: `npm test` runs all of these. */
const guarantees = [...textOf("SECURITY.md").matchAll(/`(test\/[^`]+)`/g)].map(
  ([, path = ""]) => path,
);
const changed = new Set(
  uncommittedFiles().flatMap((path) => [path, ...(nearestTests(path, files) ?? [])]),
);
const isAlways = (file: string) =>
  changed.has(file) || guarantees.some((path) => file === path || file.startsWith(`${path}/`));

/** `.ci/test.ts` sets it to run a part of the files of the quick tier: `sample` is the part of `npm test`. */
const part = process.env.TEST_PART;
const sample = new Set(part ? sampleOf(quickFiles, isAlways) : quickFiles);
const chosen = quickFiles.filter((file) => sample.has(file) !== (part === "rest"));
/** Whole files of another tier or part. Vitest would start them to find nothing to run. */
const left = tier === "quick" ? files.filter((file) => !chosen.includes(file)) : [];

/** Files that leave 60 MB or more behind: a dictionary, compiled rules, large documents. Their processes end. */
const large = ["cli/check/prose/prose", "schema/validation/validate", "registry/sboms/memory"];

/**
 * Files that replace a module, watch a function, set the clock or change what the process may do: each runs in
 * a process of its own, and nothing of theirs reaches other files.
 */
const changesOthers = /\bvi\.|\bprocess\.(umask|sete?[ug]id|chdir)\b/;
const alone = files.filter(
  (file) => changesOthers.test(textOf(file)) || large.some((path) => file.includes(path)),
);

/** The paths of files that differ from the commit. None without git. */
function uncommittedFiles(): string[] {
  try {
    const args = ["status", "--porcelain", "--no-renames", "-z", "--untracked-files=all"];
    const lines = execFileSync("git", args, { stdio: ["ignore", "pipe", "ignore"] }).toString();
    return lines.split("\0").map((line) => line.slice(3));
  } catch {
    return [];
  }
}

const project = (test: UserWorkspaceConfig["test"]): UserWorkspaceConfig => ({
  // The client's sources in place of its build.
  ssr: { resolve: { conditions: ["checkout"] } },
  test: {
    testTimeout: 8 * patience,
    hookTimeout: 8 * patience,
    expect: { poll: { timeout: patience } },
    // One more than most machines of CI have cores, as tests wait for Workers. More of them slow each other down.
    maxWorkers: 3,
    ...test,
  },
});

/**
 * Files that run for half a minute or more, in the order in which they begin. One that begins last would run on alone.
 * `deliveries/outcomes` and `memory` wait most of their time, so they are apart: others use the cores meanwhile.
 */
const longFiles = [
  ...["events/deliveries/outcomes", "races/pairs_sample", "races/pairs_even", "races/pairs_odd"],
  ...["contract/access", "contract/outbox", "contract/versions/history", "contract/topologies"],
  ...["contract/openapi/bad_input", "attacks/tokens/revocation", "attacks/cross_tenant"],
  ...["journeys/guides", "cli/recursive_delete", "cli/local/disk_guard", "paging/list"],
  ...["console/every_page/every_page", "distribution/memory", "console/timeline/large"],
].map((path) => `/test/${path}.test.ts`);

/** Begins with the long files. In a checkout that never ran the tests, vitest begins with the largest. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = longFiles.findIndex((path) => moduleId.endsWith(path));
      return at === -1 ? longFiles.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/world/setup.ts"],
    tags: [{ name: "long", description: "Runs in `npm run test:all`, and not in `npm test`." }],
    ...(tagsFilter ? { tagsFilter } : {}),
    sequence: { sequencer: LongFirst },
    // Some tests run the code of a Worker themselves, and it writes a line for each request.
    onConsoleLog: (text) => !text.includes('"message":"request"'),
    // No test imports what a Worker is made of, and most call one. A change of that reruns the tests at its path.
    watchTriggerPatterns: [
      {
        pattern: /\.ts$/,
        testsToRun: (file) => nearestTests(relative(import.meta.dirname, file), files),
      },
    ],
    projects: [
      project({ name: "alone", include: alone, exclude: left, pool: "forks" }),
      // A file finds the modules that others have read: that saves a third of a second for each.
      project({
        name: "together",
        include,
        exclude: [...alone, ...left],
        pool: "threads",
        isolate: false,
      }),
    ],
  },
});
