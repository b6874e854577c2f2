/** An SBOM of either format, from the bytes of its document. */
import type { JsonValue } from "@bufbuild/protobuf";
import { invalidArgument } from "../../aip/errors.ts";
import { readCycloneDx } from "./cyclonedx.ts";
import { hasMoreValues } from "./json_size.ts";
import { bad, type Place, wholeOf } from "./place.ts";
import type { Sbom } from "./sbom.ts";
import { readSpdx } from "./spdx.ts";

/**
 * Reads SPDX 2 or CycloneDX, which the document itself tells. Throws INVALID_ARGUMENT naming
 * `content` where it is neither, and the place in it that cannot be read.
 */
export function readSbom(bytes: Uint8Array): Sbom {
  const document = wholeOf(jsonOf(bytes));
  if (document.object.spdxVersion !== undefined) return readSpdx(document);
  if (document.object.bomFormat === "CycloneDX") return readCycloneDx(document);
  throw invalidArgument("content", `content is ${kindOf(document)}`);
}

/** Most values in a document. Those of scanners have one in forty bytes. */
const mostValues = 300_000;

function jsonOf(bytes: Uint8Array): JsonValue {
  if (hasMoreValues(bytes, mostValues)) throw bad("", `has more than ${mostValues} values`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw invalidArgument("content", "content is not UTF-8");
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message may quote the text around the mistake, of whatever length.
    const why = (error as Error).message.slice(0, 200);
    throw invalidArgument("content", `content is not JSON: ${why}`);
  }
}

/** What people send by mistake. */
function kindOf({ object }: Place): string {
  const contexts = [object["@context"] ?? ""].flat();
  if (contexts.some((one) => typeof one === "string" && one.includes("spdx.org/rdf/3"))) {
    return "SPDX 3; SPDX 2 and CycloneDX are taken";
  }
  if (object.predicateType !== undefined) {
    return "an in-toto statement; send its predicate alone";
  }
  if (object.payloadType !== undefined) {
    return "a signed envelope; send the predicate of its payload alone";
  }
  return "neither SPDX (spdxVersion) nor CycloneDX (bomFormat) in JSON";
}
