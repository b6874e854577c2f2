import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The logins that are not ended. The tokens of a login contain its uid, and end with its row. A refresh token has the same
 * uid as its family. Times are in milliseconds since 1970 in UTC.
 */
export const sessions = sqliteTable(
  "sessions",
  {
    /** The uid of the identity provider, a slash and 16 hexadecimal digits. */
    uid: text("uid").primaryKey(),
    /** The person who logged in. */
    identityUid: text("identity_uid").notNull(),
    /** Number of Session.Kind. */
    kind: integer("kind").notNull(),
    /** The host that the login returned to. */
    client: text("client").notNull(),
    /** The beginning of the header `user-agent` of the browser. */
    userAgent: text("user_agent").notNull(),
    createTime: integer("create_time").notNull(),
    /** When the session last got a token. */
    lastUsedTime: integer("last_used_time").notNull(),
    expireTime: integer("expire_time").notNull(),
  },
  (t) => [
    index("sessions_by_identity").on(t.identityUid),
    index("sessions_by_expiry").on(t.expireTime),
  ],
);
