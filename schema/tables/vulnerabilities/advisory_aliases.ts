import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { trigger } from "../triggers.ts";
import { advisories } from "./advisories.ts";

/** Maps an alias to the advisories that have it. Triggers fill it from `advisories.aliases`. */
export const advisoryAliases = sqliteTable(
  "advisory_aliases",
  {
    alias: text("alias").notNull(),
    advisoryUid: text("advisory_uid").notNull(),
  },
  (t) => [primaryKey({ columns: [t.alias, t.advisoryUid] })],
);

const added = `INSERT OR IGNORE INTO advisory_aliases (alias, advisory_uid)
	SELECT alias.value, NEW.uid FROM json_each(NEW.aliases) AS alias;`;

const removed = (row: "NEW" | "OLD") => `DELETE FROM advisory_aliases
	WHERE advisory_uid = ${row}.uid AND alias IN (SELECT value FROM json_each(OLD.aliases));`;

const changed = { on: "AFTER UPDATE OF aliases", when: "OLD.aliases <> NEW.aliases" };

export const triggers = () => [
  trigger(advisories, "insert_aliases", { on: "AFTER INSERT" }, added),
  trigger(advisories, "update_aliases", changed, removed("NEW"), added),
  trigger(advisories, "delete_aliases", { on: "AFTER DELETE" }, removed("OLD")),
];
