import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { GROUP_LEVELS, listIndexes, resourceColumns } from "../columns.ts";
import { countRows, requireParent } from "../triggers.ts";
import { groups } from "./groups.ts";

/** Invites into a group. Only the SHA-256 of the code is stored, in hexadecimal. */
export const groupInvites = sqliteTable(
  "group_invites",
  {
    ...resourceColumns(),
    roleUid: text("role_uid").notNull(),
    email: text("email").notNull().default(""),
    expirationTime: integer("expiration_time").notNull(),
    singleUse: integer("single_use", { mode: "boolean" }).notNull().default(false),
    keyId: text("key_id").notNull(),
    codeDigest: text("code_digest").notNull(),
  },
  (t) => [
    ...listIndexes("group_invites", t, {
      depths: 1 + GROUP_LEVELS,
      orders: { expiration: t.expirationTime },
    }),
    uniqueIndex("group_invites_by_key").on(t.keyId),
  ],
);

export const triggers = () => [...countRows(groupInvites), ...requireParent(groupInvites, groups)];
