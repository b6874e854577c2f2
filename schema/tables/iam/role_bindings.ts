import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns, useColumns } from "../columns.ts";
import { groupIndexes, groupKeys } from "../list_indexes.ts";
import { countRows, requireParent, requireRow, unlessPerson } from "../triggers.ts";
import { groups } from "./groups.ts";
import { identities } from "./identities.ts";
import { roles } from "./roles.ts";

/** Role bindings. The parent is the group. The identity and the role can belong to other groups. */
export const roleBindings = sqliteTable(
  "role_bindings",
  {
    ...resourceColumns(),
    ...groupKeys(),
    identityUid: text("identity_uid").notNull(),
    roleUid: text("role_uid").notNull(),
    /**
     * False until a person from outside the organization has accepted the binding. It grants nothing until
     * then.
     */
    accepted: integer("accepted", { mode: "boolean" }).notNull().default(true),
    /**
     * Whether the binding was used before this time is unknown. It is the time of the migration that began to
     * record use, and 0 for later bindings.
     */
    useUnknownUntil: integer("use_unknown_until").notNull().default(0),
    ...useColumns('max("update_time", "use_unknown_until")'),
  },
  (t) => [
    ...groupIndexes("role_bindings", t, {
      orders: { identity: t.identityUid, role: t.roleUid, idle: t.idleSinceTime },
    }),
    // Bindings that a person never accepted must not add to the cost of the person's calls.
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
