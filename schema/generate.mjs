// Writes schema/gen, schema/third_party/buf, client/gen and wrangler.toml: `npm run gen`. It works on a copy of
// the sources in a folder of the project, and replaces the generated files once everything has succeeded. A
// run that fails or is interrupted earlier changes nothing.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const made = ["schema/gen", "schema/third_party/buf", "client/gen", "wrangler.toml"];
const sources = ["package.json", "schema"];

// A signal also reaches the writers. They end, and this program remains to clean up.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);

const copy = mkdtempSync(join(root, ".generating-"));
try {
  for (const path of sources) {
    cpSync(join(root, path), join(copy, path), { recursive: true, filter: isSource });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const writers = spawnSync(process.execPath, [join(copy, "schema/write_all.mjs")], {
    stdio: "inherit",
  });
  if (writers.status === 0) {
    for (const path of made) replace(path);
  } else {
    process.exitCode = writers.status || 1;
    console.error(`Nothing is changed: ${made.join(", ")} are as they were.`);
  }
} finally {
  // A writer that a signal is ending can still write into it.
  rmSync(copy, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

function isSource(path) {
  return !made.some((name) => path === join(root, name));
}

/** Two renames, because a folder that is not empty cannot be replaced by a rename. */
function replace(path) {
  const target = join(root, path);
  if (existsSync(target)) renameSync(target, join(copy, `${path}.before`));
  renameSync(join(copy, path), target);
}
