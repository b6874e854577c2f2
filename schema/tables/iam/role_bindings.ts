import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns, useColumns } from "../columns.ts";
import { deepGroupKeys, groupIndexes } from "../list_indexes.ts";
import { isPresentInTrigger, skipDeleted } from "../platform/deletions.ts";
import { repos } from "../registry/repos.ts";
import { countRows, requireParent, requireRow, unlessPerson } from "../triggers.ts";
import { groups } from "./groups.ts";
import { identities } from "./identities.ts";
import { roles } from "./roles.ts";

/** Role bindings. The parent is a group or a repository. The identity and the role can belong to groups above it. */
export const roleBindings = sqliteTable(
  "role_bindings",
  {
    ...resourceColumns(),
    ...deepGroupKeys(),
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
    uniqueIndex("role_bindings_grant").on(t.identityUid, t.parent, t.roleUid),
  ],
);

const ofRole = (scope: string) =>
  `EXISTS (SELECT 1 FROM role_bindings WHERE ${scope} AND role_uid = OLD.uid AND ${isPresentInTrigger("parent")})`;

/**
 * SQL: whether the role OLD has a binding. The indexes of the lists of its organization by role have them. Only a migration
 * can delete a built-in role, and reads all bindings for it.
 */
const isBound = `(${ofRole("parent_key = unhex(substr(OLD.uid, 25, 16))")}
		OR ${ofRole("above0 = unhex(substr(OLD.uid, 25, 10))")}
		OR ${ofRole("length(OLD.uid) = 40")})`;

export const triggers = () => [
  countRows(roleBindings, { roots: true, mayBeLeft: true }),
  requireParent(roleBindings, [groups, repos]),
  requireRow(roleBindings.identityUid, identities, "identity", {
    where: unlessPerson,
    mayChange: true,
  }),
  requireRow(roleBindings.roleUid, roles, "role", { mayChange: true, restrict: isBound }),
  skipDeleted(roleBindings),
];
