/** The parts of the index `sbom_packages_by_match` that hold the packages which the ranges of a record can be about. */
import { type Range, unknownOrder, unknownRelease } from "./verdicts.ts";

/** A place in the index: release, order, sort key, and the uid of the package. */
export type Place = [release: string, order: string, sortKey: string, uid: string];

/** A part of the index, for one package of one organization. `high` is the first place after it. */
export interface Interval {
  /** The place of the record among those that are matched together. */
  record: number;
  key: string;
  organization: string;
  /** The group below which images are matched. */
  scope: string;
  low: Place;
  high: Place;
}

/** It sorts after every text. */
const last = "\u{10ffff}";

/** The parts for one range. A package whose version or release is not known can be in any range of its package. */
export function intervalsOf(range: Range): Pick<Interval, "low" | "high">[] {
  const { release, versionOrder, from, below } = range;
  const allOf = (one: string): Pick<Interval, "low" | "high"> => ({
    low: [one, "", "", ""],
    high: [one, last, "", ""],
  });
  if (release === unknownRelease) return [{ low: ["", "", "", ""], high: [last, "", "", ""] }];
  const elsewhere = release === "" ? [] : [allOf(unknownRelease)];
  if (versionOrder === unknownOrder) return [allOf(release), ...elsewhere];
  const end = versionOrder === "" ? `${from}\u0001` : below || last;
  const own: Pick<Interval, "low" | "high"> = {
    low: [release, versionOrder, from, ""],
    high: [release, versionOrder, end, ""],
  };
  if (versionOrder === "") return [own, ...elsewhere];
  return [own, { low: [release, "", "", ""], high: [release, "", last, ""] }, ...elsewhere];
}

/** The ranges that parts are made for. */
interface Ranged {
  /** The uid of an advisory. */
  uid: string;
  ranges: Range[];
}

/**
 * The parts for records in one organization. Images are matched below the group of each advisory, or below `scope`, and
 * only packages with these `keys`. By default all are.
 */
export const intervalsIn = (
  records: Ranged[],
  organization: string,
  { scope, keys }: { scope?: string; keys?: string[] } = {},
): Interval[] =>
  records.flatMap(({ uid, ranges }, record) =>
    ranges
      .filter(({ packageKey }) => !keys || keys.includes(packageKey))
      .flatMap((range) =>
        intervalsOf(range).map((part) => ({
          record,
          key: range.packageKey,
          organization,
          scope: scope ?? uid.slice(0, -17),
          ...part,
        })),
      ),
  );
