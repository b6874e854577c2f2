import { sql } from "drizzle-orm";
import { index, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { keepDeleted } from "../platform/deletions.ts";
import { countRows, requireParent, requireRow } from "../triggers.ts";
import { identityProviders } from "./identity_providers.ts";
import { scimUsers } from "./scim_users.ts";

/**
 * Groups that a provisioning client manages (RFC 7643 section 4.2). The parent is the identity provider. The
 * SCIM id is the last step of the uid. A role mapping of the provider names a group by its `displayName` or its
 * `externalId`.
 */
export const scimGroups = sqliteTable(
  "scim_groups",
  {
    ...resourceColumns(),
    displayName: text("display_name").notNull(),
    /** In lowercase, because names are compared without regard to case. */
    displayNameKey: text("display_name_key").notNull(),
    externalId: text("external_id"),
  },
  (t) => [
    uniqueIndex("scim_groups_by_name").on(t.parent, t.displayNameKey),
    uniqueIndex("scim_groups_by_external_id")
      .on(t.parent, t.externalId)
      .where(sql`"external_id" is not null`),
    // Role mappings name a group exactly.
    index("scim_groups_by_exact_name").on(t.parent, t.displayName),
    index("scim_groups_children_by_created").on(t.parent, t.createTime, t.uid),
  ],
);

/** The users in each group. Both are of the same identity provider. */
export const scimGroupMembers = sqliteTable(
  "scim_group_members",
  {
    groupUid: text("group_uid").notNull(),
    userUid: text("user_uid").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.groupUid, t.userUid] }),
    index("scim_group_members_by_user").on(t.userUid, t.groupUid),
  ],
);

export const triggers = () => [
  countRows(scimGroups, { mayBeLeft: true }),
  requireParent(scimGroups, identityProviders),
  keepDeleted(scimGroups, "identity provider"),
  requireRow(scimGroupMembers.groupUid, scimGroups, "group"),
  requireRow(scimGroupMembers.userUid, scimUsers, "user"),
];
