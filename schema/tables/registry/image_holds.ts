import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { leafIndexes, leafKeys } from "../list_indexes.ts";
import { countRows, requireParent } from "../triggers.ts";
import { repos } from "./repos.ts";

/** Images that no expiry plan deletes. The parent is the repository. */
export const imageHolds = sqliteTable(
  "image_holds",
  {
    ...resourceColumns(),
    ...leafKeys(),
    name: text("name").notNull(),
    digests: text("digests", { mode: "json" }).$type<string[]>().notNull(),
  },
  (t) => [
    ...leafIndexes("image_holds", t, {
      orders: { created: t.createTime, updated: t.updateTime, name: t.name },
    }),
    uniqueIndex("image_holds_siblings").on(t.parent, t.name),
  ],
);

export const triggers = () => [countRows(imageHolds), requireParent(imageHolds, repos)];
