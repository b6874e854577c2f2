/** Verifies signatures with the public keys of certificates. */
import { contentOf, DerError, type Element, itemsOf, oidOf, readOne, Tag } from "./der.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The hash functions, by the name that Web Crypto has for them. */
export type Hash = "SHA-256" | "SHA-384" | "SHA-512";

/** The most bytes of a key: those of RSA with 4096 bits have 550. */
const maxKeyBytes = 600;

/** The algorithms of keys. The signer of an artifact uses the first hash, and some clients another one. */
interface KeyType {
  algorithm: { name: string; namedCurve?: string };
  hashes: Hash[];
  /** The bytes of each number in a signature with an elliptic curve. */
  size?: number;
}

const curves: Record<string, KeyType> = {
  "1.2.840.10045.3.1.7": {
    algorithm: { name: "ECDSA", namedCurve: "P-256" },
    hashes: ["SHA-256"],
    size: 32,
  },
  "1.3.132.0.34": {
    algorithm: { name: "ECDSA", namedCurve: "P-384" },
    hashes: ["SHA-384", "SHA-256"],
    size: 48,
  },
};
const ellipticCurve = "1.2.840.10045.2.1";
const keyTypes: Record<string, KeyType> = {
  // Ed25519 has its own hash, and Web Crypto ignores this one.
  "1.3.101.112": { algorithm: { name: "Ed25519" }, hashes: ["SHA-512"] },
  "1.2.840.113549.1.1.1": { algorithm: { name: "RSASSA-PKCS1-v1_5" }, hashes: ["SHA-256"] },
};

/** The algorithms of signatures in certificates, each with the type of its key. */
const certificateAlgorithms: Record<string, [name: string, hash: Hash]> = {
  "1.2.840.10045.4.3.2": ["ECDSA", "SHA-256"],
  "1.2.840.10045.4.3.3": ["ECDSA", "SHA-384"],
  "1.2.840.10045.4.3.4": ["ECDSA", "SHA-512"],
  "1.2.840.113549.1.1.11": ["RSASSA-PKCS1-v1_5", "SHA-256"],
  "1.2.840.113549.1.1.12": ["RSASSA-PKCS1-v1_5", "SHA-384"],
  "1.2.840.113549.1.1.13": ["RSASSA-PKCS1-v1_5", "SHA-512"],
  "1.3.101.112": ["Ed25519", "SHA-512"],
};

function typeOf(key: Bytes): KeyType {
  if (key.length > maxKeyBytes) throw new DerError("the key is too large");
  const [algorithm] = itemsOf(readOne(key, Tag.sequence));
  const [id, curve] = itemsOf(algorithm);
  const name = oidOf(id);
  const type = name === ellipticCurve ? curves[oidOf(curve)] : keyTypes[name];
  if (!type) throw new DerError("the key has an algorithm that is not supported");
  return type;
}

/** Whether the key signed the bytes of a certificate with this algorithm. Throws DerError. */
export async function verifiesCertificate(
  key: Bytes,
  algorithm: string,
  signature: Bytes,
  signed: Bytes,
): Promise<boolean> {
  const type = typeOf(key);
  const [name, hash] = certificateAlgorithms[algorithm] ?? [];
  if (!hash || name !== type.algorithm.name) return false;
  return verifies(key, type, hash, signature, signed);
}

/** Whether the key signed the bytes of an artifact. Throws DerError. */
export async function verifiesArtifact(
  key: Bytes,
  signature: Bytes,
  signed: Bytes,
): Promise<boolean> {
  const type = typeOf(key);
  for (const hash of type.hashes) {
    if (await verifies(key, type, hash, signature, signed)) return true;
  }
  return false;
}

async function verifies(
  key: Bytes,
  { algorithm, size }: KeyType,
  hash: Hash,
  signature: Bytes,
  signed: Bytes,
): Promise<boolean> {
  const raw = size === undefined ? signature : toRaw(signature, size);
  const imported = await crypto.subtle.importKey("spki", key, { ...algorithm, hash }, false, [
    "verify",
  ]);
  return crypto.subtle.verify({ name: algorithm.name, hash }, imported, raw, signed);
}

/** The two numbers of a signature with an elliptic curve, one after the other, as Web Crypto expects them. */
function toRaw(signature: Bytes, size: number): Bytes {
  const [r, s, ...more] = itemsOf(readOne(signature, Tag.sequence));
  if (more.length > 0) throw new DerError("the signature has more than two numbers");
  const raw = new Uint8Array(2 * size);
  raw.set(toSize(r, size), 0);
  raw.set(toSize(s, size), size);
  return raw;
}

function toSize(element: Element | undefined, size: number): Uint8Array {
  const value = contentOf(element, Tag.integer);
  const digits = value[0] === 0 ? value.subarray(1) : value;
  if (digits.length > size) throw new DerError("a number of the signature is too large");
  const padded = new Uint8Array(size);
  padded.set(digits, size - digits.length);
  return padded;
}
