/** Decides whether a version of a package is in the ranges of a record. */

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

/** The columns of `sbom_packages` that ranges are compared with. */
export interface MatchedPackage {
  matchKey: string;
  release: string;
  matchOrder: string;
  matchSortKey: string;
}

/** The release of a package or a record of a distribution that does not say it. */
export const unknownRelease = "?";

/** The order of a range whose bounds cannot be read. */
export const unknownOrder = "?";

/** `unknown` says why it cannot be decided. It is empty if the package is affected. */
export interface Verdict {
  range: Range;
  unknown: string;
}

/**
 * The verdict of the ranges about a package. Undefined if they are not about it, or if it is in none of them. A package
 * that is certainly in one range is affected, whatever the others say.
 */
export function verdictOf(ranges: Range[], of: MatchedPackage): Verdict | undefined {
  let unknown: Verdict | undefined;
  for (const range of ranges) {
    const reason = compare(range, of);
    if (reason === "") return { range, unknown: "" };
    if (reason !== undefined) unknown ??= { range, unknown: reason };
  }
  return unknown;
}

/** Empty if the package is in the range, a reason if that is not known, and undefined if it is not in the range. */
function compare(range: Range, of: MatchedPackage): string | undefined {
  if (of.matchKey === "" || range.packageKey !== of.matchKey) return undefined;
  const place = placeIn(range, of);
  if (place === undefined || range.release === of.release) return place;
  if (range.release === unknownRelease) return "the record does not name a release of the distribution";
  if (of.release !== unknownRelease || range.release === "") return undefined;
  return "the SBOM does not name the release of the distribution";
}

function placeIn({ versionOrder, from, below }: Range, of: MatchedPackage): string | undefined {
  if (versionOrder === unknownOrder) return "the record has a version that cannot be compared";
  if (versionOrder === "") return from === of.matchSortKey && of.matchOrder === "" ? "" : undefined;
  if (of.matchOrder === versionOrder) {
    const isIn = of.matchSortKey >= from && (below === "" || of.matchSortKey < below);
    return isIn ? "" : undefined;
  }
  // A range without bounds contains every version.
  if (from === "" && below === "") return "";
  return of.matchSortKey === "" ? "the SBOM does not name a version" : "the version cannot be compared";
}
