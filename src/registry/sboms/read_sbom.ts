/** Reads an SBOM of either format from the bytes of its document. */
import type { JsonValue } from "@bufbuild/protobuf";
import { invalidArgument } from "../../aip/errors.ts";
import { readJson } from "../../aip/text.ts";
import { toWellFormed } from "../../aip/well_formed.ts";
import { readCycloneDx } from "./cyclonedx.ts";
import { invalidContent, type JsonNode, rootNode } from "./json_node.ts";
import { hasMoreValues } from "./json_size.ts";
import type { Sbom } from "./sbom.ts";
import { readSpdx } from "./spdx.ts";
import { readSpdx3, spdx3Version } from "./spdx3.ts";

/**
 * Reads SPDX 2, SPDX 3 or CycloneDX. The document itself says which one it is. Throws INVALID_ARGUMENT for `content`
 * if it is none of them, and for the place that is unreadable.
 */
export function readSbom(bytes: Uint8Array): Sbom {
  if (hasMoreValues(bytes, maxValues))
    throw invalidContent("", `must have at most ${maxValues} values`);
  const sbom = sbomOf(readJson(bytes, invalidContentAt));
  const packages = sbom.nodes.filter(({ kind }) => kind === "package").length;
  if (packages > maxPackagesOf(bytes))
    throw invalidContent("", `has ${packages} packages, which are too many for its size`);
  return sbom;
}

/**
 * The most packages of a document. Scanners write several hundred bytes about each, and the rows of one take up to a
 * thousand. A document of shorter packages would fill the database with many times its bytes.
 */
const maxPackagesOf = ({ byteLength }: Uint8Array) => 5_000 + byteLength / 100;

/** Reads a stored document. Text that older checks accepted is made well-formed. */
export const readStoredSbom = (bytes: Uint8Array): Sbom =>
  sbomOf(toWellFormed(JSON.parse(new TextDecoder().decode(bytes))));

function sbomOf(json: JsonValue): Sbom {
  const document = rootNode(json);
  if (document.object.spdxVersion !== undefined) return readSpdx(document);
  if (document.object.bomFormat === "CycloneDX") return readCycloneDx(document);
  const version = spdx3Version(document.object);
  if (version !== undefined) return readSpdx3(document, version);
  throw invalidArgument("content", `content ${describeKind(document)}`);
}

/** The most values in a document. Scanners write about one in forty bytes. */
const maxValues = 300_000;

const invalidContentAt = (path: string, what: string) =>
  path === "" ? invalidArgument("content", `content ${what}`) : invalidContent(path, what);

/** Formats that people send by mistake. */
function describeKind({ object }: JsonNode): string {
  if (object.predicateType !== undefined) {
    return "is an in-toto statement; send only its predicate";
  }
  if (object.payloadType !== undefined) {
    return "is a signed envelope; send only the predicate of its payload";
  }
  return "must be SPDX (with spdxVersion, or the @context of SPDX 3) or CycloneDX (with bomFormat) in JSON";
}
