import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Refresh tokens, used ones too, so that a second use is seen. A login and all that follows from it
 * are one family, which is revoked together (RFC 9700 section 4.14.2). Times are milliseconds since
 * 1970 UTC.
 */
export const refreshTokens = sqliteTable(
  "refresh_tokens",
  {
    /** SHA-256 in hex of the secret. */
    digest: text("digest").primaryKey(),
    family: text("family").notNull(),
    identityUid: text("identity_uid").notNull(),
    identityProviderUid: text("identity_provider_uid").notNull(),
    /** Claims that access tokens of the family carry. */
    claims: text("claims", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
    createTime: integer("create_time").notNull(),
    expireTime: integer("expire_time").notNull(),
    useTime: integer("use_time"),
    revokeTime: integer("revoke_time"),
  },
  (t) => [
    index("refresh_tokens_by_family").on(t.family),
    index("refresh_tokens_by_identity").on(t.identityUid),
    index("refresh_tokens_by_expiry").on(t.expireTime),
  ],
);
