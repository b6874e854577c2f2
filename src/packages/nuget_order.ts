/** The order of NuGet versions: SemVer 2.0.0 with a fourth number, without regard to case (NuGet, "Package versioning"). */
import { prereleaseKey } from "./semver_order.ts";
import { sortableNumber } from "./sortable_number.ts";

const form =
  /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** A text that sorts like the version. Missing numbers are 0. Undefined if the text is not a version of NuGet. */
export function nugetSortKey(version: string): string | undefined {
  const [all, major = "0", minor = "0", patch = "0", revision = "0", prerelease] =
    form.exec(version.trim()) ?? [];
  if (all === undefined) return undefined;
  const numbers = [major, minor, patch, revision].map(sortableNumber).join("");
  return `${numbers}${prereleaseKey(prerelease?.toLowerCase())}`;
}
