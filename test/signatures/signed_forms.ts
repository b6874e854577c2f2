/** Writes signatures as clients do: with keys, with entries of a log, and the envelopes of Notation. */
import "reflect-metadata";
import { createHash } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { algorithms, codeSigning, newKeys, sign } from "./authority.ts";

export const utf8 = (text: string) => new TextEncoder().encode(text);
export const base64 = (bytes: string | ArrayBuffer | Uint8Array) =>
  Buffer.from(bytes as Uint8Array).toString("base64");
const base64url = (bytes: string | ArrayBuffer | Uint8Array) =>
  Buffer.from(bytes as Uint8Array).toString("base64url");
export const sha256 = (bytes: string | Uint8Array) =>
  createHash("sha256").update(bytes).digest("hex");

/** A block of PEM. */
export const pemOf = (label: string, bytes: ArrayBuffer | Uint8Array) =>
  `-----BEGIN ${label}-----\n${base64(bytes)}\n-----END ${label}-----\n`;

/** A key, as `cosign generate-key-pair` makes one. */
export interface KeySigner {
  pem: string;
  keyId: string;
  sign(bytes: Uint8Array, hash?: string): Promise<string>;
}

export async function newKeySigner(algorithm: object = algorithms["P-256"]): Promise<KeySigner> {
  const keys = await newKeys(algorithm);
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", keys.publicKey));
  return {
    pem: pemOf("PUBLIC KEY", spki),
    keyId: sha256(spki),
    sign: (bytes, hash) => sign(keys.privateKey, algorithm, bytes, hash),
  };
}

/** The content of an entry. */
export interface LogContent {
  kind: string;
  apiVersion: string;
  spec: object;
}

/** The entry about a signature of cosign. `verifier` is the PEM of the certificate or the key. */
export const hashedRekord = (
  signed: string | Uint8Array,
  signature: string,
  verifier: string,
): LogContent => ({
  ...{ kind: "hashedrekord", apiVersion: "0.0.1" },
  spec: {
    data: { hash: { algorithm: "sha256", value: sha256(signed) } },
    signature: { content: signature, publicKey: { content: base64(verifier) } },
  },
});

/** The entry about an envelope. */
export const dsseEntry = (payload: string, signature: string, verifier: string): LogContent => ({
  ...{ kind: "dsse", apiVersion: "0.0.1" },
  spec: {
    envelopeHash: { algorithm: "sha256", value: "00" },
    payloadHash: { algorithm: "sha256", value: sha256(payload) },
    signatures: [{ signature, verifier: base64(verifier) }],
  },
});

/** The entries that cosign 2 makes about an envelope, of two versions. */
export const intotoEntries = (
  payload: string,
  signature: string,
  verifier: string,
): LogContent[] => {
  const payloadHash = { algorithm: "sha256", value: sha256(payload) };
  const publicKey = base64(verifier);
  const signatures = [{ publicKey, sig: base64(signature) }];
  return [
    { kind: "intoto", apiVersion: "0.0.1", spec: { content: { payloadHash }, publicKey } },
    {
      ...{ kind: "intoto", apiVersion: "0.0.2" },
      spec: { content: { payloadHash, envelope: { signatures } } },
    },
  ];
};

/** A log that signs entries. `time` is in milliseconds since 1970. */
export async function newLog() {
  const signer = await newKeySigner();
  const entryOf = async (content: LogContent, time: number) => {
    const body = base64(JSON.stringify(content));
    const integratedTime = Math.floor(time / 1000);
    const payload = { body, integratedTime, logID: signer.keyId, logIndex: 7 };
    return { payload, promise: await signer.sign(utf8(JSON.stringify(payload))) };
  };
  return {
    ...{ pem: signer.pem, logId: signer.keyId },
    /** The annotation of cosign. */
    async annotation(content: LogContent, time = Date.now()): Promise<string> {
      const { payload, promise } = await entryOf(content, time);
      return JSON.stringify({ SignedEntryTimestamp: promise, Payload: payload });
    },
    /** The entry of a bundle. */
    async bundled(content: LogContent, time = Date.now()): Promise<object> {
      const { payload, promise } = await entryOf(content, time);
      return {
        ...{ logIndex: String(payload.logIndex), integratedTime: String(payload.integratedTime) },
        logId: { keyId: base64(Buffer.from(payload.logID, "hex")) },
        kindVersion: { kind: content.kind, version: content.apiVersion },
        inclusionPromise: { signedEntryTimestamp: promise },
        canonicalizedBody: payload.body,
      };
    },
  };
}

