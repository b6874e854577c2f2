/** Reads the packages of an image (ListManifestMetadata) from its SBOM. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { PackageURL } from "packageurl-js";
import type { PkgMetadataSchema } from "../../../schema/gen/platform/registry/manifests_pb.js";
import type { Sbom } from "./sbom.ts";

/** The package URL types of images. An SBOM also lists the image that it describes. */
const imageTypes = ["oci", "docker"];

type PackageMetadata = MessageInitShape<typeof PkgMetadataSchema>;

/** Every package with a package URL, once, in the order of the document. */
export async function packagesOf({ nodes }: Sbom): Promise<PackageMetadata[]> {
  // Imported here, because it would add milliseconds to the start of every registry Worker.
  const library = await import("packageurl-js");
  const packages = new Map<string, PackageMetadata>();
  for (const node of nodes) {
    if (node.kind !== "package" || node.purl === "" || packages.has(node.purl)) continue;
    if (imageTypes.some((type) => node.purl.startsWith(`pkg:${type}/`))) continue;
    const { purl, license, builtTime, supportEndTime } = node;
    packages.set(purl, {
      purl,
      originPurl: originOf(purl, library.PackageURL),
      license,
      ...(builtTime === undefined ? {} : { buildTimestamp: timestampFromMs(builtTime) }),
      ...(supportEndTime === undefined ? {} : { eolDate: timestampFromMs(supportEndTime) }),
    });
  }
  return [...packages.values()];
}

/**
 * The package URL of the source that a package was built from. Scanners put it into the qualifier `upstream`
 * or `origin`: a name, followed by `@` and a version if that differs. For rpm it is the file name of the
 * source package, such as `bash-5.2.15-9.el9.src.rpm`. `Purl` parses package URLs.
 */
export function originOf(purl: string, Purl: typeof PackageURL): string {
  // Most packages have neither, and parsing a package URL costs more than reading the rest of the package.
  if (!/[?&](upstream|origin)=/.test(purl)) return purl;
  let parsed: PackageURL;
  try {
    parsed = Purl.fromString(purl);
  } catch {
    return purl;
  }
  const { type, namespace, name, version, qualifiers } = parsed;
  const { upstream, origin, ...others } = qualifiers ?? {};
  const said = upstream || origin;
  if (!said) return purl;
  const source = readSource(String(said));
  if (source.name === name && (source.version ?? version) === version) return purl;
  return new Purl(
    type,
    namespace,
    source.name,
    source.version ?? version,
    others,
    undefined,
  ).toString();
}

function readSource(text: string): { name: string; version?: string } {
  const rpm = /^(.+)-([^-]+-[^-]+)\.(?:no)?src\.rpm$/.exec(text);
  const [, name, version] = rpm ?? /^(.+)@(.+)$/.exec(text) ?? [];
  return name && version ? { name, version } : { name: text };
}
