/** A signature as the readers of each form return it. No one has verified it yet. */
import type { JsonValue } from "@bufbuild/protobuf";
import { fromBase64 } from "../aip/base64.ts";

export type Bytes = Uint8Array<ArrayBuffer>;

/** A fault of a signature, with the reason in words. */
export class SignatureError extends Error {}

/** The entry of a transparency log (Rekor, version 1 of its API). */
export interface LogEntry {
  /** The JSON of the entry in base64, as the log has signed it. */
  body: string;
  /** Seconds since 1970 in UTC. */
  integratedTime: number;
  logIndex: number;
  /** The SHA-256 digest of the key of the log, as hexadecimal digits. */
  logId: string;
  /** The signature of the log over these values (signed entry timestamp), in DER. */
  promise: Bytes;
}

/** One signature, and what it is about. */
export interface Signature {
  /** The digests of what it is about. The manifest must have one of them. */
  digests: string[];
  /** The predicate type of an attestation. Empty for a signature of an image. */
  predicateType: string;
  /** The signed bytes. Undefined if these are the bytes of the manifest itself. */
  signed: Bytes | undefined;
  /** The payload of an envelope. The log records its hash. */
  payload?: Bytes;
  signature: Bytes;
  /** The algorithm by its name in JOSE, such as `ES256`. Without one, the type of the key decides. */
  algorithm?: string;
  /** The certificate of the signer, and those above it, as DER. Empty for a signature with a key. */
  chain: Bytes[];
  logEntry?: LogEntry;
  /** Until when the signer wants it to count, in milliseconds since 1970 in UTC. */
  expireTime?: number;
  /** Whether the trust in its certificate comes from Fulcio or from the certificates of Notation. */
  scheme: "sigstore" | "notation";
}

/** The most certificates that come with a signature. */
export const maxChain = 4;

/** The most characters of a certificate or a signature as text. */
export const maxTextLength = 16 * 1024;

/** Decodes base64 with a limit. Throws SignatureError. */
export function bytesOf(text: JsonValue | undefined, what: string, limit = maxTextLength): Bytes {
  if (typeof text !== "string" || text.length > limit)
    throw new SignatureError(`it has no ${what}, or one that is too long`);
  try {
    return fromBase64(text) as Bytes;
  } catch {
    throw new SignatureError(`its ${what} is not base64`);
  }
}

/** Decodes base64 with the alphabet for URLs (RFC 4648 section 5). Throws SignatureError. */
export const urlBytesOf = (text: JsonValue | undefined, what: string, limit?: number): Bytes =>
  bytesOf(
    typeof text === "string" ? text.replaceAll("-", "+").replaceAll("_", "/") : undefined,
    what,
    limit,
  );
