import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Who has signed in through which identity provider, so that its default role is bound once. Times
 * are milliseconds since 1970 UTC.
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
