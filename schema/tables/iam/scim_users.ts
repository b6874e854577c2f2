import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { keepDeleted } from "../platform/deletions.ts";
import { countRows, requireParent } from "../triggers.ts";
import { identityProviders } from "./identity_providers.ts";

/**
 * Users that a provisioning client manages (RFC 7643 section 4.1). The parent is the identity provider. The
 * SCIM id is the last step of the uid.
 */
export const scimUsers = sqliteTable(
  "scim_users",
  {
    ...resourceColumns(),
    userName: text("user_name").notNull(),
    /** In lowercase, because user names are compared without regard to case. */
    userNameKey: text("user_name_key").notNull(),
    externalId: text("external_id"),
    active: integer("active", { mode: "boolean" }).notNull().default(true),
    /** The identity that logged in as this user. Null before the first login. */
    identityUid: text("identity_uid"),
    /** The other attributes, as JSON of the resource without id, schemas and meta. */
    attributes: text("attributes", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
  },
  (t) => [
    uniqueIndex("scim_users_by_name").on(t.parent, t.userNameKey),
    uniqueIndex("scim_users_by_external_id")
      .on(t.parent, t.externalId)
      .where(sql`"external_id" is not null`),
    index("scim_users_children_by_created").on(t.parent, t.createTime, t.uid),
    index("scim_users_by_identity").on(t.identityUid, t.parent),
  ],
);

export const triggers = () => [
  countRows(scimUsers, { mayBeLeft: true }),
  requireParent(scimUsers, identityProviders),
  keepDeleted(scimUsers, "identity provider"),
];
