import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { groupIndexes, groupKeys } from "../list_indexes.ts";
import { countRows, requireParent } from "../triggers.ts";

/** Groups: organizations, which have no parent, and the groups below them. A group is its own ancestor. */
export const groups = sqliteTable(
  "groups",
  {
    ...resourceColumns({ self: true }),
    ...groupKeys(),
    /** The last step of the uid. A CreateGroup can name its parent by it. */
    suid: text("suid")
      .notNull()
      .generatedAlwaysAs(sql.raw(`substr("uid", -16)`), { mode: "virtual" }),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    /** The name of a verified organization is unique, and can replace its uid in registry paths. */
    verified: integer("verified", { mode: "boolean" }).notNull().default(false),
    /** Number of OrgKind. */
    kind: integer("kind").notNull().default(0),
    /** Number of OrgStatus. */
    status: integer("status").notNull().default(2),
    /** An object that maps a resource kind to its maximum number. */
    resourceLimits: text("resource_limits", { mode: "json" })
      .$type<Record<string, number>>()
      .notNull()
      .default({}),
    /** Whether the organization forbids the keys of identities. */
    keysDisabled: integer("keys_disabled", { mode: "boolean" }).notNull().default(false),
  },
  (t) => [
    ...groupIndexes("groups", t, { orders: { name: t.name } }),
    index("groups_by_suid").on(t.suid),
    uniqueIndex("groups_siblings").on(t.parent, t.name).where(sql`"parent" <> ''`),
    uniqueIndex("groups_verified").on(t.name).where(sql`"verified" = 1`),
  ],
);

export const triggers = () => [
  countRows(groups, { roots: true }),
  requireParent(groups, groups, { roots: true }),
];
