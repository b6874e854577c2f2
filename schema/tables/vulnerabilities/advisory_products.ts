import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { trigger } from "../triggers.ts";
import { advisories } from "./advisories.ts";

/**
 * Maps a vulnerability and a product to the advisories about them that can have a VEX status. Triggers fill it
 * from `advisories`. Advisories from OSV records are left out, because they are about packages in general.
 */
export const advisoryProducts = sqliteTable(
  "advisory_products",
  {
    /** The id of the vulnerability, in upper case. */
    alias: text("alias").notNull(),
    /** `advisories.artifactName`. For an image below other groups, its last segment is another product. */
    product: text("product").notNull(),
    /** The group of the advisory. */
    group: text("group_uid").notNull(),
    advisoryUid: text("advisory_uid").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.alias, t.product, t.group, t.advisoryUid] }),
    index("advisory_products_of").on(t.advisoryUid),
  ],
);

/** The name of an image without the groups in front of it. */
const lastSegment =
  "substr(NEW.artifact_name, length(rtrim(NEW.artifact_name, replace(NEW.artifact_name, '/', ''))) + 1)";
const added = `INSERT OR IGNORE INTO advisory_products (alias, product, group_uid, advisory_uid)
	SELECT upper(id.value), product.name, NEW.parent, NEW.uid
	FROM (SELECT value FROM json_each(NEW.aliases) UNION SELECT NEW.advisory_id) AS id
	CROSS JOIN (SELECT NEW.artifact_name AS name UNION SELECT ${lastSegment} WHERE NEW.artifact_type = 'image') AS product
	WHERE NEW.source <> 'osv';`;
const removed = "DELETE FROM advisory_products WHERE advisory_uid = OLD.uid;";
const differs = ["aliases", "artifact_name", "artifact_type", "advisory_id", "source"];
const changed = {
  on: `AFTER UPDATE OF ${differs.join(", ")}`,
  when: differs.map((column) => `OLD.${column} <> NEW.${column}`).join(" OR "),
};

export const triggers = () => [
  trigger(advisories, "insert_products", { on: "AFTER INSERT" }, added),
  trigger(advisories, "update_products", changed, removed, added),
  trigger(advisories, "delete_products", { on: "AFTER DELETE" }, removed),
];
