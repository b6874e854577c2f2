import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Finished logins that wait for a client without a browser. Only that client can decrypt them. */
export const headlessSessions = sqliteTable(
  "headless_sessions",
  {
    /** The X25519 public key of the client, as 32 bytes in base64url. */
    code: text("code").primaryKey(),
    /** Our public key, created for this session, in the same form. */
    ecdhPublicKey: text("ecdh_public_key").notNull(),
    /** Base64 of the nonce and the AES-256-GCM ciphertext. */
    encryptedIdtoken: text("encrypted_idtoken").notNull(),
    /** Milliseconds since 1970 in UTC. */
    expireTime: integer("expire_time").notNull(),
  },
  (t) => [index("headless_sessions_by_expiry").on(t.expireTime)],
);
