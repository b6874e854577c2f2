/** The parts of the index `sbom_packages_by_match` that hold the packages which the ranges of a record can be about. */
import { after } from "../packages/key_intervals.ts";
import { unknownRelease } from "../packages/releases.ts";
import { orders, type Range } from "./verdicts.ts";

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

type Part = Pick<Interval, "low" | "high">;

/** The parts for one range. A package whose version or release is not known can be in any range of its package. */
export function intervalsOf({ release, versionOrder, from, below }: Range): Part[] {
  const ofRelease = (one: string): Part => ({ low: [one, "", "", ""], high: [one, last, "", ""] });
  if (release === unknownRelease) return [{ low: ["", "", "", ""], high: [last, "", "", ""] }];
  const elsewhere = release === "" ? [] : [ofRelease(unknownRelease)];
  if (versionOrder === orders.all || versionOrder === orders.unreadable)
    return [ofRelease(release), ...elsewhere];
  const isText = versionOrder === orders.ofOneText;
  const end = isText ? after(from) : below || last;
  const unordered: Part = { low: [release, "", "", ""], high: [release, "", last, ""] };
  return [
    { low: [release, versionOrder, from, ""], high: [release, versionOrder, end, ""] },
    ...(isText
      ? [{ ...unordered, high: [release, "", after(""), ""] } satisfies Part]
      : [unordered]),
    ...elsewhere,
  ];
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
