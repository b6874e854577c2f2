/** Verifies signatures with public keys: those of certificates, and those that someone gives. */
import { contentOf, DerError, type Element, itemsOf, oidOf, readOne, Tag } from "./der.ts";
import type { Bytes } from "./signature.ts";

/** The hash functions, by the name that Web Crypto has for them. */
export type Hash = "SHA-256" | "SHA-384" | "SHA-512";

/** The most bytes of a key: those of RSA with 4096 bits have 550. */
const maxKeyBytes = 600;

/** The bytes of an RSA key with 2048 bits. */
const minRsaBytes = 292;

const rsa = "RSASSA-PKCS1-v1_5";

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
  "1.3.132.0.35": {
    algorithm: { name: "ECDSA", namedCurve: "P-521" },
    hashes: ["SHA-512", "SHA-256"],
    size: 66,
  },
};
const ellipticCurve = "1.2.840.10045.2.1";
const keyTypes: Record<string, KeyType> = {
  // Ed25519 has its own hash, and Web Crypto ignores this one.
  "1.3.101.112": { algorithm: { name: "Ed25519" }, hashes: ["SHA-512"] },
  "1.2.840.113549.1.1.1": { algorithm: { name: rsa }, hashes: ["SHA-256"] },
};

/** The algorithms of signatures in certificates, each with the type of its key. */
const certificateAlgorithms: Record<string, [name: string, hash: Hash]> = {
  "1.2.840.10045.4.3.2": ["ECDSA", "SHA-256"],
  "1.2.840.10045.4.3.3": ["ECDSA", "SHA-384"],
  "1.2.840.10045.4.3.4": ["ECDSA", "SHA-512"],
  "1.2.840.113549.1.1.11": [rsa, "SHA-256"],
  "1.2.840.113549.1.1.12": [rsa, "SHA-384"],
  "1.2.840.113549.1.1.13": [rsa, "SHA-512"],
  "1.3.101.112": ["Ed25519", "SHA-512"],
};

/** Reads a SubjectPublicKeyInfo. Throws DerError for one with an algorithm that is not supported, or a short RSA key. */
function typeOf(key: Bytes): KeyType {
  if (key.length > maxKeyBytes) throw new DerError("the key is too large");
  const [algorithm] = itemsOf(readOne(key, Tag.sequence));
  const [id, curve] = itemsOf(algorithm);
  const name = oidOf(id);
  const type = name === ellipticCurve ? curves[oidOf(curve)] : keyTypes[name];
  if (!type) throw new DerError("the key has an algorithm that is not supported");
  if (type.algorithm.name === rsa && key.length < minRsaBytes)
    throw new DerError("the RSA key has fewer than 2048 bits");
  return type;
}

/** Checks that a key can verify signatures. Throws DerError. */
export async function requireKey(key: Bytes): Promise<void> {
  const { algorithm, hashes } = typeOf(key);
  await importKey(key, algorithm, hashes[0] ?? "SHA-256");
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

/** The algorithms of Notation by their names in JOSE (RFC 7518 section 3.1): each with the keys that use it. */
const joseAlgorithms: Record<
  string,
  { name: string; hash: Hash; isOf: (key: KeyType, bytes: number) => boolean }
> = {
  ES256: ecdsaOf("SHA-256", "P-256"),
  ES384: ecdsaOf("SHA-384", "P-384"),
  ES512: ecdsaOf("SHA-512", "P-521"),
  PS256: pssOf("SHA-256", 2048),
  PS384: pssOf("SHA-384", 3072),
  PS512: pssOf("SHA-512", 4096),
};

function ecdsaOf(hash: Hash, curve: string) {
  const isOf = ({ algorithm }: KeyType) => algorithm.namedCurve === curve;
  return { name: "ECDSA", hash, isOf };
}

/** The size of a key decides about the hash. The bytes around the modulus are at most 40. */
function pssOf(hash: Hash, bits: number) {
  const isOf = ({ algorithm }: KeyType, bytes: number) =>
    algorithm.name === rsa && bytes >= bits / 8 && bytes < bits / 8 + 64;
  return { name: "RSA-PSS", hash, isOf };
}

/**
 * Whether the key signed the bytes with an algorithm by its name in JOSE, whose signatures with an elliptic curve are two
 * numbers one after the other. False for an algorithm that is not the one of the key. Throws DerError.
 */
export async function verifiesByName(
  key: Bytes,
  algorithm: string,
  signature: Bytes,
  signed: Bytes,
): Promise<boolean> {
  const type = typeOf(key);
  const { name, hash, isOf } = joseAlgorithms[algorithm] ?? {};
  if (!name || !hash || !isOf?.(type, key.length)) return false;
  const imported = await importKey(key, { ...type.algorithm, name }, hash);
  const saltLength = Number(hash.slice(4)) / 8;
  return crypto.subtle.verify({ name, hash, saltLength }, imported, signature, signed);
}

/** Imports a key. Throws DerError for one that is damaged: a policy must not fail because of it. */
async function importKey(
  key: Bytes,
  algorithm: KeyType["algorithm"],
  hash: Hash,
): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey("spki", key, { ...algorithm, hash }, false, ["verify"]);
  } catch {
    throw new DerError("the key is damaged");
  }
}

async function verifies(
  key: Bytes,
  { algorithm, size }: KeyType,
  hash: Hash,
  signature: Bytes,
  signed: Bytes,
): Promise<boolean> {
  const raw = size === undefined ? signature : toRaw(signature, size);
  const imported = await importKey(key, algorithm, hash);
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
