/**
 * Logins for a client without a browser. The token waits here, encrypted for the X25519 key whose public half
 * the client put into the address (contract: browser login parameters).
 */
import { and, eq, gt, lte } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { base64url } from "jose";
import type { Auth } from "../../../schema/gen/platform/auth/auth_pb.js";
import { headlessSessions } from "../../../schema/tables/issuer/headless_sessions.ts";
import { alreadyExists, invalidArgument, notFound } from "../../aip/errors.ts";
import type { Database } from "../../auth/call.ts";
import { rowsOfEach } from "../../auth/databases.ts";
import type { Handlers } from "../../rpc/service.ts";
import { deleteExpired } from "../expired_rows.ts";
import { noStoreHeaders } from "./pages.ts";

type Statement = BatchItem<"sqlite">;

/** The time that a token waits for the client, in milliseconds. */
const sessionLifetime = 10 * 60_000;
const keyPattern = /^[A-Za-z0-9_-]{43}$/;
/** Crockford's base32, which has no letters that look alike. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * Eight letters that a person can compare, such as `k3v9-0qzt`: the first 40 bits of the SHA-256 of the
 * code's text.
 */
export async function fingerprintOf(code: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(code));
  const bits = [...new Uint8Array(digest).slice(0, 5)]
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("");
  const letters = (bits.match(/.{5}/g) ?? []).map((five) => digits[Number.parseInt(five, 2)]);
  return `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
}

/** Throws INVALID_ARGUMENT if the code is not a key. */
export const checkHeadlessCode = async (code: string) => void (await sealFor(code, ""));

/** Encrypts a text for the owner of the key, with a new key pair, ECDH (RFC 7748) and AES-256-GCM. */
async function sealFor(code: string, text: string) {
  const wrong = invalidArgument(
    "headless_code",
    "headless_code must be an X25519 public key of 32 bytes in base64url",
  );
  if (!keyPattern.test(code)) throw wrong;
  const { subtle } = crypto;
  const curve = { name: "X25519" };
  const theirs = await subtle
    .importKey("raw", base64url.decode(code) as Uint8Array<ArrayBuffer>, curve, false, [])
    .catch(() => Promise.reject(wrong));
  const ours = (await subtle.generateKey(curve, true, ["deriveBits"])) as CryptoKeyPair;
  // The types of Workers call this member `$public`, but the runtime uses the standard's name.
  const exchange = { ...curve, public: theirs } as never;
  // With a key of small order anyone would know the secret. The derivation fails for such a key.
  const secret = await subtle
    .deriveBits(exchange, ours.privateKey, 256)
    .catch(() => Promise.reject(wrong));
  const key = await subtle.importKey("raw", secret, "AES-GCM", false, ["encrypt"]);
  const nonce = crypto.getRandomValues(new Uint8Array(12));
  const bytes = new TextEncoder().encode(text);
  const sealed = new Uint8Array(await subtle.encrypt({ name: "AES-GCM", iv: nonce }, key, bytes));
  const publicKey = (await subtle.exportKey("raw", ours.publicKey)) as ArrayBuffer;
  return {
    ecdhPublicKey: base64url.encode(new Uint8Array(publicKey)),
    encryptedIdtoken: btoa(String.fromCharCode(...nonce, ...sealed)),
  };
}

/**
 * The statements that store a token for the client. Throws ALREADY_EXISTS if a token already waits under the
 * code. The insert fails with UNIQUE if one arrives in the meantime.
 */
export async function storeSealedToken(
  { db, now }: { db: Database; now: number },
  code: string,
  token: string,
): Promise<Statement[]> {
  const isOfCode = eq(headlessSessions.code, code);
  const [waiting] = await db
    .select({ code: headlessSessions.code })
    .from(headlessSessions)
    .where(and(isOfCode, gt(headlessSessions.expireTime, now)));
  if (waiting) throw alreadyExists("auth/HeadlessSession", "with that code");
  const row = { code, ...(await sealFor(code, token)), expireTime: now + sessionLifetime };
  return [
    db.delete(headlessSessions).where(and(isOfCode, lte(headlessSessions.expireTime, now))),
    deleteExpired(db, headlessSessions, headlessSessions.code, now),
    db.insert(headlessSessions).values(row),
  ];
}

/**
 * The GetHeadlessSession RPC: returns the encrypted token once. Throws NOT_FOUND while there is none. A code
 * that no login uses has the same error.
 */
export const getHeadlessSession: Handlers<typeof Auth>["getHeadlessSession"] = async (
  { code },
  { databases, now, responseHeaders },
) => {
  if (!keyPattern.test(code)) throw invalidArgument("code", "code must be 32 bytes in base64url");
  // It is in the database of the identity provider, which the client does not know.
  const [session] = await rowsOfEach(databases, (db) =>
    db
      .delete(headlessSessions)
      .where(and(eq(headlessSessions.code, code), gt(headlessSessions.expireTime, now)))
      .returning({
        ecdhPublicKey: headlessSessions.ecdhPublicKey,
        encryptedIdtoken: headlessSessions.encryptedIdtoken,
      }),
  );
  if (!session) throw notFound("auth/HeadlessSession", "with that code");
  for (const [name, value] of Object.entries(noStoreHeaders)) responseHeaders.set(name, value);
  const encryptedIdtoken = Uint8Array.from(atob(session.encryptedIdtoken), (c) => c.charCodeAt(0));
  // A text in a field of bytes, because existing clients read it in the same form as they write the code.
  return { ecdhPublicKey: new TextEncoder().encode(session.ecdhPublicKey), encryptedIdtoken };
};
