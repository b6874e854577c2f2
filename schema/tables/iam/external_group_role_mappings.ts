import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { leafIndexes, leafKeys } from "../list_indexes.ts";
import { isPresentInTrigger, keepDeleted } from "../platform/deletions.ts";
import { countRows, requireParent, requireRow } from "../triggers.ts";
import { identityProviders } from "./identity_providers.ts";
import { roles } from "./roles.ts";

/** Roles for the groups of an identity provider. The parent is the provider. */
export const externalGroupRoleMappings = sqliteTable(
  "external_group_role_mappings",
  {
    ...resourceColumns(),
    ...leafKeys(),
    externalGroupId: text("external_group_id").notNull(),
    roleUid: text("role_uid").notNull(),
    /** The uid of the group that the role applies to. */
    scope: text("scope").notNull(),
  },
  (t) => [
    ...leafIndexes("external_group_role_mappings", t, {
      orders: {
        created: t.createTime,
        updated: t.updateTime,
        group: t.externalGroupId,
        role: t.roleUid,
      },
    }),
    index("external_group_role_mappings_by_role").on(t.roleUid),
    uniqueIndex("external_group_role_mappings_tuple").on(
      t.parent,
      t.externalGroupId,
      t.roleUid,
      t.scope,
    ),
  ],
);

/** SQL: whether a mapping gives the role OLD. */
const isMapped = `EXISTS (SELECT 1 FROM external_group_role_mappings
		WHERE role_uid = OLD.uid AND ${isPresentInTrigger("parent")})`;

export const triggers = () => [
  countRows(externalGroupRoleMappings, { mayBeLeft: true }),
  requireParent(externalGroupRoleMappings, identityProviders),
  requireRow(externalGroupRoleMappings.roleUid, roles, "role", {
    mayChange: true,
    restrict: isMapped,
  }),
  keepDeleted(externalGroupRoleMappings, "identity provider"),
];