const minutes = (number: number) => new Date(Date.now() + number * 60_000);

/** The algorithms of Notation: each with its key and how it signs. */
export const notationAlgorithms = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  ES384: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  ES512: { name: "ECDSA", namedCurve: "P-521", hash: "SHA-512" },
  PS256: pss("SHA-256", 2048),
  PS384: pss("SHA-384", 3072),
} as const;

function pss(hash: string, modulusLength: number) {
  const saltLength = Number(hash.slice(4)) / 8;
  return {
    ...{ name: "RSA-PSS", hash, modulusLength, saltLength },
    publicExponent: new Uint8Array([1, 0, 1]),
  };
}

export type NotationAlgorithm = keyof typeof notationAlgorithms;

/** A signer for Notation. */
export interface NotationSigner {
  algorithm: NotationAlgorithm;
  chain: X509Certificate[];
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/** The differences from a certificate that counts. */
export interface NotationSetting {
  algorithm?: NotationAlgorithm;
  name?: string;
  begin?: number;
  end?: number;
  usages?: string[];
  isAuthority?: boolean;
}

/** Creates an authority with an intermediate one. The signature contains the whole chain. */
export async function newNotationAuthority() {
  const ecdsa = algorithms["P-256"];
  const years = { notBefore: minutes(-60), notAfter: minutes(60 * 24 * 365) };
  const usage = new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true);
  const rootKeys = await newKeys(ecdsa);
  const keys = await newKeys(ecdsa);
  const root = await X509CertificateGenerator.createSelfSigned({
    ...{ name: "CN=root,O=Example", ...years, keys: rootKeys, signingAlgorithm: ecdsa },
    extensions: [new BasicConstraintsExtension(true, undefined, true), usage],
  });
  const between = await X509CertificateGenerator.create({
    ...{ subject: "CN=between,O=Example", issuer: root.subject, ...years },
    ...{ publicKey: keys.publicKey, signingKey: rootKeys.privateKey, signingAlgorithm: ecdsa },
    extensions: [new BasicConstraintsExtension(true, 0, true), usage],
  });
  const newSigner = async ({
    algorithm = "ES256",
    name = "CN=release,O=Example,C=US",
    begin = -1,
    end = 60,
    usages = [codeSigning],
    isAuthority = false,
  }: NotationSetting = {}): Promise<NotationSigner> => {
    const used = notationAlgorithms[algorithm];
    const own = await newKeys(used);
    const leaf = await X509CertificateGenerator.create({
      ...{ subject: name, issuer: between.subject },
      ...{ notBefore: minutes(begin), notAfter: minutes(end), publicKey: own.publicKey },
      ...{ signingKey: keys.privateKey, signingAlgorithm: ecdsa },
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        ...(usages.length > 0 ? [new ExtendedKeyUsageExtension(usages)] : []),
        ...(isAuthority ? [new BasicConstraintsExtension(true, 0, true)] : []),
      ],
    });
    const signBytes = async (bytes: Uint8Array) =>
      new Uint8Array(await crypto.subtle.sign(used, own.privateKey, new Uint8Array(bytes)));
    return { algorithm, chain: [leaf, between, root], sign: signBytes };
  };
  return { root, between, newSigner, pem: root.toString("pem") };
}

const notary = (name: string) => `io.cncf.notary.${name}`;
export const notationPayload = (digest: string) =>
  JSON.stringify({
    targetArtifact: { mediaType: "application/vnd.oci.image.manifest.v1+json", digest, size: 2 },
  });

/** The differences from an envelope that counts. */
export interface EnvelopeSetting {
  scheme?: string;
  critical?: string[];
  contentType?: string;
  /** Seconds since 1970. */
  expiry?: number;
  algorithm?: string;
}

