import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { groupIndexes, groupKeys } from "../list_indexes.ts";
import { countRows, requireParent } from "../triggers.ts";
import { groups } from "./groups.ts";

/** Invites into a group. Only the SHA-256 of the code is stored, in hexadecimal. */
export const groupInvites = sqliteTable(
  "group_invites",
  {
    ...resourceColumns(),
    ...groupKeys(),
    roleUid: text("role_uid").notNull(),
    email: text("email").notNull().default(""),
    expirationTime: integer("expiration_time").notNull(),
    singleUse: integer("single_use", { mode: "boolean" }).notNull().default(false),
    keyId: text("key_id").notNull(),
    codeDigest: text("code_digest").notNull(),
    /** The identity that created the invite. It may be gone. */
    inviterUid: text("inviter_uid").notNull(),
  },
  (t) => [
    ...groupIndexes("group_invites", t, { orders: { expiration: t.expirationTime } }),
    uniqueIndex("group_invites_by_key").on(t.keyId),
  ],
);

export const triggers = () => [...countRows(groupInvites), ...requireParent(groupInvites, groups)];
