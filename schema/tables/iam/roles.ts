import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { groupIndexes, groupKeys } from "../list_indexes.ts";
import { countRows, requireParent } from "../triggers.ts";
import { groups } from "./groups.ts";

/** Roles. Built-in roles have no parent, and only migrations write them. */
export const roles = sqliteTable(
  "roles",
  {
    ...resourceColumns(),
    ...groupKeys(),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    /** Numbers of Capability in ascending order. */
    capabilities: text("capabilities", { mode: "json" }).$type<number[]>().notNull(),
  },
  (t) => [
    ...groupIndexes("roles", t, { orders: { name: t.name }, siblings: "name" }),
    uniqueIndex("roles_siblings").on(t.parent, t.name),
  ],
);

/** The uid of the built-in role `owner`: the first 40 hexadecimal digits of the SHA-256 of `role:owner`. */
export const OWNER_ROLE = "4e13a874c5dfc25fa6c8f963f7172906b675d5eb";

export const triggers = () => [
  countRows(roles, { roots: true }),
  requireParent(roles, groups, { roots: true }),
];