const headersOf = (setting: EnvelopeSetting) => ({
  scheme: setting.scheme ?? "notary.x509",
  contentType: setting.contentType ?? "application/vnd.cncf.notary.payload.v1+json",
  critical: setting.critical ?? [
    notary("signingScheme"),
    ...(setting.expiry === undefined ? [] : [notary("expiry")]),
  ],
});

/** A JWS of Notation. `signed` is the payload that is signed in its place. */
export async function notationJws(
  signer: NotationSigner,
  payload: string,
  setting: EnvelopeSetting = {},
  signed = payload,
): Promise<string> {
  const { scheme, contentType, critical } = headersOf(setting);
  const header = base64url(
    JSON.stringify({
      ...{ alg: setting.algorithm ?? signer.algorithm, crit: critical, cty: contentType },
      ...{ [notary("signingScheme")]: scheme, [notary("signingTime")]: new Date().toISOString() },
      ...(setting.expiry === undefined
        ? {}
        : { [notary("expiry")]: new Date(setting.expiry * 1000).toISOString() }),
    }),
  );
  const bytes = await signer.sign(utf8(`${header}.${base64url(signed)}`));
  return JSON.stringify({
    ...{ payload: base64url(payload), protected: header, signature: base64url(bytes) },
    header: { x5c: signer.chain.map(({ rawData }) => base64(rawData)) },
  });
}

/** A value to write as CBOR: a number, a text, bytes, a list, a map as pairs, or a tagged value. */
export type CborInput =
  | number
  | string
  | Uint8Array
  | CborInput[]
  | { map: [CborInput, CborInput][] }
  | { tag: number; of: CborInput };

const head = (type: number, length: number): number[] => {
  if (length < 24) return [(type << 5) | length];
  if (length < 256) return [(type << 5) | 24, length];
  if (length < 65536) return [(type << 5) | 25, length >> 8, length & 255];
  return [(type << 5) | 26, ...[24, 16, 8, 0].map((shift) => (length >>> shift) & 255)];
};

/** Writes CBOR (RFC 8949). */
export function toCbor(value: CborInput): Uint8Array<ArrayBuffer> {
  if (typeof value === "number")
    return new Uint8Array(value < 0 ? head(1, -1 - value) : head(0, value));
  if (typeof value === "string")
    return new Uint8Array([...head(3, utf8(value).length), ...utf8(value)]);
  if (value instanceof Uint8Array) return new Uint8Array([...head(2, value.length), ...value]);
  if (Array.isArray(value))
    return new Uint8Array([...head(4, value.length), ...value.flatMap((one) => [...toCbor(one)])]);
  if ("tag" in value) return new Uint8Array([...head(6, value.tag), ...toCbor(value.of)]);
  const pairs = value.map.flatMap(([key, one]) => [...toCbor(key), ...toCbor(one)]);
  return new Uint8Array([...head(5, value.map.length), ...pairs]);
}

const coseNumbers: Record<string, number> = {
  ...{ ES256: -7, ES384: -35, ES512: -36, PS256: -37, PS384: -38, PS512: -39 },
};

/** A COSE_Sign1 of Notation. `signed` is the payload that is signed in its place. */
export async function notationCose(
  signer: NotationSigner,
  payload: string,
  setting: EnvelopeSetting = {},
  signed = payload,
): Promise<Uint8Array<ArrayBuffer>> {
  const { scheme, contentType, critical } = headersOf(setting);
  const header = toCbor({
    map: [
      [1, coseNumbers[setting.algorithm ?? signer.algorithm] ?? 0],
      [2, critical],
      [3, contentType],
      [notary("signingScheme"), scheme],
      [notary("signingTime"), { tag: 1, of: Math.floor(Date.now() / 1000) }],
      ...(setting.expiry === undefined
        ? []
        : [[notary("expiry"), { tag: 1, of: setting.expiry }] as [CborInput, CborInput]]),
    ],
  });
  const structure = toCbor(["Signature1", header, new Uint8Array(), utf8(signed)]);
  const chain = signer.chain.map(({ rawData }) => new Uint8Array(rawData));
  return toCbor({
    tag: 18,
    of: [header, { map: [[33, chain]] }, utf8(payload), await signer.sign(structure)],
  });
}
