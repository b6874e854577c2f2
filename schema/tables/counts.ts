import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The number of rows of a kind (the name of a table) and class below an ancestor, directly (`children`) and
 * at any depth (`descendants`). Triggers update it in the transaction of the change, so that the total of a
 * List is read and not counted. Root-level rows are children of an empty text.
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
