import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * How many rows of a kind (a table's name) and class stand below an ancestor: directly
 * (`children`) and at any depth (`descendants`). Kept by triggers in the transaction of the
 * change, so that a List's total is read and not counted. Root-level rows are children of ''.
 */
export const counts = sqliteTable(
  "counts",
  {
    ancestor: text("ancestor").notNull(),
    kind: text("kind").notNull(),
    class: integer("class").notNull(),
    children: integer("children").notNull(),
    descendants: integer("descendants").notNull(),
  },
  (t) => [primaryKey({ columns: [t.ancestor, t.kind, t.class] })],
);
