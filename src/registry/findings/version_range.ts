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
