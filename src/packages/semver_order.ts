/** The order of semantic versions (SemVer 2.0.0, clause 11), which npm, Go, Cargo, Hex, Pub and Swift use. */
import { sortableNumber } from "./sortable_number.ts";

const form =
  /^[v=]?(\d+)(?:\.(\d+)(?:\.(\d+)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z.-]+))?)?)?$/;

/** Old versions of npm have no hyphen before the prerelease (node-semver, "loose"): `1.2.3beta1`. */
const looseForm = /^[v=]?(\d+\.\d+\.\d+)([A-Za-z][0-9A-Za-z-]*(?:\.[0-9A-Za-z-]+)*)$/;

/** The releases of Go itself: `go1.22rc1`, and `go1.22`, which is 1.22.0. */
const goForm = /^(?:go)?(\d+)\.(\d+)(?:\.(\d+)|(beta|rc)(\d+))?$/;

/**
 * A text that sorts like the version. Build metadata, such as the `+incompatible` of Go, does not count, and
 * missing numbers are 0. Undefined if the text is not a semantic version.
 */
export function semverSortKey(version: string): string | undefined {
  const text = spelled(version.trim());
  const [all, major = "0", minor = "0", patch = "0", prerelease] = form.exec(text) ?? [];
  if (all === undefined) return undefined;
  return `${[major, minor, patch].map(sortableNumber).join("")}${prereleaseKey(prerelease)}`;
}

/** The order of Pub, where a version with build metadata comes after the same one without (pub_semver). */
export function pubSortKey(version: string): string | undefined {
  const key = semverSortKey(version);
  const build = form.exec(version.trim())?.[5];
  if (key === undefined) return undefined;
  return `${key}${build === undefined ? "0" : `1${identifiersKey(build)}`}`;
}

/** The form of SemVer for a version that is spelled in another way. */
function spelled(version: string): string {
  const [, major, minor, patch = "0", word, number] = goForm.exec(version) ?? [];
  if (major !== undefined)
    return `${major}.${minor}.${patch}${word === undefined ? "" : `-${word}.${number}`}`;
  return version.replace(looseForm, "$1-$2");
}

/** The key of a prerelease, which comes before its release. */
export const prereleaseKey = (prerelease: string | undefined): string =>
  prerelease === undefined ? "1" : `0${identifiersKey(prerelease)}`;

/** Numbers come before words, and fewer identifiers before more. */
const identifiersKey = (text: string) => `${text.split(".").map(identifier).join("")}0`;

const identifier = (text: string) =>
  /^\d+$/.test(text) ? `a${sortableNumber(text)}` : `b${text} `;
