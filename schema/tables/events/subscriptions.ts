import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { GROUP_LEVELS, listIndexes, resourceColumns } from "../columns.ts";
import { groups } from "../iam/groups.ts";
import { countRows, requireParent } from "../triggers.ts";

/**
 * Subscriptions to events. The parent is a group. Its events, and those of all groups below it, are sent to
 * the sink.
 */
export const subscriptions = sqliteTable(
  "subscriptions",
  { ...resourceColumns(), sink: text("sink").notNull() },
  (t) => [
    ...listIndexes("subscriptions", t, { depths: 1 + GROUP_LEVELS, orders: {} }),
    uniqueIndex("subscriptions_siblings").on(t.parent, t.sink),
  ],
);

export const triggers = () => [countRows(subscriptions), requireParent(subscriptions, groups)];
