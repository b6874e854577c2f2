import { matchColumns, wholeVersion } from "../../packages/match_columns.ts";
import { packageKey, readPurl } from "../../packages/purls.ts";
import type { OperatingSystem } from "../../packages/releases.ts";
import { versionOrderOf, versionSortKey } from "../../packages/version_order.ts";
import type { SbomPackage } from "../sboms/sbom.ts";

type NamedPackage = Pick<SbomPackage, "name" | "version" | "purl" | "source">;

/** The columns of a package: its name, its version and the place of the version, and what records are matched by. */
export function readPackage(
  { name, version, purl, source }: NamedPackage,
  operatingSystem?: OperatingSystem,
) {
  const read = purl === "" ? undefined : readPurl(purl);
  if (!read) {
    return {
      name,
      namespace: "",
      version,
      type: "",
      purl,
      packageKey: "",
      versionOrder: "",
      sortKey: "",
      matchKey: "",
      release: "",
      matchOrder: "",
      matchSortKey: "",
    };
  }
  const order = versionOrderOf(read.purlType);
  const own = read.version || version;
  const key = order && versionSortKey(order, wholeVersion(read, version));
  return {
    name: read.bareName,
    namespace: read.namespace,
    version: own,
    type: read.purlType,
    purl: read.purl,
    packageKey: packageKey(read.purl),
    versionOrder: order ?? "",
    sortKey: key ?? "",
    ...matchColumns(read, version, source, operatingSystem),
  };
}
