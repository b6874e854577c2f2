/** Tokens built byte by byte, as no library builds them (RFC 7515 section 7.1). */
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

/** Signs the first two parts of a token. */
export type TokenSigner = (input: string) => Buffer;

const base64url = (text: string | Buffer) => Buffer.from(text).toString("base64url");
const bytesOf = (part: unknown) =>
  typeof part === "string" || part instanceof Buffer ? part : JSON.stringify(part);

/** A token of any header and payload. Text and bytes are used unchanged, and any other value as JSON. */
export function forged(header: unknown, payload: unknown, signer: TokenSigner): string {
  const input = `${base64url(bytesOf(header))}.${base64url(bytesOf(payload))}`;
  return `${input}.${base64url(signer(input))}`;
}

/** ECDSA, with its two numbers one after the other (RFC 7518 section 3.4) by default. */
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

/** A signer that returns these bytes for every input. */
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
/** Seconds since 1970 in UTC. */
export const now = Math.floor(Date.now() / 1000);
const header = { alg: "ES256", typ: "JWT", kid: own.kid };

/** Forged tokens of one identity. Each differs in one thing from a valid token. */
export function forgerOf(identity: string) {
  const claims = {
    iss: issuer,
    sub: identity,
    aud: [audience, registryAudience],
    iat: now,
    exp: now + 600,
  };
  /** Signed with the platform's key: only the contents of such a token are wrong. */
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
    /** The contents are valid, with this header and signature. */
    under: (head: Record<string, unknown>, signer: TokenSigner) =>
      forged({ ...header, ...head }, claims, signer),
    /** The three parts of a valid token. */
    parts: () => signed(claims).split(".") as [string, string, string],
  };
}

export type TokenForger = ReturnType<typeof forgerOf>;

/** A forged token, and the text in its errors. */
export type Forgery = [
  name: string,
  make: (by: TokenForger) => string | Promise<string>,
  says: RegExp,
];
