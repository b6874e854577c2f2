/** Reads Sigstore bundles of the versions 0.1, 0.2 and 0.3, which cosign 3 and other clients write. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../aip/json.ts";
import { toHex } from "../aip/sha256.ts";
import { readBundledEntry } from "./log_entry.ts";
import { type Bytes, bytesOf, maxChain, type Signature, SignatureError } from "./signature.ts";
import { type Enveloped, readEnvelope } from "./statement.ts";
import { membersOf, readStrictJson } from "./strict_json.ts";

/** Reads the bytes of a bundle. Throws SignatureError. */
export function readBundle(bytes: Bytes): Signature {
  const bundle = membersOf(readStrictJson(bytes), "the bundle");
  const material = membersOf(bundle.verificationMaterial, "the verification material");
  const logEntry = readBundledEntry(material.tlogEntries);
  return {
    ...readContent(bundle, bytes.length),
    chain: chainOf(material),
    ...(logEntry ? { logEntry } : {}),
    scheme: "sigstore",
  };
}

function readContent({ messageSignature, dsseEnvelope }: JsonObject, limit: number): Enveloped {
  if (messageSignature !== undefined && dsseEnvelope !== undefined)
    throw new SignatureError("the bundle has two signatures");
  if (messageSignature === undefined) return readEnvelope(dsseEnvelope, limit);
  const message = membersOf(messageSignature, "the signature of the bundle");
  return {
    digests: [messageDigestOf(message.messageDigest)],
    predicateType: "",
    signed: undefined,
    signature: bytesOf(message.signature, "signature"),
  };
}

/** The certificate of the signer. Older bundles have a chain, which begins with it. */
function chainOf({ certificate, x509CertificateChain: chain }: JsonObject): Bytes[] {
  const certificates = isObject(chain) ? chain.certificates : undefined;
  const all = Array.isArray(certificates) ? certificates.slice(0, maxChain) : [certificate];
  return all.flatMap((one) => (isObject(one) ? [bytesOf(one.rawBytes, "certificate")] : []));
}

function messageDigestOf(json: JsonValue | undefined): string {
  const { algorithm, digest } = membersOf(json, "the digest of the bundle");
  if (algorithm !== "SHA2_256") throw new SignatureError("the bundle has no SHA-256 digest");
  return `sha256:${toHex(bytesOf(digest, "digest"))}`;
}
