/**
 * Texts that only the platform can create and read, although a caller keeps them. They are encrypted and
 * authenticated with PAGE_TOKEN_KEYS, which every Worker has.
 */
import { base64url } from "jose";

/** The use of a text, and a name that it is bound to, such as its caller. Only the same purpose opens it. */
export interface Purpose {
  name: string;
  boundTo?: string;
}

const saltBytes = 16;

/**
 * The AES-GCM key of one text. Every text has a key of its own, derived from its salt (HKDF, RFC 5869), so the
 * same key and initialization vector never encrypt twice. The info separates the keys of different purposes.
 */
async function keyOf(
  secret: string,
  { name }: Purpose,
  salt: Uint8Array<ArrayBuffer>,
): Promise<CryptoKey> {
  const bytes = new Uint8Array(base64url.decode(secret));
  const source = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt, info: new TextEncoder().encode(name) };
  const kind = { name: "AES-GCM", length: 256 };
  return crypto.subtle.deriveKey(derivation, source, kind, false, ["encrypt", "decrypt"]);
}

const cipherOf = ({ boundTo = "" }: Purpose) => ({
  name: "AES-GCM",
  iv: new Uint8Array(12),
  additionalData: new TextEncoder().encode(boundTo),
});

/** Seals a text with the first key. The result is base64url. */
export async function sealText(keys: string[], purpose: Purpose, text: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(saltBytes));
  const key = await keyOf(keys[0] ?? "", purpose, salt);
  const bytes = new TextEncoder().encode(text);
  const sealed = new Uint8Array(await crypto.subtle.encrypt(cipherOf(purpose), key, bytes));
  return base64url.encode(new Uint8Array([...salt, ...sealed]));
}

/** Opens a sealed text with any of the keys. Undefined if the platform did not seal it for this purpose. */
export async function openText(
  keys: string[],
  purpose: Purpose,
  sealed: string,
): Promise<string | undefined> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = new Uint8Array(base64url.decode(sealed));
  } catch {
    return undefined;
  }
  const [salt, rest] = [bytes.slice(0, saltBytes), bytes.slice(saltBytes)];
  for (const secret of keys) {
    try {
      const key = await keyOf(secret, purpose, salt);
      return new TextDecoder().decode(await crypto.subtle.decrypt(cipherOf(purpose), key, rest));
    } catch {
      // sealed with another key or for another purpose, or not by us
    }
  }
  return undefined;
}
