/**
 * Reads and verifies entries of a transparency log (Rekor, version 1 of its API). The log signs the body of the entry with
 * its time, so an entry says when the signature existed. Proofs of inclusion are not read.
 */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../aip/json.ts";
import { sha256, toHex } from "../aip/sha256.ts";
import { readPem } from "./pem.ts";
import { verifiesArtifact } from "./public_key.ts";
import { type Bytes, bytesOf, type LogEntry, type Signature, SignatureError } from "./signature.ts";
import { membersOf, readStrictJson } from "./strict_json.ts";

/** The name of the entry in errors. */
const what = "the log entry";

/** The most characters of the body of an entry. Rekor refuses larger ones. */
const maxBodyLength = 128 * 1024;

/** Reads the annotation in which cosign stores an entry. Undefined if there is none. Throws SignatureError. */
export function readAnnotatedEntry(annotation: JsonValue | undefined): LogEntry | undefined {
  if (typeof annotation !== "string" || annotation === "") return undefined;
  if (annotation.length > 2 * maxBodyLength) throw new SignatureError("its log entry is too long");
  const json = readStrictJson(new TextEncoder().encode(annotation));
  const { SignedEntryTimestamp: promise, Payload: payload } = membersOf(json, what);
  const { body, integratedTime, logIndex, logID: logId } = membersOf(payload, what);
  return entryOf({ body, integratedTime, logIndex, logId, promise });
}

/** Reads the entries of a bundle. Undefined if none has a promise of its log. Throws SignatureError. */
export function readBundledEntry(entries: JsonValue | undefined): LogEntry | undefined {
  const [entry] = Array.isArray(entries) ? entries : [];
  if (!isObject(entry)) return undefined;
  const { canonicalizedBody: body, integratedTime, logIndex, logId, inclusionPromise } = entry;
  if (!isObject(inclusionPromise)) return undefined;
  const key = bytesOf(membersOf(logId, what).keyId, "log entry");
  return entryOf({
    ...{ body, integratedTime: Number(integratedTime), logIndex: Number(logIndex) },
    ...{ logId: toHex(key), promise: inclusionPromise.signedEntryTimestamp },
  });
}

function entryOf(members: Record<keyof LogEntry, JsonValue | undefined>): LogEntry {
  const { body, integratedTime, logIndex, logId, promise } = members;
  const isComplete =
    typeof body === "string" &&
    body.length <= maxBodyLength &&
    Number.isSafeInteger(integratedTime) &&
    Number.isSafeInteger(logIndex) &&
    typeof logId === "string" &&
    /^[0-9a-f]{64}$/.test(logId);
  if (!isComplete) throw new SignatureError("its log entry is not complete");
  return {
    body,
    integratedTime: integratedTime as number,
    logIndex: logIndex as number,
    logId,
    promise: bytesOf(promise, "log entry"),
  };
}

/**
 * Whether one of the keys signed the entry. `keys` has them by the digest of the key, as hexadecimal digits. Throws DerError
 * for a damaged signature.
 */
export async function isSignedByLog(
  { promise, body, integratedTime, logIndex, logId }: LogEntry,
  keys: ReadonlyMap<string, Bytes>,
): Promise<boolean> {
  const key = keys.get(logId);
  if (!key) return false;
  // Canonical JSON (RFC 8785): the members are sorted, and no text needs an escape.
  const signed = JSON.stringify({ body, integratedTime, logID: logId, logIndex });
  return verifiesArtifact(key, promise, new TextEncoder().encode(signed) as Bytes);
}

/** The content of the body of an entry: the hash of what was signed, the signature, and its certificate or key. */
interface Logged {
  hash: { algorithm: string; value: string };
  /** Undefined for a version that does not record it. */
  signature: Bytes | undefined;
  /** The certificate or the key, as DER. */
  verifier: Bytes | undefined;
  /** Whether the hash is that of the payload of an envelope, and not of the signed bytes. */
  isOfPayload: boolean;
}

const text = (bytes: Bytes) => new TextDecoder().decode(bytes);

/** The certificate or the key in a PEM text in base64. */
function verifierOf(json: JsonValue | undefined): Bytes | undefined {
  const pem = text(bytesOf(json, "log entry"));
  return readPem(pem, "CERTIFICATE")[0] ?? readPem(pem, "PUBLIC KEY")[0];
}

const hashOf = (json: JsonValue | undefined) => {
  const { algorithm, value } = membersOf(json, what);
  return { algorithm: String(algorithm), value: String(value) };
};

const firstOf = (list: JsonValue | undefined): JsonObject => {
  const [first, ...others] = Array.isArray(list) ? list : [];
  if (others.length > 0) throw new SignatureError("its log entry has several signatures");
  return membersOf(first, what);
};

/** The readers of the kinds of entries. */
const readers: Record<string, (spec: JsonObject) => Logged> = {
  "hashedrekord 0.0.1": ({ data, signature }) => {
    const { content, publicKey } = membersOf(signature, what);
    return {
      hash: hashOf(membersOf(data, what).hash),
      signature: bytesOf(content, "log entry"),
      verifier: verifierOf(membersOf(publicKey, what).content),
      isOfPayload: false,
    };
  },
  "dsse 0.0.1": ({ payloadHash, signatures }) => {
    const { signature, verifier } = firstOf(signatures);
    return {
      hash: hashOf(payloadHash),
      signature: bytesOf(signature, "log entry"),
      verifier: verifierOf(verifier),
      isOfPayload: true,
    };
  },
  "intoto 0.0.1": ({ content, publicKey }) => ({
    hash: hashOf(membersOf(content, what).payloadHash),
    signature: undefined,
    verifier: verifierOf(publicKey),
    isOfPayload: true,
  }),
  "intoto 0.0.2": ({ content }) => {
    const { payloadHash, envelope } = membersOf(content, what);
    const { sig, publicKey } = firstOf(membersOf(envelope, what).signatures);
    return {
      hash: hashOf(payloadHash),
      // The signature is in base64 twice.
      signature: bytesOf(text(bytesOf(sig, "log entry")), "log entry"),
      verifier: verifierOf(publicKey),
      isOfPayload: true,
    };
  },
};

function readBody({ body }: LogEntry): Logged {
  const { kind, apiVersion, spec } = membersOf(
    readStrictJson(bytesOf(body, "log entry", maxBodyLength)),
    what,
  );
  const read = readers[`${kind} ${apiVersion}`];
  if (!read) throw new SignatureError("its log entry is of a kind that is not known");
  return read(membersOf(spec, what));
}

const isSame = (a: Bytes | undefined, b: Bytes) => a !== undefined && toHex(a) === toHex(b);

/**
 * Whether the entry is about this signature: the same content, the same signature, and the same certificate or key.
 * `signed` is what was signed, and `verifier` the certificate or the key as DER. Throws SignatureError.
 */
export async function isAbout(
  entry: LogEntry,
  { signature, payload }: Pick<Signature, "signature" | "payload">,
  signed: Bytes,
  verifier: Bytes,
): Promise<boolean> {
  const logged = readBody(entry);
  const content = logged.isOfPayload ? payload : signed;
  if (!content || !isSame(logged.verifier, verifier)) return false;
  if (logged.signature && !isSame(logged.signature, signature)) return false;
  return (await hashBy(logged.hash.algorithm, content)) === logged.hash.value;
}

async function hashBy(algorithm: string, content: Bytes): Promise<string | undefined> {
  if (algorithm === "sha256") return sha256(content);
  const name = { sha384: "SHA-384", sha512: "SHA-512" }[algorithm];
  return name && toHex(new Uint8Array(await crypto.subtle.digest(name, content)));
}
