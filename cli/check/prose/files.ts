/** The files of the project that have prose. */
import { globSync } from "node:fs";

/** Paths from the project's folder. */
export const proseFiles = (root: string): string[] =>
  globSync(patterns, { cwd: root, exclude: isOthers })
    .filter((path) => !isOthers(path))
    .sort();

const patterns = [
  ...["*.md", "docs/**/*.md", "client/*.md", ".github/**/*.{md,yml}", "bench/*.md"],
  "examples/**/*.{md,yml}",
  ...["schema/proto/**/*.proto", "migrations/*.sql", ".ci/*", "cli/**/*.bash"],
  "{src,schema,client,site,console,cli,bench,examples,test}/**/*.{ts,tsx,js,mjs}",
];

const testOfTheCheck = "test/cli/check/prose/prose.test.ts";

/**
 * Generated files, and the test of this check, which has bad examples. The texts of RESULTS.md come from bench/report.
 */
const isOthers = (path: string) =>
  path === testOfTheCheck ||
  /(?:^|\/)(?:node_modules|gen|dist|third_party|fixtures|data)(?:\/|$)|^bench\/RESULTS\.md$|\.d\.ts$/.test(
    path,
  );
