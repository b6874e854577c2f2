/** Encrypts secrets that must be read again (JWE, RFC 7516), with the keys in ENCRYPTION_KEYS. */
import { base64url, CompactEncrypt, compactDecrypt } from "jose";
import { type Config, ConfigError } from "../config.ts";

function encryptionKeys(config: Config): Uint8Array[] {
  if (config.encryptionKeys.length === 0)
    throw new ConfigError("configuration is missing ENCRYPTION_KEYS");
  return config.encryptionKeys.map((key) => base64url.decode(key).slice(0, 32));
}

/**
 * Encrypts a text with the first key. `purpose` is bound to the result, so a secret of one row or use cannot
 * be opened as the secret of another.
 */
export async function seal(config: Config, purpose: string, text: string): Promise<string> {
  const [key = new Uint8Array()] = encryptionKeys(config);
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", sub: purpose })
    .encrypt(key);
}

/** The purpose of the encrypted client secret of an identity provider. */
export const clientSecretPurpose = (provider: string) => `client_secret ${provider}`;

/** Decrypts a text of that purpose with any of the keys. Undefined if no key opens it. */
export async function unseal(
  config: Config,
  purpose: string,
  sealed: string,
): Promise<string | undefined> {
  for (const key of encryptionKeys(config)) {
    try {
      const { plaintext, protectedHeader } = await compactDecrypt(sealed, key, {
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
      });
      return protectedHeader.sub === purpose ? new TextDecoder().decode(plaintext) : undefined;
    } catch {
      // encrypted with another key, or not by us
    }
  }
  return undefined;
}
