/** Reads what a signature of cosign or a Sigstore bundle contains. It verifies nothing. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { fromBase64 } from "../../aip/base64.ts";
import { isObject } from "../../aip/json.ts";
import { toHex } from "../../aip/sha256.ts";
import type { Descriptor } from "../../registry/images/manifest_content.ts";
import { isDigest } from "../digest.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The most characters of a certificate or a signature as text. */
const maxTextLength = 16 * 1024;

/** A fault of a signature. */
export class SignatureError extends Error {}

function bytesOf(text: JsonValue | undefined, what: string): Bytes {
  if (typeof text !== "string" || text.length > maxTextLength)
    throw new SignatureError(`it has no ${what}, or one that is too long`);
  return fromBase64(text) as Bytes;
}

/** Reads bytes as JSON. Throws SignatureError. */
function parse(bytes: Uint8Array): JsonValue {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new SignatureError("it is not JSON");
  }
}

/** The certificate of the signer, as DER, and the signature. */
interface SignedBy {
  certificate: Bytes;
  signature: Bytes;
}

/**
 * The annotations of a layer that is a signature of cosign. Undefined if there is no certificate, as in a signature with a
 * key. Throws if one of them cannot be read.
 */
export function readAnnotations({ annotations }: Descriptor): SignedBy | undefined {
  if (!isObject(annotations as JsonValue)) return undefined;
  const {
    "dev.sigstore.cosign/certificate": pem,
    "dev.cosignproject.cosign/signature": signature,
  } = annotations as JsonObject;
  if (typeof pem !== "string" || pem.length > maxTextLength) return undefined;
  const [, text] = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/.exec(pem) ?? [];
  return {
    certificate: bytesOf(text, "certificate"),
    signature: bytesOf(signature as JsonValue, "signature"),
  };
}

/** The digest that a payload of cosign is about (simple signing). Throws SignatureError. */
export function signedDigest(payload: Uint8Array): string {
  const json = parse(payload);
  const critical = isObject(json) ? json.critical : undefined;
  const image = isObject(critical) ? critical.image : undefined;
  const digest = isObject(image) ? image["docker-manifest-digest"] : undefined;
  if (!isDigest(digest)) throw new SignatureError("the payload names no digest");
  return digest;
}

/** The content of a bundle: a signature over the signed manifest itself, or over a statement about it. */
export interface Bundle extends SignedBy {
  /** The SHA-256 digest of the signed manifest. Undefined if a statement is signed. */
  messageDigest?: string;
  /** The signed bytes, and the digests that the statement is about. */
  statement?: { signed: Bytes; digests: string[] };
}

/**
 * Reads a Sigstore bundle of version 0.1, 0.2 or 0.3. Undefined if it has no certificate, as in a signature with a key.
 * Throws if it cannot be read.
 */
export function readBundle(bytes: Uint8Array): Bundle | undefined {
  const json = parse(bytes);
  if (!isObject(json)) throw new SignatureError("the bundle is not an object");
  const certificate = certificateOf(json.verificationMaterial);
  if (!certificate) return undefined;
  const { messageSignature, dsseEnvelope } = json;
  if (isObject(messageSignature)) {
    const messageDigest = messageDigestOf(messageSignature.messageDigest);
    return {
      certificate,
      signature: bytesOf(messageSignature.signature, "signature"),
      messageDigest,
    };
  }
  if (!isObject(dsseEnvelope)) throw new SignatureError("the bundle has no signature");
  return { certificate, ...readEnvelope(dsseEnvelope) };
}

/** The certificate of the signer. Older bundles have a chain, which begins with it. */
function certificateOf(material: JsonValue | undefined): Bytes | undefined {
  if (!isObject(material)) return undefined;
  const { certificate, x509CertificateChain: chain } = material;
  const certificates = isObject(chain) ? chain.certificates : undefined;
  const first = Array.isArray(certificates) ? certificates[0] : certificate;
  return isObject(first) ? bytesOf(first.rawBytes, "certificate") : undefined;
}

function messageDigestOf(json: JsonValue | undefined): string {
  if (!isObject(json) || json.algorithm !== "SHA2_256")
    throw new SignatureError("the bundle has no SHA-256 digest");
  return `sha256:${toHex(bytesOf(json.digest, "digest"))}`;
}

const statementType = "application/vnd.in-toto+json";
const signaturePredicate = "https://sigstore.dev/cosign/sign/v1";

function readEnvelope(envelope: JsonObject): Pick<Bundle, "signature" | "statement"> {
  const { payload, payloadType, signatures } = envelope;
  const [first, ...others] = Array.isArray(signatures) ? signatures : [];
  if (!isObject(first) || others.length > 0 || payloadType !== statementType)
    throw new SignatureError("the envelope must have one signature of a statement");
  if (typeof payload !== "string") throw new SignatureError("the envelope has no payload");
  const bytes = fromBase64(payload);
  return {
    signature: bytesOf(first.sig, "signature"),
    statement: { signed: preAuthentication(payloadType, bytes), digests: digestsOf(parse(bytes)) },
  };
}

/** The bytes that a DSSE envelope signs: the type and the payload, each with its length (DSSE 1.0.2, "PAE"). */
function preAuthentication(type: string, payload: Uint8Array): Bytes {
  const head = new TextEncoder().encode(`DSSEv1 ${type.length} ${type} ${payload.length} `);
  const bytes = new Uint8Array(head.length + payload.length);
  bytes.set(head, 0);
  bytes.set(payload, head.length);
  return bytes;
}

/** The digests of a statement that is a signature. Another statement, such as an SBOM, approves nothing. */
function digestsOf(statement: JsonValue): string[] {
  if (!isObject(statement) || statement.predicateType !== signaturePredicate)
    throw new SignatureError("the statement is not a signature");
  const { subject } = statement;
  return (Array.isArray(subject) ? subject : []).flatMap((entry) =>
    isObject(entry) && isObject(entry.digest)
      ? Object.entries(entry.digest).map(([algorithm, hash]) => `${algorithm}:${hash}`)
      : [],
  );
}
