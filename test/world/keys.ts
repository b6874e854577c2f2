import { exportJWK, generateKeyPair } from "jose";

/** Fresh secrets of a platform: one ES256 signing key and one page token key. */
export async function makeKeys() {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = {
    ...(await exportJWK(privateKey)),
    kid: crypto.randomUUID(),
    alg: "ES256",
    use: "sig",
  };
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  return { signingKeys: JSON.stringify({ keys: [key] }), pageTokenKeys: JSON.stringify([secret]) };
}
