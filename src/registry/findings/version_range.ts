/** The filter on a range of versions. Each ecosystem has its own order. */
import { and, eq, gte, lt, or, type SQL } from "drizzle-orm";
import { sbomPackages } from "../../../schema/tables/registry/sbom_packages.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { quoted } from "../../aip/quoted.ts";
import {
  type VersionOrder,
  versionOrderOf,
  versionOrders,
  versionSortKey,
} from "../../packages/version_order.ts";
import { readVersionRange, toKeyIntervals } from "../../packages/version_ranges.ts";

/** The bounds of a range: the first version, and the first one after it. An empty text stands for no bound. */
export interface VersionBounds {
  from: string;
  below: string;
}

/** A range in SQL. */
export interface VersionRange {
  condition: SQL | undefined;
  /** Whether a row has a version that cannot be compared with the bounds. */
  isUnordered: (row: { versionOrder: string; sortKey: string }) => boolean;
}

/** The most comparisons of a range. */
const maxComparisons = 20;

/**
 * The range of comparisons such as `>=1.0 <1.2`, or of a text in the notation of VERS. Rows that cannot be compared are
 * in it. Throws INVALID_ARGUMENT for another text, and for a type without an order.
 */
export function comparedRange(versions: string, purlType: string): VersionRange {
  const text = versions.trim();
  const constraints = /^vers:/i.test(text)
    ? text
    : `vers:${purlType}/${text
        .replace(/([<>=!])\s+/g, "$1")
        .split(/[\s,]+/)
        .filter(Boolean)
        .map(escaped)
        .join("|")}`;
  if (constraints.split("|").length > maxComparisons) {
    const reason = `purl must have at most ${maxComparisons} comparisons`;
    throw invalidArgument("purl", reason);
  }
  const order = versionOrderOf(purlType);
  if (!order) {
    const reason = `purl cannot have a range, because the order of ${quoted(purlType)} is not known`;
    throw invalidArgument("purl", reason);
  }
  const range = readVersionRange(constraints, purlType);
  // Other tools read these signs as ranges, and some ecosystems as a part of a version.
  const isRead =
    constraints === text ||
    (!/(?:^|[\s,])[~^*]/.test(text) && range && isOneInterval(range.constraints));
  if (!range || !isRead) {
    const reason = `purl must have a range of versions of the ecosystem, such as >=1.0 <1.2; you sent ${quoted(versions)}`;
    throw invalidArgument("purl", reason);
  }
  const intervals = toKeyIntervals(range);
  const isIn = or(
    ...intervals.map(({ from, below }) =>
      and(
        gte(sbomPackages.sortKey, from),
        below === "" ? undefined : lt(sbomPackages.sortKey, below),
      ),
    ),
  );
  return {
    condition: or(
      eq(sbomPackages.sortKey, ""),
      isIn && and(eq(sbomPackages.versionOrder, order), isIn),
    ),
    isUnordered: ({ sortKey }) => sortKey === "",
  };
}

/** Whether comparisons that must all be true leave one interval. VERS also reads them as several. */
function isOneInterval(constraints: { comparator: string }[]): boolean {
  const bounds = constraints.filter(({ comparator }) => /[<>]/.test(comparator));
  const exact = constraints.filter(({ comparator }) => comparator === "=");
  if (exact.length > 0) return constraints.length === 1;
  return (
    bounds.length < 2 || (bounds.length === 2 && bounds[0]?.comparator.startsWith(">") === true)
  );
}

/** A comparison in the notation of VERS, which escapes versions as a URL does. */
function escaped(comparison: string): string {
  const [, comparator = "", version = ""] = /^([<>=!]*)(.*)$/s.exec(comparison) ?? [];
  return `${comparator === "==" ? "=" : comparator}${encodeURIComponent(version)}`;
}

/**
 * The range between two bounds. Rows that cannot be compared are in it. Throws INVALID_ARGUMENT for a bound
 * that no order knows, or that the order of `purlType` does not know. An empty type stands for any.
 */
export function versionRange(bounds: VersionBounds, purlType: string): VersionRange {
  const own = versionOrderOf(purlType);
  const possible = purlType === "" ? versionOrders : own ? [own] : [];
  const readable = possible.filter((order) =>
    (["from", "below"] as const).every(
      (field) => bounds[field] === "" || versionSortKey(order, bounds[field]) !== undefined,
    ),
  );
  if (possible.length > 0 && readable.length === 0) throw unreadable(bounds, possible);
  const isReadable = (order: string) => readable.some((readableOrder) => readableOrder === order);
  const unordered = [
    eq(sbomPackages.sortKey, ""),
    ...possible
      .filter((order) => !isReadable(order))
      .map((order) => eq(sbomPackages.versionOrder, order)),
  ];
  return {
    condition: or(...unordered, ...readable.map((order) => inRange(order, bounds))),
    isUnordered: ({ versionOrder, sortKey }) => sortKey === "" || !isReadable(versionOrder),
  };
}

function unreadable(bounds: VersionBounds, orders: VersionOrder[]) {
  const isBad = (version: string) =>
    version !== "" && orders.every((order) => versionSortKey(order, version) === undefined);
  const field = isBad(bounds.from) ? "from" : "below";
  const text = `${field} must be a version of the ecosystem; you sent ${quoted(bounds[field])}`;
  return invalidArgument(field, text);
}

function inRange(order: VersionOrder, { from, below }: VersionBounds): SQL | undefined {
  const first = from === "" ? undefined : versionSortKey(order, from);
  const end = below === "" ? undefined : versionSortKey(order, below);
  return and(
    eq(sbomPackages.versionOrder, order),
    first === undefined ? undefined : gte(sbomPackages.sortKey, first),
    end === undefined ? undefined : lt(sbomPackages.sortKey, end),
  );
}
