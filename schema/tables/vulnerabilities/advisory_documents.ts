import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { groups } from "../iam/groups.ts";
import { groupIndexes, groupKeys } from "../list_indexes.ts";
import { countRows, requireParent } from "../triggers.ts";

/** Origin packages with advisories in a group. The advisories contain everything else. */
export const advisoryDocuments = sqliteTable(
  "advisory_documents",
  {
    ...resourceColumns(),
    ...groupKeys(),
    /** The name of the origin package, which is the id of the document. */
    origin: text("origin").notNull(),
  },
  (t) => [
    ...groupIndexes("advisory_documents", t, { orders: { origin: t.origin } }),
    uniqueIndex("advisory_documents_siblings").on(t.parent, t.origin),
  ],
);

export const triggers = () => [
  countRows(advisoryDocuments),
  requireParent(advisoryDocuments, groups),
];
