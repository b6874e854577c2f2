/**
 * Documents about an image in a manifest that refers to it: SBOMs, VEX and vulnerability reports. A document
 * can be alone, or in an in-toto statement, which can be in a DSSE envelope or a Sigstore bundle.
 */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { fromBase64 } from "../../aip/base64.ts";
import { isObject } from "../../aip/json.ts";
import { spdx3Version } from "../../registry/sboms/spdx3.ts";
import { isDigest } from "../digest.ts";

/** The kinds of documents that the platform reads. */
export type AttachmentKind = "sbom" | "vex" | "vulnReport";

/** A document about the image with the digest `about`. */
export interface Attachment {
  kind: AttachmentKind;
  about: string;
  document: JsonObject;
}

/** Predicate types (in-toto attestation framework) by the kind of their predicate. */
const predicateKinds: [RegExp, AttachmentKind][] = [
  [/^https:\/\/spdx\.dev\/Document/, "sbom"],
  [/^https:\/\/cyclonedx\.org\/bom/, "sbom"],
  [/^https:\/\/openvex\.dev\/ns/, "vex"],
  [/^https:\/\/cosign\.sigstore\.dev\/attestation\/vuln\//, "vulnReport"],
];

/**
 * Finds the document in the JSON of a layer. `about` is the digest of the image. Without it, as in attestations
 * of BuildKit, only the subject of a statement says it. Undefined for another kind of document, such as a
 * signature. Throws an Error, whose message says why, if an envelope or a statement is damaged, or if a
 * statement is not about the digest.
 */
export function findAttachment(json: JsonValue, about: string | undefined): Attachment | undefined {
  if (!isObject(json)) return undefined;
  const envelope = isObject(json.dsseEnvelope) ? json.dsseEnvelope : json;
  if (envelope.payloadType !== undefined) return findAttachment(openEnvelope(envelope), about);
  if (json.predicateType !== undefined) return openStatement(json, about);
  return about === undefined ? undefined : bareDocument(json, about);
}

function bareDocument(json: JsonObject, about: string): Attachment | undefined {
  const isSpdx = json.spdxVersion !== undefined || spdx3Version(json) !== undefined;
  if (isSpdx || json.bomFormat === "CycloneDX") return { kind: "sbom", about, document: json };
  const context = json["@context"];
  if (typeof context === "string" && context.startsWith("https://openvex.dev/ns")) {
    return { kind: "vex", about, document: json };
  }
  if (Array.isArray(json.matches) && isObject(json.descriptor)) {
    return { kind: "vulnReport", about, document: json };
  }
  return undefined;
}

/** The payload of a DSSE envelope. Its signatures are not checked: clients do that with keys of their own. */
function openEnvelope({ payload }: JsonObject): JsonValue {
  if (typeof payload !== "string") throw new Error("the envelope has no payload");
  try {
    return JSON.parse(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(fromBase64(payload)),
    );
  } catch {
    throw new Error("the payload of the envelope is not JSON in base64");
  }
}

function openStatement(
  { predicateType, predicate, subject }: JsonObject,
  about: string | undefined,
): Attachment | undefined {
  const [, kind] = predicateKinds.find(([type]) => type.test(String(predicateType))) ?? [];
  if (!kind) return undefined;
  const digests = (Array.isArray(subject) ? subject : []).flatMap((entry) =>
    isObject(entry) && isObject(entry.digest)
      ? Object.entries(entry.digest).map(([algorithm, hash]) => `${algorithm}:${hash}`)
      : [],
  );
  const named = about === undefined ? digests.find(isDigest) : about;
  if (named === undefined) throw new Error("the statement has no subject with a digest");
  if (!digests.includes(named)) throw new Error(`the statement is not about ${named}`);
  const document = documentOf(predicate);
  if (!document) throw new Error("the predicate of the statement must be a JSON object");
  return { kind, about: named, document };
}

/**
 * The document in a predicate. cosign writes some SBOMs as a text or below `Data`, and the report of a scanner
 * below `scanner.result`.
 */
function documentOf(predicate: JsonValue | undefined): JsonObject | undefined {
  if (typeof predicate === "string") {
    try {
      return documentOf(JSON.parse(predicate));
    } catch {
      return undefined;
    }
  }
  if (!isObject(predicate)) return undefined;
  if (predicate.Data !== undefined) return documentOf(predicate.Data);
  const { scanner } = predicate;
  return isObject(scanner) && isObject(scanner.result) ? scanner.result : predicate;
}
