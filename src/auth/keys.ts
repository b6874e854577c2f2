/** Our own keys: the secret SIGNING_KEYS, a JWKS. Its first key signs, and all of its keys verify. */
import { createLocalJWKSet, exportSPKI, importJWK, type JWK, type JWTPayload, SignJWT } from "jose";
import { sha256 } from "../aip/sha256.ts";
import { type Config, ConfigError } from "../config.ts";

/** The parameters of a private or symmetric key (RFC 7518 section 6), which must stay secret. */
const secretParameters = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** The keys of the setting, at least one. Throws ConfigError. */
function parse(text: string): [JWK, ...JWK[]] {
  try {
    const { keys } = JSON.parse(text) as { keys: [JWK, ...JWK[]] };
    if (Array.isArray(keys) && keys.length > 0) return keys;
  } catch {
    // falls through to the error, which names the setting
  }
  throw new ConfigError("SIGNING_KEYS must be a JWKS with at least one key");
}

/** The public half, as `/.well-known/jwks.json` shows it (RFC 7517). */
export function publicKeys(config: Config): { keys: JWK[] } {
  const visible = (key: JWK) =>
    Object.fromEntries(Object.entries(key).filter(([name]) => !secretParameters.includes(name)));
  return { keys: parse(config.signingKeys).map((key) => visible(key) as JWK) };
}

let verification: { text: string; keys: ReturnType<typeof createLocalJWKSet> } | undefined;

/** Key lookup for tokens of our own issuer. */
export function ownKeys(config: Config): ReturnType<typeof createLocalJWKSet> {
  if (verification?.text !== config.signingKeys) {
    verification = { text: config.signingKeys, keys: createLocalJWKSet(publicKeys(config)) };
  }
  return verification.keys;
}

/** The public half as PEM (RFC 7468), the key that signs first. */
export async function publicKeysPem(config: Config): Promise<string> {
  const keys = publicKeys(config).keys.map(async (key) =>
    exportSPKI((await importJWK(key, key.alg ?? "ES256", { extractable: true })) as CryptoKey),
  );
  return (await Promise.all(keys)).map((pem) => `${pem.trimEnd()}\n`).join("");
}

/** The first key, which signs bytes as well as tokens. */
export interface ByteSigner {
  /** The SHA-256 digest of the public half (SubjectPublicKeyInfo), as hexadecimal digits. */
  keyId: string;
  /** Returns a signature with P-256 and SHA-256: two numbers, one after the other. */
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
}

const byteAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Imports a key for one use. Only a public one can be exported again. */
const importFor = (use: "sign" | "verify", key: JWK) =>
  crypto.subtle.importKey(
    "jwk",
    { ...key, key_ops: [use] } as JsonWebKey,
    byteAlgorithm,
    use === "verify",
    [use],
  );

/**
 * The signer of bytes other than tokens. A token begins with `eyJ`, so bytes that begin with another text can never be taken
 * for one. Throws ConfigError in a Worker that has only the public half, or if the key is not one for ES256.
 */
export async function byteSigner(config: Config): Promise<ByteSigner> {
  const [key] = parse(config.signingKeys);
  if (!key.d || key.crv !== "P-256")
    throw new ConfigError("the first key of SIGNING_KEYS must be a private key with P-256");
  const { d: _secret, ...visible } = key;
  const spki = await crypto.subtle.exportKey("spki", await importFor("verify", visible));
  return {
    keyId: await sha256(new Uint8Array(spki as ArrayBuffer)),
    async sign(bytes) {
      const secret = await importFor("sign", key);
      return new Uint8Array(await crypto.subtle.sign(byteAlgorithm, secret, bytes));
    },
  };
}

/**
 * Signs a JWT of our issuer with the first key. `issued` and `expires` are milliseconds since 1970 in UTC.
 * Throws ConfigError in a Worker that has only the public half.
 */
export async function signToken(
  config: Config,
  claims: JWTPayload,
  times: { issued: number; expires: number },
): Promise<string> {
  const [key] = parse(config.signingKeys);
  if (!key.d)
    throw new ConfigError(
      "the first key of SIGNING_KEYS must be a private key, to sign tokens with",
    );
  const alg = key.alg ?? "ES256";
  return new SignJWT(claims)
    .setProtectedHeader({ alg, typ: "JWT", ...(key.kid ? { kid: key.kid } : {}) })
    .setIssuer(config.issuerUrl)
    .setIssuedAt(Math.floor(times.issued / 1000))
    .setExpirationTime(Math.floor(times.expires / 1000))
    .setJti(crypto.randomUUID())
    .sign(await importJWK(key, alg));
}
