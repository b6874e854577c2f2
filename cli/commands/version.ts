/** The version of the program, with the commit and the date of its code. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isCheckout, packageJson, projectRoot } from "../project.ts";

/** Returns a text such as `1.2.3 (commit 0123abcd, 2026-01-31)`. Without git, it is only the version. */
export async function versionText(): Promise<string> {
  const { version } = packageJson();
  const [commit, date] = (await commitText().catch(() => "")).trim().split(" ");
  return commit && date ? `${version} (commit ${commit}, ${date})` : version;
}

/** Asks git in a checkout. The package has the same text in a file, which its build writes. */
async function commitText(): Promise<string> {
  if (!isCheckout) return readFile(join(projectRoot, "dist/commit.txt"), "utf8");
  return readCommit();
}

/** Returns the short hash and the date of the last commit of the checkout, with a space between. */
export async function readCommit(): Promise<string> {
  const args = ["-C", projectRoot, "log", "-1", "--format=%h %cs"];
  return (await promisify(execFile)("git", args)).stdout;
}
