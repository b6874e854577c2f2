import { sql } from "drizzle-orm";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { groupIndexes, groupKeys } from "../list_indexes.ts";
import { countRows, requireParent } from "../triggers.ts";
import { groups } from "./groups.ts";

/**
 * Links from groups to cloud accounts. The uid is that of the group, so the group is also the parent and the
 * nearest ancestor.
 */
export const accountAssociations = sqliteTable(
  "account_associations",
  {
    ...resourceColumns({ self: true }),
    ...groupKeys({ self: true }),
    parent: text("parent").notNull().generatedAlwaysAs(sql.raw(`"uid"`), { mode: "virtual" }),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    /** JSON of the members amazon, google, vendor, azure and github of the message. */
    accounts: text("accounts", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
  },
  (t) => groupIndexes("account_associations", t, { orders: { name: t.name } }),
);

export const triggers = () => [
  countRows(accountAssociations, { self: true }),
  requireParent(accountAssociations, groups, { self: true }),
];
