/**
 * What a release is called and what changed in it, from git alone: `node .ci/release.ts version TAG` prints the
 * version, `node .ci/release.ts notes TAG` the commits since the release before, in Markdown.
 */
import { execFileSync } from "node:child_process";

/** A version as npm takes it (semver.org, 2.0.0), without build metadata. */
const version =
  /^v((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)$/;

/** A subject as CONTRIBUTING.md has it: `area: what changed`. */
const subject = /^([a-z][\w./, -]*): (.+)$/;

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

/** The version that a tag names: `1.2.3` of `v1.2.3`. Throws an Error if it names none. */
export function versionOf(tag: string): string {
  const [, found] = version.exec(tag) ?? [];
  if (!found) throw new Error(`The tag ${tag} is not a version such as v1.2.3 or v1.2.3-rc.1.`);
  return found;
}

/** The release before a tag: the nearest tag below it that is a version. Undefined for the first. */
function previous(folder: string, tag: string): string | undefined {
  const tags = git(folder, "tag", "--merged", `${tag}^`, "--sort=-version:refname").split("\n");
  const isFinal = !versionOf(tag).includes("-");
  // A release names all changes since the last one that was not a candidate.
  return tags.find((one) => version.test(one) && !(isFinal && one.includes("-")));
}

/**
 * The changes of a tag's release, a list for each area. Bodies stay in git. Throws an Error for a tag that is no
 * version, or that there is not.
 */
export function notesOf(folder: string, tag: string): string {
  const since = previous(folder, tag);
  const range = since ? `${since}..${tag}` : tag;
  const subjects = git(folder, "log", "--no-merges", "--format=%s", range).split("\n").reverse();
  const areas = Object.groupBy(subjects, (line) => subject.exec(line)?.[1] ?? "other");
  const sections = Object.keys(areas)
    .sort()
    .map((area) => {
      const lines = (areas[area] ?? []).map((line) => `- ${subject.exec(line)?.[2] ?? line}`);
      return `### ${area}\n\n${lines.join("\n")}\n`;
    });
  const head = since ? `Changes since ${since}.` : "The first release.";
  return `${head}\n\n${sections.join("\n")}`;
}

if (import.meta.main) {
  const [what, tag = ""] = process.argv.slice(2);
  if (what === "version") console.log(versionOf(tag));
  else if (what === "notes") process.stdout.write(notesOf(process.cwd(), tag));
  else throw new Error("Usage: node .ci/release.ts version|notes TAG");
}
