/**
 * A login that is completed in a browser on another machine. Its address contains an X25519 public key, and the token
 * comes back encrypted for that key (contract: browser login parameters).
 */
import {
  createDecipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { refusedFailure, toFailure, toStatusFailure, unreachableFailure } from "../failure.ts";

/** The key of one login. `code` is its public half in raw base64url. */
export type HeadlessKey = { code: string; privateKey: KeyObject };

const interval = 2_000;
const nonceBytes = 12;
const tagBytes = 16;
/** Crockford's base32 alphabet, in which no two characters look alike. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";

/** Creates a key. */
export function newHeadlessKey(): HeadlessKey {
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  return { code: publicKey.export({ format: "jwk" }).x ?? "", privateKey };
}

/** Returns eight characters to compare with those on the page: the first 40 bits of the SHA-256 of the code. */
export function fingerprintOf(code: string): string {
  let bits = BigInt(`0x${createHash("sha256").update(code).digest("hex").slice(0, 10)}`);
  let letters = "";
  for (let count = 0; count < 8; count += 1) {
    letters = `${digits[Number(bits & 31n)]}${letters}`;
    bits >>= 5n;
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/**
 * Asks the issuer every two seconds until the token is there. Throws a LOGIN_TIMEOUT Failure if no one signs in within
 * `timeoutMs` milliseconds.
 */
export async function awaitToken(
  issuer: string,
  key: HeadlessKey,
  timeoutMs: number,
): Promise<string> {
  const address = `${issuer}/sts/headless_sessions?code=${key.code}`;
  const end = Date.now() + timeoutMs;
  while (Date.now() < end) {
    const sealed = await ask(address);
    if (sealed) return open(sealed, key.privateKey);
    await pause(interval);
  }
  throw refusedFailure(
    "LOGIN_TIMEOUT",
    "No one signed in before the login timed out. Start the login again.",
  );
}

type Sealed = { ecdhPublicKey: string; encryptedIdtoken: string };

async function ask(address: string): Promise<Sealed | undefined> {
  const { origin } = new URL(address);
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(30_000) });
    // After a rate limit, it is too early to ask again.
    if (response.status === 404 || response.status === 429) return undefined;
    const body = await response.text();
    if (!response.ok) throw toStatusFailure(response.status, body, origin);
    return JSON.parse(body) as Sealed;
  } catch (error) {
    throw toFailure(error, origin);
  }
}

function open({ ecdhPublicKey, encryptedIdtoken }: Sealed, privateKey: KeyObject): string {
  try {
    // This bytes field contains text, so it is the base64 of the key in base64url.
    const x = Buffer.from(ecdhPublicKey, "base64").toString("latin1");
    const key = { kty: "OKP", crv: "X25519", x };
    const publicKey = createPublicKey({ key, format: "jwk" });
    const sealed = Buffer.from(encryptedIdtoken, "base64");
    const nonce = sealed.subarray(0, nonceBytes);
    const secret = diffieHellman({ privateKey, publicKey });
    const decipher = createDecipheriv("aes-256-gcm", secret, nonce);
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    return (
      decipher.update(sealed.subarray(nonceBytes, -tagBytes), undefined, "utf8") +
      decipher.final("utf8")
    );
  } catch {
    throw unreachableFailure("The issuer returned a token that is not encrypted for this login.");
  }
}
