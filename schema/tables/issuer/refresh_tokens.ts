import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Refresh tokens. Used ones are stored too, so that a second use is noticed. All tokens of one login are a
 * family and are revoked together (RFC 9700 section 4.14.2). Times are in milliseconds since 1970 in UTC.
 */
export const refreshTokens = sqliteTable(
  "refresh_tokens",
  {
    /** SHA-256 of the secret, in hexadecimal. */
    digest: text("digest").primaryKey(),
    family: text("family").notNull(),
    identityUid: text("identity_uid").notNull(),
    identityProviderUid: text("identity_provider_uid").notNull(),
    /** The claims for access tokens of the family. */
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
