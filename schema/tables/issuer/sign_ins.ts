import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The people who have logged in through each identity provider, so that its default role is bound only once.
 * Times are in milliseconds since 1970 in UTC.
 */
export const signIns = sqliteTable(
  "sign_ins",
  {
    identityProviderUid: text("identity_provider_uid").notNull(),
    identityUid: text("identity_uid").notNull(),
    createTime: integer("create_time").notNull(),
    lastTime: integer("last_time").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.identityProviderUid, t.identityUid] }),
    index("sign_ins_by_identity").on(t.identityUid, t.identityProviderUid),
  ],
);
