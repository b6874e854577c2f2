import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ancestorColumn } from "../columns.ts";
import { MARK, markSql } from "../registry/match_marks.ts";
import { requireRow, trigger } from "../triggers.ts";
import { advisories } from "./advisories.ts";

/**
 * The ranges of versions that records are about, each a half-open interval of sort keys. An import writes them with the
 * advisory. A withdrawn record has none. The migration creates the table WITHOUT ROWID.
 */
export const affectedPackages = sqliteTable(
  "affected_packages",
  {
    advisoryUid: text("advisory_uid").notNull(),
    /** The place of the range in its record, from 0. */
    number: integer("number").notNull(),
    /** The organization of the advisory. */
    root: ancestorColumn(0, { path: "advisory_uid" }),
    /** The package URL without version, qualifiers and subpath. */
    packageKey: text("package_key").notNull(),
    /** The distribution and its release. Empty for libraries and for distributions without releases. */
    release: text("release").notNull(),
    /** The order of the bounds. Empty if `from` is the text of one version, and `?` if the range cannot be read. */
    versionOrder: text("version_order").notNull(),
    /** The first sort key. Empty from the beginning. */
    from: text("from_key").notNull(),
    /** The first sort key after the range. Empty without an end. */
    below: text("below_key").notNull(),
    /** The first version without the vulnerability. Empty if none is known. */
    fixed: text("fixed").notNull(),
    /** Number of FindingSeverity. */
    severity: integer("severity").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.advisoryUid, t.number] }),
    index("affected_packages_by_package").on(
      ...[t.root, t.packageKey, t.release, t.versionOrder, t.from],
    ),
  ],
);

const hasRanges = (row: "OLD" | "NEW") =>
  `EXISTS (SELECT 1 FROM affected_packages WHERE advisory_uid = ${row}.uid)`;
const shown = ["advisory_id", "aliases"].map((name) => `OLD.${name} <> NEW.${name}`);
const isChanged = `(${shown.join(" OR ")} OR OLD.delete_time IS NOT NEW.delete_time)`;

export const triggers = () => [
  ...requireRow(affectedPackages.advisoryUid, advisories, "advisory"),
  // A person can delete an advisory or change its aliases without an import.
  ...trigger(
    advisories,
    "update_matches",
    {
      on: "AFTER UPDATE OF advisory_id, aliases, delete_time",
      when: `${isChanged} AND ${hasRanges("NEW")}`,
    },
    markSql("NEW.uid", MARK.advisory),
  ),
  ...trigger(
    advisories,
    "delete_matches",
    { on: "AFTER DELETE", when: hasRanges("OLD") },
    "DELETE FROM affected_packages WHERE advisory_uid = OLD.uid;",
    markSql("OLD.uid", MARK.advisory),
  ),
];
