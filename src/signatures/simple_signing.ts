/**
 * Reads signatures of cosign in its own form. A layer is the payload or the envelope. Annotations have the signature, the
 * certificate and the entry of the log.
 */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../aip/json.ts";
import { readAnnotatedEntry } from "./log_entry.ts";
import { readPem } from "./pem.ts";
import {
  type Bytes,
  bytesOf,
  maxChain,
  maxTextLength,
  type Signature,
  SignatureError,
} from "./signature.ts";
import { readEnvelope } from "./statement.ts";
import { membersOf, readStrictJson } from "./strict_json.ts";

/** The types of payloads: that of cosign 1 and 2, and that of cosign 3. */
const payloadTypes = ["cosign container image signature", "https://sigstore.dev/cosign/sign/v1"];

const digestPattern = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

/** The annotations of a layer, as the manifest has them. */
type Annotations = unknown;

/** The content of the annotations of a layer. */
type Annotated = Pick<Signature, "chain" | "scheme" | "logEntry">;

const annotationsOf = (annotations: Annotations): JsonObject =>
  isObject(annotations as JsonValue) ? (annotations as JsonObject) : {};

/** The certificates in the annotations of a layer: that of the signer, and those above it. Throws SignatureError. */
function chainOf(annotations: JsonObject): Bytes[] {
  const texts = ["certificate", "chain"].map((name) => {
    const text = annotations[`dev.sigstore.cosign/${name}`] ?? "";
    if (typeof text !== "string" || text.length > maxTextLength)
      throw new SignatureError(`the annotation with the ${name} is too long`);
    return readPem(text, "CERTIFICATE");
  });
  const [[leaf] = [], chain = []] = texts;
  return leaf ? [leaf, ...chain.slice(0, maxChain - 1)] : [];
}

function readAnnotations(annotations: JsonObject): Annotated {
  const logEntry = readAnnotatedEntry(annotations["dev.sigstore.cosign/bundle"]);
  return { scheme: "sigstore", chain: chainOf(annotations), ...(logEntry ? { logEntry } : {}) };
}

/** The certificate of the signer, before the payload is read. Undefined if there is none. Throws SignatureError. */
export const annotatedCertificate = (annotations: Annotations): Bytes | undefined =>
  chainOf(annotationsOf(annotations))[0];

/** Reads a layer that is a payload (simple signing). Throws SignatureError. */
export function readSimpleSigning(payload: Bytes, annotations: Annotations): Signature {
  const members = annotationsOf(annotations);
  return {
    ...readAnnotations(members),
    digests: [signedDigest(payload)],
    predicateType: "",
    signed: payload,
    signature: bytesOf(members["dev.cosignproject.cosign/signature"], "signature"),
  };
}

/** Reads a layer that is a DSSE envelope, an attestation of cosign 2. Throws SignatureError. */
export const readDsseLayer = (layer: Bytes, annotations: Annotations): Signature => ({
  ...readAnnotations(annotationsOf(annotations)),
  ...readEnvelope(readStrictJson(layer), layer.length),
});

/** The digest that a payload is about. Throws SignatureError. */
function signedDigest(payload: Bytes): string {
  const { critical } = membersOf(readStrictJson(payload), "the payload");
  const { image, type } = membersOf(critical, "critical of the payload");
  if (typeof type !== "string" || !payloadTypes.includes(type))
    throw new SignatureError("the payload is not a signature of cosign");
  const digest = membersOf(image, "the image of the payload")["docker-manifest-digest"];
  if (typeof digest !== "string" || !digestPattern.test(digest))
    throw new SignatureError("the payload names no digest");
  return digest;
}
