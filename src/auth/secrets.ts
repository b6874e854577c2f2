/** Secrets that have to be read again, sealed at rest (JWE, RFC 7516) under ENCRYPTION_KEYS. */
import { base64url, CompactEncrypt, compactDecrypt } from "jose";
import { type Config, ConfigError } from "../config.ts";

function encryptionKeys(config: Config): Uint8Array[] {
  if (config.encryptionKeys.length === 0)
    throw new ConfigError("configuration is missing ENCRYPTION_KEYS");
  return config.encryptionKeys.map((key) => base64url.decode(key).slice(0, 32));
}

/**
 * Encrypts a text with the first key. `purpose` is bound to it: what was sealed for one row or use
 * cannot be opened as another's.
 */
export async function seal(config: Config, purpose: string, text: string): Promise<string> {
  const [key = new Uint8Array()] = encryptionKeys(config);
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", sub: purpose })
    .encrypt(key);
}

/** The purpose for which the client secret of an identity provider is sealed. */
export const clientSecretPurpose = (provider: string) => `client_secret ${provider}`;

/** The text that was sealed for the purpose, by any of the keys; undefined where none opens it. */
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
      // sealed by another key, or not by us
    }
  }
  return undefined;
}
