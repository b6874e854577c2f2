/** Access to the platform's files on this machine, which hold keys, tokens and all data. */
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Makes the folder and its content accessible to its owner only: folders 0700, files 0600; links are left
 * alone. The same holds for all files that this process and its children create from now on.
 */
export function keepPrivate(folder: string): void {
  process.umask(0o077);
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const path of [folder, ...names.map((name) => join(folder, name))]) {
    // A database removes its files when the last program closes it.
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) chmodSync(path, 0o700);
    else if (stat?.isFile()) chmodSync(path, 0o600);
  }
}
