/** Reads DSSE envelopes (version 1.0.2) with in-toto statements (attestation framework, version 0.1 and 1). */
import type { JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../aip/json.ts";
import { type Bytes, bytesOf, type Signature, SignatureError } from "./signature.ts";
import { membersOf, readStrictJson } from "./strict_json.ts";

export const statementType = "application/vnd.in-toto+json";

/** The predicate types of statements that are signatures of an image. */
const signaturePredicates = ["https://sigstore.dev/cosign/sign/v1"];

/** The most characters of a predicate type. It is a URI. */
const maxPredicateType = 256;

/** The most subjects of a statement. */
const maxSubjects = 100;

/** The part of a {@link Signature} that an envelope says. */
export type Enveloped = Pick<
  Signature,
  "digests" | "predicateType" | "signed" | "payload" | "signature"
>;

/** Reads an envelope, which must have one signature of a statement. `limit` is for the characters of the payload. */
export function readEnvelope(json: JsonValue | undefined, limit: number): Enveloped {
  const { payload, payloadType, signatures } = membersOf(json, "the envelope");
  const [first, ...others] = Array.isArray(signatures) ? signatures : [];
  if (!isObject(first) || others.length > 0 || payloadType !== statementType)
    throw new SignatureError("the envelope must have one signature of an in-toto statement");
  const bytes = bytesOf(payload, "payload", limit);
  return {
    ...readStatement(bytes),
    signed: preAuthentication(payloadType, bytes),
    payload: bytes,
    signature: bytesOf(membersOf(first, "the signature of the envelope").sig, "signature"),
  };
}

/** The bytes that a DSSE envelope signs: the type and the payload, each with its length (DSSE 1.0.2, "PAE"). */
export function preAuthentication(type: string, payload: Uint8Array): Bytes {
  const head = new TextEncoder().encode(`DSSEv1 ${type.length} ${type} ${payload.length} `);
  const bytes = new Uint8Array(head.length + payload.length);
  bytes.set(head, 0);
  bytes.set(payload, head.length);
  return bytes;
}

/** The digests that a statement is about, and what it says of them. */
function readStatement(payload: Bytes): Pick<Signature, "digests" | "predicateType"> {
  const statement = membersOf(readStrictJson(payload), "the statement");
  const { predicateType, subject } = statement;
  if (!/^https:\/\/in-toto\.io\/Statement\/v(?:0\.1|1)$/.test(String(statement._type)))
    throw new SignatureError("the payload is not an in-toto statement");
  if (typeof predicateType !== "string" || !/^[!-~]+$/.test(predicateType))
    throw new SignatureError("the statement has no predicate type");
  if (predicateType.length > maxPredicateType)
    throw new SignatureError("the predicate type of the statement is too long");
  if (!Array.isArray(subject) || subject.length > maxSubjects)
    throw new SignatureError(`the statement must have at most ${maxSubjects} subjects`);
  return {
    digests: subject.flatMap(digestsOf),
    predicateType: signaturePredicates.includes(predicateType) ? "" : predicateType,
  };
}

function digestsOf(subject: JsonValue): string[] {
  const digest = membersOf(membersOf(subject, "a subject").digest, "the digest of a subject");
  return Object.entries(digest).map(([algorithm, hash]) => `${algorithm}:${hash}`);
}
