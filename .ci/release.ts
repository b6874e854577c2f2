/**
 * Derives the version and the changes of a release from git alone. `node .ci/release.ts version TAG` prints the
 * version. `node .ci/release.ts notes TAG` prints the commits since the previous release in Markdown.
 */
import { execFileSync } from "node:child_process";

/** A version in the form that npm accepts (semver.org, 2.0.0), without build metadata. */
const version =
  /^v((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)$/;

/** The form of a subject in CONTRIBUTING.md: `area: what changed`. */
const subject = /^([a-z][\w./, -]*): (.+)$/;

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

/** Returns the version that a tag names: `1.2.3` for `v1.2.3`. Throws an Error if it names none. */
export function versionOf(tag: string): string {
  const [, found] = version.exec(tag) ?? [];
  if (!found) throw new Error(`The tag ${tag} is not a version such as v1.2.3 or v1.2.3-rc.1.`);
  return found;
}

/** Returns the previous release: the nearest earlier tag that is a version. Returns undefined for the first release. */
function previous(folder: string, tag: string): string | undefined {
  const tags = git(folder, "tag", "--merged", `${tag}^`, "--sort=-version:refname").split("\n");
  const isFinal = !versionOf(tag).includes("-");
  // A release lists all changes since the last release that was not a candidate.
  return tags.find((one) => version.test(one) && !(isFinal && one.includes("-")));
}

/**
 * Returns the changes of a tag's release, with a list for each area. It leaves out the bodies of commits. Throws an
 * Error if the tag does not exist or is not a version.
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
