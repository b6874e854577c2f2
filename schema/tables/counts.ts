import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The number of rows of a kind (the name of a table) and class below an ancestor, directly (`children`) and
 * at any depth (`descendants`). Triggers update it in the transaction of the change, so that the total of a
 * List is read and not counted. Root-level rows are children of an empty text. The kinds `open_uploads` and
 * `document_bytes` are totals of an organization, and not numbers of rows of a table with paths.
 */
export const counts = sqliteTable(
  "counts",
  {
    ancestor: text("ancestor").notNull(),
    kind: text("kind").notNull(),
    class: integer("class").notNull(),
    children: integer("children").notNull(),
    descendants: integer("descendants").notNull(),
    /**
     * How many times the number has grown because of something new. Only triggers that count new rows change it, and the
     * quotas are checked when it changes (schema/tables/platform/quotas.ts). A tag with another name, or a corrected
     * number, is nothing new.
     */
    growths: integer("growths").notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.ancestor, t.kind, t.class] })],
);
