import { invalidArgument } from "../../aip/errors.ts";
import { quoted } from "../../aip/quoted.ts";

/**
 * The package that a filter names: its key in the index, its version, and the type in its package URL. An empty
 * version stands for all. Undefined for an empty text. Throws INVALID_ARGUMENT for `purl`.
 */
export async function readPackageFilter(purl: string) {
  if (purl === "") return undefined;
  const { isDetailed, packageKey, readPurl } = await import("../../packages/purls.ts");
  const read = readPurl(purl);
  if (!read || isDetailed(purl)) {
    const text = "without qualifiers and subpath, such as pkg:npm/lodash@4.17.20";
    throw invalidArgument("purl", `purl must be a package URL ${text}; you sent ${quoted(purl)}`);
  }
  return { key: packageKey(read.purl), version: read.version, type: read.purlType };
}
