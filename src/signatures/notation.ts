/**
 * Reads signatures of Notation: an envelope of JWS or COSE around a payload that names the image (Notary Project signature
 * specification 1.1). Time stamps are not read.
 */
import type { JsonValue } from "@bufbuild/protobuf";
import { type CborMap, readCbor, signStructure, Tagged } from "./cbor.ts";
import {
  type Bytes,
  bytesOf,
  maxChain,
  type Signature,
  SignatureError,
  urlBytesOf,
} from "./signature.ts";
import { membersOf, readStrictJson } from "./strict_json.ts";

const payloadType = "application/vnd.cncf.notary.payload.v1+json";
const name = (last: string) => `io.cncf.notary.${last}`;

/** The headers that the signer can mark as critical. A signature with another one does not count. */
const understood = [name("signingScheme"), name("expiry")];

/** The protected headers, as both envelopes have them. */
interface Headers {
  algorithm: string | undefined;
  contentType: unknown;
  scheme: unknown;
  critical: unknown;
  /** Milliseconds since 1970 in UTC. NaN for one that cannot be read. */
  expireTime: number | undefined;
}

/** Reads the bytes of an envelope with the media type of its layer. Throws SignatureError. */
export const readNotation = (bytes: Bytes, mediaType: string): Signature =>
  mediaType === "application/cose" ? readCose(bytes) : readJws(bytes);

function signatureOf(
  headers: Headers,
  parts: { payload: Bytes; signed: Bytes; signature: Bytes; chain: Bytes[] },
): Signature {
  const { algorithm, contentType, scheme, critical, expireTime } = headers;
  if (scheme !== "notary.x509") throw new SignatureError("its signing scheme is not notary.x509");
  if (contentType !== payloadType) throw new SignatureError("its payload is of another type");
  if (!Array.isArray(critical) || !critical.every((one) => understood.includes(one as string)))
    throw new SignatureError("it has a critical header that is not known");
  if (!critical.includes(name("signingScheme")))
    throw new SignatureError("its signing scheme is not a critical header");
  if (Number.isNaN(expireTime)) throw new SignatureError("its expiry is not a time");
  if (!algorithm) throw new SignatureError("its algorithm is not supported");
  const { signed, signature, chain } = parts;
  if (chain.length === 0 || chain.length > maxChain)
    throw new SignatureError(`it must have 1 to ${maxChain} certificates`);
  return {
    ...{ digests: [targetOf(parts.payload)], predicateType: "", signed, signature, chain },
    ...{ algorithm, scheme: "notation" },
    ...(expireTime === undefined ? {} : { expireTime }),
  };
}

/** The digest of the image that a payload names. */
function targetOf(payload: Bytes): string {
  const { targetArtifact } = membersOf(readStrictJson(payload), "the payload");
  const { digest } = membersOf(targetArtifact, "the target of the payload");
  if (typeof digest !== "string") throw new SignatureError("the payload names no digest");
  return digest;
}

/** Reads a JWS in its JSON form with one signature (RFC 7515 section 7.2.2). */
function readJws(bytes: Bytes): Signature {
  const {
    payload,
    protected: header,
    header: open,
    signature,
  } = membersOf(readStrictJson(bytes), "the envelope");
  const { x5c } = membersOf(open, "the header of the envelope");
  const headers = membersOf(readStrictJson(urlBytesOf(header, "protected header")), "the header");
  const chain = Array.isArray(x5c) ? x5c.map((one) => bytesOf(one, "certificate")) : [];
  return signatureOf(
    {
      algorithm: typeof headers.alg === "string" ? headers.alg : undefined,
      contentType: headers.cty,
      scheme: headers[name("signingScheme")],
      critical: headers.crit,
      expireTime: textTime(headers[name("expiry")]),
    },
    {
      payload: urlBytesOf(payload, "payload", bytes.length),
      signed: new TextEncoder().encode(`${header}.${payload}`) as Bytes,
      signature: urlBytesOf(signature, "signature"),
      chain,
    },
  );
}

const textTime = (time: JsonValue | undefined) =>
  time === undefined ? undefined : Date.parse(String(time));

/** The algorithms of COSE (RFC 9053) by their names in JOSE. */
const coseAlgorithms: Record<number, string> = {
  [-7]: "ES256",
  [-35]: "ES384",
  [-36]: "ES512",
  [-37]: "PS256",
  [-38]: "PS384",
  [-39]: "PS512",
};

const Label = { algorithm: 1, critical: 2, contentType: 3, chain: 33 } as const;

/** Reads a COSE_Sign1 with its tag (RFC 9052 section 4.2). */
function readCose(bytes: Bytes): Signature {
  const outer = readCbor(bytes);
  const parts = outer instanceof Tagged && outer.tag === 18 ? outer.value : undefined;
  if (!Array.isArray(parts) || parts.length !== 4)
    throw new SignatureError("it is not a COSE_Sign1");
  const [header, open, payload, signature] = parts;
  const isWhole =
    header instanceof Uint8Array &&
    payload instanceof Uint8Array &&
    signature instanceof Uint8Array;
  if (!isWhole || !(open instanceof Map)) throw new SignatureError("it is not a COSE_Sign1");
  const headers = readCbor(header);
  if (!(headers instanceof Map)) throw new SignatureError("its protected header is not a map");
  return signatureOf(coseHeaders(headers), {
    ...{ payload, signature, signed: signStructure(header, payload) },
    chain: coseChain(open),
  });
}

const coseHeaders = (headers: CborMap): Headers => ({
  algorithm: coseAlgorithms[Number(headers.get(Label.algorithm))],
  contentType: headers.get(Label.contentType),
  scheme: headers.get(name("signingScheme")),
  critical: headers.get(Label.critical),
  expireTime: epochTime(headers.get(name("expiry"))),
});

/** A time is a tagged number of seconds (RFC 8949 section 3.4.2). */
function epochTime(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const isTime = value instanceof Tagged && value.tag === 1 && typeof value.value === "number";
  return isTime ? (value.value as number) * 1000 : Number.NaN;
}

function coseChain(open: CborMap): Bytes[] {
  const value = open.get(Label.chain);
  const list = Array.isArray(value) ? value : [value];
  return list.filter((one): one is Bytes => one instanceof Uint8Array);
}
