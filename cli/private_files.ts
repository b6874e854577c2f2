/** Files of one account: what the platform keeps on this machine holds keys, tokens and everybody's data. */
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * From now on, whatever this process and those that it starts make is for their account only. What is in
 * the folder already becomes so too: folders 0700, files 0600; links are left alone.
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
