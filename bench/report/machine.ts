/** Describes the machine and the commit of a run. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(import.meta.url);

/** Files that a run writes itself. They do not count as changes. */
const written = /^bench\/(?:RESULTS\.md|[\w-]+\.svg)$/;

const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/**
 * Returns the commit that is measured, and whether the checkout has other changes. Returns undefined outside of git.
 */
export function commit(): { hash: string; isClean: boolean } | undefined {
  try {
    const changed = git("status", "--porcelain", "-z")
      .split("\0")
      .filter((line) => line !== "" && !written.test(line.slice(3)));
    return { hash: git("rev-parse", "HEAD").trim(), isClean: changed.length === 0 };
  } catch {
    return undefined;
  }
}

/** Returns the distribution's name for itself, if it has one (os-release(5)). */
function system(): string {
  const kernel = `${type()} ${release()}`;
  try {
    const name = /^PRETTY_NAME="?(.+?)"?$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
    return name ? `${name}, ${kernel}` : kernel;
  } catch {
    return kernel;
  }
}

const versionOf = (name: string) =>
  (require(`${name}/package.json`) as { version: string }).version;

/** Returns the machine and its software, as names and values. */
export function machine(): [name: string, value: string][] {
  const [first, ...others] = cpus();
  const cores = others.length + (first ? 1 : 0);
  return [
    ["Processor", `${first?.model.trim() || "unknown"}, ${cores} cores`],
    ["Memory", `${Math.round(totalmem() / 2 ** 30)} GiB`],
    ["System", system()],
    [
      "Runs on",
      `Node ${process.versions.node}, workerd ${versionOf("workerd")}, wrangler ${versionOf("wrangler")}`,
    ],
  ];
}
