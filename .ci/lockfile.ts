/**
 * Removes the `engines` of libraries from package-lock.json after `npm install`. npm compares them with the Node that
 * runs npm, and prints warnings. The libraries run on another Node, which is the one in the package `node`.
 */
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);

type Lockfile = { packages: Record<string, { engines?: Record<string, string> }> };

/** Returns the lockfile without `engines` except those of the project, and how many were removed. */
export function withoutEngines(text: string): { text: string; count: number } {
  const lockfile = JSON.parse(text) as Lockfile;
  const libraries = Object.entries(lockfile.packages).filter(([path]) => path !== "");
  const asking = libraries.filter(([, { engines }]) => engines !== undefined);
  for (const [, library] of asking) delete library.engines;
  return { text: `${JSON.stringify(lockfile, null, 2)}\n`, count: asking.length };
}

if (import.meta.main) {
  const { text, count } = withoutEngines(readFileSync(file, "utf8"));
  writeFileSync(file, text);
  console.log(`Removed the engines of ${count} libraries from package-lock.json.`);
}
