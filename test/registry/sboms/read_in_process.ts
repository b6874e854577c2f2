/** Reads a gzipped SBOM from standard input, and prints the result. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { packagesOf } from "../../../src/registry/sboms/packages.ts";
import { readSbom } from "../../../src/registry/sboms/read_sbom.ts";

try {
  const sbom = readSbom(gunzipSync(readFileSync(0)));
  console.log(`ok ${sbom.nodes.length} ${sbom.edges.length} ${(await packagesOf(sbom)).length}`);
} catch (error) {
  console.log(String(error).slice(0, 300));
}
