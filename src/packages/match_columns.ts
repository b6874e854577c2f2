/** The columns by which a package of an SBOM is compared with the ranges of records (`affected_ranges.ts`). */
import { type PackageParts, type PurlPackage, partsKey } from "./purls.ts";
import { type OperatingSystem, releaseOf } from "./releases.ts";
import { maxVersionLength, versionOrderOf, versionSortKey } from "./version_order.ts";

/** The name and version of the source that a package of a distribution was built from. */
export interface SourcePackage {
  name: string;
  /** Empty if it is that of the package. */
  version: string;
}

/** The place of a package among the ranges. All are '' for a package without a package URL. */
export interface MatchColumns {
  /** The package URL that records name, without version and qualifiers. It is that of the source where records name sources. */
  matchKey: string;
  /** The release of its distribution, such as `debian-12`. '' for libraries and rolling distributions, `?` if unknown. */
  release: string;
  /** The order of `matchSortKey`. '' if the order of the type is not known, or does not know the version. */
  matchOrder: string;
  /** The sort key of the version. The version itself without an order, and '' if there is none or it is too long. */
  matchSortKey: string;
}

/** The distributions whose records name binary packages. The records of all others name sources. */
const namesBinaries = [
  "redhat",
  "almalinux",
  "centos",
  "fedora",
  "amzn",
  "oraclelinux",
  "photon",
  "azurelinux",
];

/** The package managers that build several packages from one source. */
const builtFromSources = ["apk", "deb", "rpm"];

/**
 * The columns of a package. `version` is that of the package, which counts if the package URL has none. `source` is what
 * the SBOM says about its source apart from the package URL.
 */
export function matchColumns(
  purl: PurlPackage,
  version: string,
  source?: SourcePackage,
  operatingSystem?: OperatingSystem,
): MatchColumns {
  const { purlType } = purl;
  const { namespace, release } = releaseOf(purl, operatingSystem);
  const own = { name: purl.bareName, version: wholeVersion(purl, version) };
  const isBuilt = builtFromSources.includes(purlType) && !namesBinaries.includes(namespace);
  const named = isBuilt ? namedSource(purl, own, source) : own;
  return {
    matchKey: matchKeyOf({ type: purlType, namespace, name: named.name }),
    release,
    ...placeOf(purlType, named.version),
  };
}

/** The key of a package in the spelling that package URLs and records share. */
export function matchKeyOf(parts: PackageParts): string {
  const key = partsKey(parts);
  // NuGet ignores case, and so do the package URLs of Go.
  return ["nuget", "golang"].includes(parts.type) ? key.toLowerCase() : key;
}

function placeOf(
  purlType: string,
  version: string,
): Pick<MatchColumns, "matchOrder" | "matchSortKey"> {
  const order = versionOrderOf(purlType);
  const key = order && versionSortKey(order, version);
  if (order && key !== undefined) return { matchOrder: order, matchSortKey: key };
  return { matchOrder: "", matchSortKey: version.length > maxVersionLength ? "" : version };
}

/**
 * The version of a package with its epoch. Package URLs of RPM have the epoch in a qualifier, and some scanners write
 * those of Debian like that. `version` counts if the package URL has none.
 */
export function wholeVersion(
  { purlType, version: own, qualifiers }: PurlPackage,
  version: string,
): string {
  const { epoch = "" } = qualifiers;
  const text = own || version;
  const hasEpoch = /^\d+$/.test(epoch) && ["rpm", "deb"].includes(purlType);
  return hasEpoch && text !== "" && !text.includes(":") ? `${epoch}:${text}` : text;
}

/** The source of a package, which is the package itself unless something names another. */
function namedSource(
  { purlType, qualifiers }: PurlPackage,
  own: SourcePackage,
  given: SourcePackage | undefined,
): SourcePackage {
  const { upstream, origin, sourcerpm, source: name, sourceversion } = qualifiers;
  const said =
    upstream || origin || sourcerpm || (name && [name, sourceversion].filter(Boolean).join("@"));
  const source = said ? parseSource(said) : given;
  if (!source || source.name === "") return own;
  // The file name of a source RPM has no epoch. It is that of the package.
  const [, epoch] = purlType === "rpm" ? (/^(\d+:)/.exec(own.version) ?? []) : [];
  const isWithout = source.version !== "" && epoch !== undefined && !source.version.includes(":");
  const version = isWithout ? `${epoch}${source.version}` : source.version || own.version;
  return { name: source.name, version };
}

/** `gcc-12@12.2.0-14`, `openssl`, or the file name of a source RPM: `bash-5.2.15-9.el9.src.rpm`. */
function parseSource(text: string): SourcePackage {
  const rpm = /^(.+)-([^-]+-[^-]+)\.(?:no)?src\.rpm$/.exec(text);
  const [, name = text, version = ""] = rpm ?? /^([^@]+)@(.+)$/.exec(text) ?? [];
  return { name, version };
}
