/** The secrets of a platform that runs for a measurement, and the tokens that it accepts. */
import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from "jose";

/** Returns new secrets as bindings of the Worker, and the key that signs its tokens. */
export async function makeSecrets() {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key: JWK = { ...(await exportJWK(privateKey)), kid: "bench", alg: "ES256", use: "sig" };
  const newKey = () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  const bindings = {
    SIGNING_KEYS: JSON.stringify({ keys: [key] }),
    PAGE_TOKEN_KEYS: JSON.stringify([newKey()]),
    ENCRYPTION_KEYS: JSON.stringify([newKey()]),
  };
  return { key, bindings };
}

/** Returns an access token of the platform for an identity. It is valid for an hour. */
export const sign = async (
  key: JWK,
  issuer: string,
  audience: string,
  identity: string,
  claims: JWTPayload,
) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: "ES256", kid: "bench" })
    .setIssuer(issuer)
    .setSubject(identity)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(await importJWK(key, "ES256"));
