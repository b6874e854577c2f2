import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { GROUP_LEVELS, listIndexes, resourceColumns } from "../columns.ts";
import { groups } from "../iam/groups.ts";
import { countRows, requireParent } from "../triggers.ts";

/** Origin packages that have advisories in a group; the advisories themselves say the rest. */
export const advisoryDocuments = sqliteTable(
  "advisory_documents",
  {
    ...resourceColumns(),
    /** Name of the origin package, the document's id. */
    origin: text("origin").notNull(),
  },
  (t) => [
    ...listIndexes("advisory_documents", t, {
      depths: 1 + GROUP_LEVELS,
      orders: { origin: t.origin },
    }),
    uniqueIndex("advisory_documents_siblings").on(t.parent, t.origin),
  ],
);

export const triggers = () => [
  countRows(advisoryDocuments),
  requireParent(advisoryDocuments, groups),
];
