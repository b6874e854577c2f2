/** The ranges of versions that an OSV record or a product of a CSAF document names, as packages are compared with them. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import {
  after,
  endAt,
  intervalsBetween,
  type KeyEvent,
  type KeyInterval,
  only,
  outside,
} from "./key_intervals.ts";
import { matchKeyOf } from "./match_columns.ts";
import { canonicalName } from "./names.ts";
import { packageParts, readPurl } from "./purls.ts";
import { releaseOf, releaseOfCpe, releaseOfEcosystem, unknownRelease } from "./releases.ts";
import {
  maxVersionLength,
  type VersionOrder,
  versionOrderOf,
  versionSortKey,
} from "./version_order.ts";
import { readVersionRange, toKeyIntervals } from "./version_ranges.ts";

/** Versions of one package that are affected. */
export interface AffectedRange extends KeyInterval {
  /** Equal to `matchKey` of the package. */
  packageKey: string;
  /** Equal to `release` of the package. `?` for a package of a distribution whose release the record does not name. */
  release: string;
  /**
   * The order of `from` and `below`. '' for one version without an order: `from` is its text. `*` for all versions. `?`
   * for a range that cannot be read, so that each version may be affected.
   */
  order: VersionOrder | "" | "*" | "?";
}

/** The most single versions of one package. More become a range that cannot be read. */
const maxVersions = 1_000;

/** The most events of one range. More become a range that cannot be read. */
const maxEvents = 2_000;

/** The most ranges of one record. With more, each of its packages has a range that cannot be read. */
const maxRanges = 5_000;

type Subject = Pick<AffectedRange, "packageKey" | "release">;

/** The ranges of an OSV record, each once. Members of another form are left out. A withdrawn record has none. */
export function affectedRanges({ affected, withdrawn }: JsonObject): AffectedRange[] {
  if (withdrawn !== undefined && withdrawn !== null) return [];
  const ranges = distinct(objects(affected).flatMap(rangesOfEntry));
  if (ranges.length <= maxRanges) return ranges;
  return distinct(ranges.map((range) => ({ ...range, ...unreadable })));
}

function distinct(ranges: AffectedRange[]): AffectedRange[] {
  const keyOf = (range: AffectedRange) =>
    [range.packageKey, range.release, range.order, range.from, range.below].join("\n");
  return [...new Map(ranges.map((range) => [keyOf(range), range])).values()];
}

/** The ranges of one member of `affected`. */
function rangesOfEntry(entry: JsonObject): AffectedRange[] {
  const subject = subjectOf(entry.package);
  if (!subject) return [];
  const { order, ...names } = subject;
  const ranges = objects(entry.ranges)
    .filter(({ type }) => type !== "GIT")
    .flatMap((range) => rangesOfEvents(range, order));
  const versions = texts(entry.versions);
  return [...ranges, ...singleVersions(versions, order, ranges)].map((range) => ({
    ...names,
    ...range,
  }));
}

/** The package of an entry and its order. Undefined if no package of an SBOM can be the package. */
function subjectOf(
  of: JsonValue | undefined,
): (Subject & { order: VersionOrder | undefined }) | undefined {
  if (typeof of !== "object" || of === null || Array.isArray(of)) return undefined;
  const { ecosystem, name, purl } = of;
  if (typeof ecosystem !== "string" || typeof name !== "string" || name === "") return undefined;
  const own = packageParts({ type: ecosystem, name: spelledName(ecosystem, name) });
  const read = own.type === "generic" && typeof purl === "string" ? readPurl(purl) : undefined;
  const parts = read
    ? { type: read.purlType, namespace: read.namespace, name: read.bareName }
    : own;
  if (parts.type === "generic") return undefined;
  const release = read ? releaseOf(read).release : releaseOfEcosystem(ecosystem);
  return { packageKey: matchKeyOf(parts), release, order: versionOrderOf(parts.type) };
}

