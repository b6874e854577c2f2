import { dirname } from "node:path";

/** The files that the tests' Workers and their database are built from, relative to the project. */
export const workerFiles = [
  "src/**",
  "schema/{gen,tables,validation}/**",
  "migrations/**",
  "wrangler.toml",
  "test/world/sql.ts",
];

/**
 * The tests at the path of a source file. For `src/registry/tags/pins.ts` they are `test/registry/tags/pins*.test.ts`,
 * otherwise those of the nearest folder that has any. Paths are relative to the project, with `/`. Undefined for a file
 * that no Worker is built from.
 */
export function nearestTests(source: string, tests: string[]): string[] | undefined {
  const [, path] = /^(?:src|schema\/tables|schema)\/(.+)\.ts$/.exec(source) ?? [];
  if (path === undefined) return undefined;
  for (let place = path; place !== "" && place !== "."; place = dirname(place)) {
    const found = tests.filter((file) => file.startsWith(`test/${place}`));
    if (found.length > 0) return found;
  }
  return [];
}
