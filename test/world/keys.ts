import { exportJWK, generateKeyPair } from "jose";

/** New secrets of a platform: an ES256 signing key, a page token key and an encryption key. */
export async function makeKeys() {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = {
    ...(await exportJWK(privateKey)),
    kid: crypto.randomUUID(),
    alg: "ES256",
    use: "sig",
  };
  const secret = () =>
    JSON.stringify([Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")]);
  const signingKeys = JSON.stringify({ keys: [key] });
  return { signingKeys, pageTokenKeys: secret(), encryptionKeys: secret() };
}
