/** The folder that this program belongs to: a checkout, or the package as npm installed it. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** An absolute path. The package bundles our modules into `dist`, so the depth of a module differs there. */
export const projectRoot = folderWithPackageJson(dirname(fileURLToPath(import.meta.url)));

/** Whether the folder is a checkout, which has wrangler and wrangler.toml. */
export const isCheckout = existsSync(join(projectRoot, "wrangler.toml"));

/** The members of package.json that this program reads. */
type PackageJson = {
  version: string;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};

/** Returns the project's package.json. */
export const packageJson = (): PackageJson =>
  JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));

function folderWithPackageJson(folder: string): string {
  const parent = dirname(folder);
  if (parent === folder || existsSync(join(folder, "package.json"))) return folder;
  return folderWithPackageJson(parent);
}
