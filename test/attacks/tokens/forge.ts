/** Tokens made by hand, byte by byte, as no library makes them (RFC 7515 section 7.1). */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from "node:crypto";
import type { JWK } from "jose";
import { inject } from "vitest";
import { audience, issuer, registryAudience } from "../../world/platform.ts";

/** Signs the two first parts of a token. */
export type TokenSigner = (input: string) => Buffer;

const base64url = (text: string | Buffer) => Buffer.from(text).toString("base64url");
const textOf = (part: unknown) => (typeof part === "string" ? part : JSON.stringify(part));

/** A token of any header and payload; a text stands as it is, anything else as JSON. */
export function forged(header: unknown, payload: unknown, signer: TokenSigner): string {
  const input = `${base64url(textOf(header))}.${base64url(textOf(payload))}`;
  return `${input}.${base64url(signer(input))}`;
}

/** ECDSA, its two numbers one behind the other (RFC 7518 section 3.4) unless said otherwise. */
export const ecdsa =
  (
    key: KeyObject,
    hash = "sha256",
    dsaEncoding: "ieee-p1363" | "der" = "ieee-p1363",
  ): TokenSigner =>
  (input) =>
    sign(hash, Buffer.from(input), { key, dsaEncoding });

export const rsa =
  (key: KeyObject): TokenSigner =>
  (input) =>
    sign("sha256", Buffer.from(input), key);

export const ed25519 =
  (key: KeyObject): TokenSigner =>
  (input) =>
    sign(null, Buffer.from(input), key);

export const hmac =
  (secret: string | Buffer): TokenSigner =>
  (input) =>
    createHmac("sha256", secret).update(input).digest();

/** Those bytes, whatever is to be signed. */
export const fixedSignature =
  (signature: Buffer): TokenSigner =>
  () =>
    signature;

/** The platform's own key pair, and its public half as JWK and as PEM. */
function ownKey() {
  const [jwk] = (JSON.parse(inject("signingKeys")) as { keys: (JWK & { kid: string })[] }).keys;
  if (!jwk) throw new Error("no signing key");
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  const publicKey = createPublicKey(key);
  return {
    key,
    kid: jwk.kid,
    jwk: publicKey.export({ format: "jwk" }),
    pem: publicKey.export({ format: "pem", type: "spki" }) as string,
  };
}

export const foreignKeys = {
  p256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  p384: generateKeyPairSync("ec", { namedCurve: "P-384" }),
  k256: generateKeyPairSync("ec", { namedCurve: "secp256k1" }),
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ed25519: generateKeyPairSync("ed25519"),
};

export const own = ownKey();
/** Seconds since 1970 UTC. */
export const now = Math.floor(Date.now() / 1000);
const header = { alg: "ES256", typ: "JWT", kid: own.kid };

/** Forgeries of tokens of one identity, which each differ in one thing from a good one. */
export function forgerOf(identity: string) {
  const claims = {
    iss: issuer,
    sub: identity,
    aud: [audience, registryAudience],
    iat: now,
    exp: now + 600,
  };
  /** Signed with the platform's key: such a token is wrong in what it says only. */
  const signed = (said: unknown, head: unknown = header) => forged(head, said, ecdsa(own.key));
  /** A payload with a duplicate claim. All of our readers take the last one (RFC 7519 section 4). */
  const twice = (name: keyof typeof claims, first: unknown, last: unknown) => {
    const { [name]: _, ...others } = claims;
    const text = JSON.stringify(others).slice(1, -1);
    return `{"${name}":${JSON.stringify(first)},${text},"${name}":${JSON.stringify(last)}}`;
  };
  return {
    identity,
    header,
    claims,
    signed,
    twice,
    saying: (more: Record<string, unknown>) => signed({ ...claims, ...more }),
    /** Right in what it says, of this header and signature. */
    under: (head: Record<string, unknown>, signer: TokenSigner) =>
      forged({ ...header, ...head }, claims, signer),
    /** The three parts of a good token. */
    parts: () => signed(claims).split(".") as [string, string, string],
  };
}

export type TokenForger = ReturnType<typeof forgerOf>;

/** A forgery, and what the refusals of it say. */
export type Forgery = [
  name: string,
  make: (by: TokenForger) => string | Promise<string>,
  says: RegExp,
];
