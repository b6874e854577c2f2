/** Our own keys: the secret SIGNING_KEYS, a JWKS. Its first key signs, and all of its keys verify. */
import { createLocalJWKSet, importJWK, type JWK, type JWTPayload, SignJWT } from "jose";
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