/** A name as package URLs spell it. */
function spelledName(ecosystem: string, name: string): string {
  if (ecosystem === "SwiftURL") return name.replace(/^https?:\/\//, "").replace(/\.git$/, "");
  return ecosystem === "PyPI" ? canonicalName("python", name) : name;
}

type Versions = Omit<AffectedRange, keyof Subject>;

const unreadable: Versions = { order: "?", from: "", below: "", fixed: "" };
const allVersions: Versions = { order: "*", from: "", below: "", fixed: "" };

/** The intervals of a range. One that covers all versions needs no order. */
const toVersions = (order: VersionOrder, intervals: KeyInterval[]): Versions[] =>
  intervals.map((interval) =>
    interval.from === "" && interval.below === "" ? allVersions : { order, ...interval },
  );

/** A range of OSV: its events in any sequence, up to the greatest limit. */
function rangesOfEvents({ events }: JsonObject, order: VersionOrder | undefined): Versions[] {
  const list = objects(events).flatMap((event) => Object.entries(event));
  const read = list.length > maxEvents ? undefined : readEvents(list, order);
  if (!read) return [unreadable];
  const intervals = intervalsBetween(read.events).flatMap(
    (interval) => endAt(interval, read.limit) ?? [],
  );
  return order ? toVersions(order, intervals) : intervals.map(() => allVersions);
}

/** The events and the greatest limit. Undefined if one of them cannot be read. */
function readEvents(list: [string, JsonValue][], order: VersionOrder | undefined) {
  const events: KeyEvent[] = [];
  const limits: string[] = [];
  const isUnlimited = list.some(([kind, version]) => kind === "limit" && version === "*");
  for (const [kind, version] of list) {
    if (kind === "limit" && version === "*") continue;
    const key = typeof version === "string" ? keyOf(version, order) : undefined;
    const isEvent = ["introduced", "fixed", "last_affected", "limit"].includes(kind);
    if (key === undefined || !isEvent) return undefined;
    if (kind === "limit") limits.push(key);
    else
      events.push({
        key: kind === "last_affected" ? after(key) : key,
        isBeginning: kind === "introduced",
        fixed: kind === "fixed" ? String(version) : "",
      });
  }
  return { events, limit: isUnlimited ? undefined : limits.sort().at(-1) };
}

/** The version 0 comes before all others (OSV schema, `affected[].ranges[].events`). */
function keyOf(version: string, order: VersionOrder | undefined): string | undefined {
  if (version === "0") return "";
  return order && versionSortKey(order, version);
}

/** The versions that are in none of the ranges. */
function singleVersions(
  versions: string[],
  order: VersionOrder | undefined,
  ranges: Versions[],
): Versions[] {
  if (ranges.some((range) => range.order === "*")) return [];
  const keys = new Set<string>();
  const words = new Set<string>();
  for (const version of versions) {
    const key = order && versionSortKey(order, version);
    if (key !== undefined) keys.add(key);
    else if (version !== "" && version.length <= maxVersionLength) words.add(version);
  }
  const readable = ranges.filter((range) => range.order === order);
  const singles: Versions[] = [
    ...(order ? outside([...keys], readable).map((key) => ({ order, ...only(key) })) : []),
    ...[...words].map((from): Versions => ({ order: "", from, below: "", fixed: "" })),
  ];
  return singles.length > maxVersions ? [unreadable] : singles;
}

/** A product of a CSAF document that has a package URL. */
export interface AffectedProduct {
  purl: string;
  /** The version, if the package URL has none. */
  version: string;
  /** A range in `vers` notation or in words. Empty if there is none. */
  range: string;
  /** The CPE name of the product that the package is a part of. Empty if there is none. */
  platform: string;
  /** The member of `product_status` that names the product. */
  list: string;
}

/**
 * The ranges of a product. Without a version and a range, all versions are affected. If the package of a distribution is
 * fixed in a version, the versions before are affected: vendors name no others.
 */
export function affectedRangesOfProduct(product: AffectedProduct): AffectedRange[] {
  const read = readPurl(product.purl);
  if (!read || read.artifactType === "image") return [];
  const { purlType, bareName: name, qualifiers } = read;
  const own = releaseOf(read);
  const isWithout = own.release === unknownRelease && qualifiers.distro === undefined;
  const release = isWithout ? releaseOfCpe(product.platform) : own.release;
  const packageKey = matchKeyOf({ type: purlType, namespace: own.namespace, name });
  const version = read.version || product.version;
  const range = qualifiers.vers || product.range;
  return versionsOfProduct({ ...product, version, range }, purlType, own.release !== "").map(
    (versions) => ({ packageKey, release, ...versions }),
  );
}

function versionsOfProduct(
  { version, range, list }: AffectedProduct,
  purlType: string,
  isDistribution: boolean,
): Versions[] {
  const order = versionOrderOf(purlType);
  if (["known_affected", "first_affected", "last_affected"].includes(list)) {
    if (range !== "") {
      const readRange = readVersionRange(range, purlType);
      return readRange ? toVersions(readRange.order, toKeyIntervals(readRange)) : [unreadable];
    }
    return version === "" ? [allVersions] : singleVersions([version], order, []);
  }
  if (!["fixed", "first_fixed"].includes(list) || !isDistribution) return [];
  const key = order && version !== "" ? versionSortKey(order, version) : undefined;
  return order && key !== undefined ? [{ order, from: "", below: key, fixed: version }] : [];
}

const objects = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value)
    ? value.filter(
        (item): item is JsonObject =>
          typeof item === "object" && item !== null && !Array.isArray(item),
      )
    : [];

const texts = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
