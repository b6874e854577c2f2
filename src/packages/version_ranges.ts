/** Version ranges in the `vers` notation of package-url (VERS specification): `vers:deb/>=1.0|<2.0`. */
import { after, intervalsBetween, type KeyInterval, only } from "./key_intervals.ts";
import { type VersionOrder, versionOrderOf, versionSortKey } from "./version_order.ts";

const comparators = ["!=", "<=", ">=", "<", ">", "="] as const;
type Comparator = (typeof comparators)[number];

interface Constraint {
  comparator: Comparator;
  version: string;
  key: string;
}

/** A range whose versions have a known order. No constraints stand for all versions. */
export interface VersionRange {
  constraints: Constraint[];
  order: VersionOrder;
}

/** A part of a range without a gap: from `introduced`, to before `fixed` or including `lastAffected`. */
export interface VersionInterval {
  introduced: string;
  fixed?: string;
  lastAffected?: string;
}

/** The versioning schemes of VERS with another name than the purl type. */
const schemes = new Map([
  ["alpine", "apk"],
  ["cargo", "cargo"],
  ["debian", "deb"],
]);

/**
 * Reads a range of a package of that purl type. Undefined if the text is not a range in `vers` notation, names
 * another versioning scheme, or has a version that the order of the type does not know.
 */
export function readVersionRange(text: string, purlType: string): VersionRange | undefined {
  const [, scheme = "", rest = ""] = /^vers:([a-z][a-z0-9.-]*)\/(.+)$/i.exec(text.trim()) ?? [];
  const order = versionOrderOf(purlType);
  const named = scheme.toLowerCase();
  const isOwn = named === order || (schemes.get(named) ?? named) === purlType;
  if (!order || !isOwn) return undefined;
  const parts = rest.replace(/\s+/g, "").replace(/^\|+|\|+$/g, "");
  if (parts === "*") return { constraints: [], order };
  const constraints: Constraint[] = [];
  for (const part of parts.split(/\|+/)) {
    const read = readConstraint(part, order);
    if (!read) return undefined;
    constraints.push(read);
  }
  constraints.sort((a, b) => (a.key < b.key ? -1 : 1));
  return areInOrder(constraints) ? { constraints, order } : undefined;
}

function readConstraint(text: string, order: VersionOrder): Constraint | undefined {
  const comparator = comparators.find((prefix) => text.startsWith(prefix));
  let version: string;
  try {
    version = decodeURIComponent(text.slice(comparator?.length ?? 0));
  } catch {
    return undefined;
  }
  const key = versionSortKey(order, version);
  return key === undefined ? undefined : { comparator: comparator ?? "=", version, key };
}

/** Each version is named once, and bounds alternate: two in the same direction would leave a gap open. */
function areInOrder(constraints: Constraint[]): boolean {
  if (constraints.some(({ key }, index) => key === constraints[index - 1]?.key)) return false;
  const bounds = constraints.filter(({ comparator }) => /[<>]/.test(comparator));
  return bounds.every(({ comparator }, index) => {
    const before = bounds[index - 1];
    return before === undefined || isLower(before.comparator) !== isLower(comparator);
  });
}

const isLower = (comparator: Comparator) => comparator.startsWith(">");

/** Whether the version is in the range. Undefined if the order does not know the version. */
export function contains(
  { constraints, order }: VersionRange,
  version: string,
): boolean | undefined {
  const key = versionSortKey(order, version);
  if (key === undefined) return undefined;
  const own = constraints.find((constraint) => constraint.key === key);
  if (own) return own.comparator.endsWith("=") && own.comparator !== "!=";
  const bounds = constraints.filter(({ comparator }) => /[<>]/.test(comparator));
  const below = bounds.findLast((constraint) => constraint.key < key);
  const above = bounds.find((constraint) => constraint.key > key);
  if (below) return isLower(below.comparator);
  if (above) return !isLower(above.comparator);
  // Without bounds, only single versions are in the range, or all but some.
  return constraints.every(({ comparator }) => comparator === "!=");
}

/**
 * The range as the intervals of OSV. Undefined if OSV cannot say it: a version that is left out, or a lower
 * bound that does not belong to the range.
 */
export function toIntervals({ constraints }: VersionRange): VersionInterval[] | undefined {
  if (constraints.length === 0) return [{ introduced: "0" }];
  const intervals = constraints.map((constraint, index) =>
    intervalAt(constraints, constraint, index),
  );
  const isSayable = intervals.every((interval) => interval !== undefined);
  return isSayable ? intervals.flat() : undefined;
}

/** The intervals that end at a constraint: none where one begins, unless nothing ends it. */
function intervalAt(
  constraints: Constraint[],
  { comparator, version }: Constraint,
  index: number,
): VersionInterval[] | undefined {
  const before = constraints[index - 1];
  const isOpen = before?.comparator === ">=";
  switch (comparator) {
    case ">=":
      return index === constraints.length - 1 ? [{ introduced: version }] : [];
    case "=":
      return isOpen ? undefined : [{ introduced: version, lastAffected: version }];
    case "<":
    case "<=": {
      // An end without a beginning belongs to all versions before it.
      if (before && !isOpen) return undefined;
      const introduced = before?.version ?? "0";
      const end = comparator === "<" ? { fixed: version } : { lastAffected: version };
      return [{ introduced, ...end }];
    }
    default:
      return undefined;
  }
}

/** The range as intervals of sort keys. */
export function toKeyIntervals({ constraints }: VersionRange): KeyInterval[] {
  const isExcluded = ({ comparator }: Constraint) => comparator === "!=";
  const bounds = constraints.filter(({ comparator }) => /[<>]/.test(comparator));
  const isAll = constraints.every(isExcluded);
  const beginning = { key: "", isBeginning: true, fixed: "" };
  const [first] = bounds;
  const events = bounds.map(({ comparator, version, key }) => ({
    key: comparator === ">" || comparator === "<=" ? after(key) : key,
    isBeginning: isLower(comparator),
    fixed: comparator === "<" ? version : "",
  }));
  const opensBefore = isAll || (first !== undefined && !isLower(first.comparator));
  const intervals = intervalsBetween(opensBefore ? [beginning, ...events] : events);
  const whole = constraints.filter(isExcluded).reduce(without, intervals);
  const singles = constraints
    .filter(({ comparator }) => comparator === "=")
    .map(({ key }) => only(key));
  return [...whole, ...singles];
}

/** The intervals without one version. */
const without = (intervals: KeyInterval[], { key }: Constraint): KeyInterval[] =>
  intervals.flatMap((interval) => {
    const { from, below } = interval;
    if (key < from || (below !== "" && key >= below)) return [interval];
    const rest = { ...interval, from: after(key) };
    return [
      ...(from < key ? [{ from, below: key, fixed: "" }] : []),
      ...(below === "" || rest.from < below ? [rest] : []),
    ];
  });
