/** Decides whether a version of a package is in the ranges of a record. */
import { holds, isOnly } from "../packages/key_intervals.ts";
import type { MatchColumns } from "../packages/match_columns.ts";
import { unknownRelease } from "../packages/releases.ts";

/** A range of `affected_packages`. */
export interface Range {
  packageKey: string;
  release: string;
  versionOrder: string;
  from: string;
  below: string;
  fixed: string;
  severity: number;
}

/** The orders of ranges that name no order (src/packages/affected_ranges.ts). */
export const orders = { ofOneText: "", all: "*", unreadable: "?" } as const;

/** `unknown` says why it cannot be decided. It is empty if the package is affected. */
export interface Verdict {
  range: Range;
  unknown: string;
}

/**
 * The verdict of the ranges about a package. Undefined if they are not about it, or if it is in none of them. A package
 * that is certainly in one range is affected, whatever the others say.
 */
export function verdictOf(ranges: Range[], of: MatchColumns): Verdict | undefined {
  let unknown: Verdict | undefined;
  for (const range of ranges) {
    const reason = compare(range, of);
    if (reason === "") return { range, unknown: "" };
    if (reason !== undefined) unknown ??= { range, unknown: reason };
  }
  return unknown;
}

/** Empty if the package is in the range, a reason if that is not known, and undefined if it is not in the range. */
function compare(range: Range, of: MatchColumns): string | undefined {
  if (of.matchKey === "" || range.packageKey !== of.matchKey) return undefined;
  const reason = compareVersions(range, of);
  if (reason === undefined) return undefined;
  if (range.release === unknownRelease) return "the record names no release of the distribution";
  if (of.release === range.release) return reason;
  return of.release === unknownRelease
    ? "the SBOM names no release of the distribution"
    : undefined;
}

function compareVersions(range: Range, of: MatchColumns): string | undefined {
  const { versionOrder, from } = range;
  const { matchOrder, matchSortKey } = of;
  if (versionOrder === orders.all) return "";
  if (versionOrder === orders.unreadable) return "the versions of the record cannot be read";
  if (matchSortKey === "") return "the SBOM names no version that can be read";
  if (versionOrder === orders.ofOneText)
    return matchOrder === "" && matchSortKey === from ? "" : undefined;
  if (matchOrder === versionOrder) return holds(range, matchSortKey) ? "" : undefined;
  // A version that the order does not know is not one that it knows.
  if (matchOrder === "" && isOnly(range)) return undefined;
  return `the version cannot be compared in the order of ${versionOrder}`;
}
