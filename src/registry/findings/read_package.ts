import { packageKey, readPurl } from "../../packages/purls.ts";
import { versionOrderOf, versionSortKey } from "../../packages/version_order.ts";
import type { SbomPackage } from "../sboms/sbom.ts";

type NamedPackage = Pick<SbomPackage, "name" | "version" | "purl">;

/** The columns of a package: its name, its version and the place of the version. */
export function readPackage({ name, version, purl }: NamedPackage) {
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
    };
  }
  const order = versionOrderOf(read.purlType);
  const own = read.version || version;
  const key = order && versionSortKey(order, withEpoch(own, purl));
  return {
    name: read.bareName,
    namespace: read.namespace,
    version: own,
    type: read.purlType,
    purl: read.purl,
    packageKey: packageKey(read.purl),
    versionOrder: order ?? "",
    sortKey: key ?? "",
  };
}

/** The package URL of an RPM package has its epoch in a qualifier. */
function withEpoch(version: string, purl: string): string {
  const [, epoch] = /^pkg:rpm\/.*[?&]epoch=(\d+)/.exec(purl) ?? [];
  return epoch === undefined || version.includes(":") ? version : `${epoch}:${version}`;
}
