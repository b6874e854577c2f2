/** The folder that this program belongs to: a checkout, or the package as npm installed it. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute. In the package our modules are bundled into `dist`, so the depth of a module differs. */
export const projectRoot = folderWithPackageJson(dirname(fileURLToPath(import.meta.url)));

/** Whether it is a checkout, where wrangler and wrangler.toml are. */
export const isCheckout = existsSync(join(projectRoot, "wrangler.toml"));

/** What this program reads of package.json. */
type PackageJson = {
  version: string;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};

/** The project's package.json. */
export const packageJson = (): PackageJson =>
  JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));

function folderWithPackageJson(folder: string): string {
  const parent = dirname(folder);
  if (parent === folder || existsSync(join(folder, "package.json"))) return folder;
  return folderWithPackageJson(parent);
}
