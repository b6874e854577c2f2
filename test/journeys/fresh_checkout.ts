/** A checkout as `git clone` and `npm ci` leave it, without files generated in this checkout. */
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./shell_story.ts";

/**
 * The lines that git prints in a folder, or the parts that `-z` separates. The repository of a running git
 * hook is ignored.
 */
function git(cwd: string, ...args: string[]): string[] {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")),
  );
  const output = execFileSync("git", args, { cwd, env, encoding: "utf8", maxBuffer: 2 ** 26 });
  return output.split(args.includes("-z") ? "\0" : "\n").filter(Boolean);
}

const notIgnored = ["ls-files", "-z", "--others", "--exclude-standard"];

/**
 * Copies every file that git does not ignore into a temporary folder, which becomes its own repository. This checkout
 * needs none. node_modules is a link to that of this checkout.
 */
export async function newCheckout(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "checkout-"));
  git(folder, "init", "--quiet");
  const place = [`--git-dir=${join(folder, ".git")}`, `--work-tree=${root}`];
  await Promise.all(
    git(root, ...place, ...notIgnored).map(async (path) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await copyFile(join(root, path), join(folder, path));
    }),
  );
  git(folder, "add", "--all");
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** The paths in the checkout that are new and not ignored, or that changed. */
export const leftovers = (checkout: string): string[] => [
  ...git(checkout, ...notIgnored),
  ...git(checkout, "diff", "-z", "--name-only"),
];
