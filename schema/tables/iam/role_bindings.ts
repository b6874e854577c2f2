import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { GROUP_LEVELS, listIndexes, resourceColumns } from "../columns.ts";
import { countRows, requireParent, requireRow, unlessPerson } from "../triggers.ts";
import { groups } from "./groups.ts";
import { identities } from "./identities.ts";
import { roles } from "./roles.ts";

/** Role bindings. The group is the parent; identity and role may live elsewhere in the tree. */
export const roleBindings = sqliteTable(
  "role_bindings",
  {
    ...resourceColumns(),
    identityUid: text("identity_uid").notNull(),
    roleUid: text("role_uid").notNull(),
    /** False while a person from outside of the organization has not agreed: it gives nothing then. */
    accepted: integer("accepted", { mode: "boolean" }).notNull().default(true),
  },
  (t) => [
    ...listIndexes("role_bindings", t, {
      depths: 1 + GROUP_LEVELS,
      orders: { identity: t.identityUid, role: t.roleUid },
    }),
    // So that offers which somebody never accepted cost their calls nothing.
    index("role_bindings_by_identity").on(t.identityUid, t.accepted, t.parent),
    index("role_bindings_by_role").on(t.roleUid),
    uniqueIndex("role_bindings_grant").on(t.identityUid, t.parent, t.roleUid),
  ],
);

export const triggers = () => [
  countRows(roleBindings, { roots: true }),
  requireParent(roleBindings, groups),
  requireRow(roleBindings.identityUid, identities, "identity", {
    where: unlessPerson,
    mayChange: true,
  }),
  requireRow(roleBindings.roleUid, roles, "role", { mayChange: true, restrict: true }),
];
