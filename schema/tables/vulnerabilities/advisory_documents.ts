import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { GROUP_LEVELS, listIndexes, resourceColumns } from "../columns.ts";
import { groups } from "../iam/groups.ts";
import { countRows, requireParent } from "../triggers.ts";

/** Origin packages with advisories in a group. The advisories contain everything else. */
export const advisoryDocuments = sqliteTable(
  "advisory_documents",
  {
    ...resourceColumns(),
    /** The name of the origin package, which is the id of the document. */
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
