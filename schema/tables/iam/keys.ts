import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { leafIndexes, leafKeys } from "../list_indexes.ts";
import { countRows, requireParent } from "../triggers.ts";
import { identities } from "./identities.ts";

/** Keys of identities for the registry. The parent is the identity. Times are in milliseconds since 1970 in UTC. */
export const keys = sqliteTable(
  "keys",
  {
    ...resourceColumns(),
    ...leafKeys(),
    name: text("name").notNull(),
    /** SHA-256 of the secret, in hexadecimal. */
    digest: text("digest").notNull(),
    /** The uids of groups and repositories. Empty for all that the identity reaches. */
    scopes: text("scopes", { mode: "json" }).$type<string[]>().notNull(),
    actions: text("actions", { mode: "json" }).$type<string[]>().notNull(),
    /** Blocks of addresses. Empty for any. */
    networks: text("networks", { mode: "json" }).$type<string[]>().notNull(),
    expireTime: integer("expire_time").notNull(),
    /** The time of the next event about the expiry. Null if none follows (src/iam/expiry). */
    noticeTime: integer("notice_time"),
    /** The first use on the last day (UTC) with a use. 0 for none. */
    lastUsedTime: integer("last_used_time").notNull().default(0),
    /** The identity that created the key. It may be gone. */
    creatorUid: text("creator_uid").notNull(),
  },
  (t) => [
    ...leafIndexes("keys", t, {
      orders: { created: t.createTime, name: t.name, expiry: t.expireTime },
    }),
    uniqueIndex("keys_by_digest").on(t.digest),
    index("keys_by_notice").on(t.noticeTime).where(sql`"notice_time" is not null`),
  ],
);

export const triggers = () => [countRows(keys), requireParent(keys, identities)];
