/** The order of semantic versions (SemVer 2.0.0, clause 11), which npm, Go, Cargo, Hex, Pub and Swift use. */
import { sortableNumber } from "./sortable_number.ts";

const form =
  /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;

/**
 * A text that sorts like the version. Build metadata, such as the `+incompatible` of Go, does not count, and
 * missing numbers are 0. Undefined if the text is not a semantic version.
 */
export function semverSortKey(version: string): string | undefined {
  const [all, major = "0", minor = "0", patch = "0", pre] = form.exec(version.trim()) ?? [];
  if (all === undefined) return undefined;
  const numbers = [major, minor, patch].map(sortableNumber).join("");
  // A prerelease comes before its release.
  return `${numbers}${pre === undefined ? "1" : `0${pre.split(".").map(identifier).join("")}0`}`;
}

/** Numbers come before words, and fewer identifiers before more. */
const identifier = (text: string) =>
  /^\d+$/.test(text) ? `a${sortableNumber(text)}` : `b${text} `;
