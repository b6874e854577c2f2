import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The organization comes near its quota, and an event about it is due or was written. */
export const WARNING_DUE = 1;
export const WARNING_SENT = 2;

/** The condition of the index of warnings. A query must contain exactly this expression to use it. */
export const isWarned = sql.raw(`"warning" > 0`);

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
     * Whether an organization has come near its quota: 0 if it has not, {@link WARNING_DUE}, or {@link WARNING_SENT}.
     * The trigger that counts a new row sets it, and the schedule of iam resets it.
     */
    warning: integer("warning").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.ancestor, t.kind, t.class] }),
    index("counts_warned").on(t.ancestor, t.kind).where(isWarned),
  ],
);
