import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { requireParent } from "../triggers.ts";
import { groups } from "./groups.ts";

/** Documents that a group has accepted. The parent is the group. */
export const termsAcceptances = sqliteTable(
  "terms_acceptances",
  {
    ...resourceColumns(),
    docId: text("doc_id").notNull(),
    /** The uid of the identity that accepted. */
    acceptedBy: text("accepted_by").notNull(),
  },
  (t) => [uniqueIndex("terms_acceptances_documents").on(t.parent, t.docId)],
);

export const triggers = () => [...requireParent(termsAcceptances, groups)];
