import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Logins that wait for a client without a browser, readable by that client only. */
export const headlessSessions = sqliteTable(
  "headless_sessions",
  {
    /** The client's X25519 public key, raw base64url. */
    code: text("code").primaryKey(),
    /** Ours, made for this session, in the same form. */
    ecdhPublicKey: text("ecdh_public_key").notNull(),
    /** Base64 of nonce and AES-256-GCM ciphertext. */
    encryptedIdtoken: text("encrypted_idtoken").notNull(),
    /** Milliseconds since 1970 UTC. */
    expireTime: integer("expire_time").notNull(),
  },
  (t) => [index("headless_sessions_by_expiry").on(t.expireTime)],
);
