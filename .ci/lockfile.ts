/**
 * Takes the libraries' `engines` out of package-lock.json, after `npm install`. npm compares them with the Node that
 * runs npm, and warns; what they say is of the Node that runs the libraries, and that is the one of the package `node`.
 */
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);

type Lockfile = { packages: Record<string, { engines?: Record<string, string> }> };

/** The lockfile without `engines` but those of the project, and how many it had. */
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
  console.log(`${count} libraries had engines in package-lock.json.`);
}
