import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** From an alias to the advisories that have it; kept by triggers from `advisories.aliases`. */
export const advisoryAliases = sqliteTable(
  "advisory_aliases",
  {
    alias: text("alias").notNull(),
    advisoryUid: text("advisory_uid").notNull(),
  },
  (t) => [primaryKey({ columns: [t.alias, t.advisoryUid] })],
);
