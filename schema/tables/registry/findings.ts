import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { pathColumns, resourceColumns } from "../columns.ts";
import { requireParent, requireRow, sumRows, trigger } from "../triggers.ts";
import { repos } from "./repos.ts";
import { vulnReports } from "./vuln_reports.ts";

/** The form of the rows in `findings`. Images with rows of an older form are indexed again. */
export const FINDINGS_VERSION = 1;

/** The images with reports, each with its newest report. The parent is the repository. */
export const scannedImages = sqliteTable(
  "scanned_images",
  {
    ...resourceColumns(),
    digest: text("digest").notNull(),
    /** The uid of the report of the latest scan. */
    reportUid: text("report_uid").notNull(),
    scanTime: integer("scan_time").notNull(),
    /** The form of its rows in `findings`. 0 if they are not written yet. */
    findingsVersion: integer("findings_version").notNull().default(0),
    /** The number of its rows in `findings`. */
    findingCount: integer("finding_count").notNull().default(0),
  },
  (t) => [
    uniqueIndex("scanned_images_siblings").on(t.parent, t.digest),
    index("scanned_images_by_report").on(t.reportUid),
    index("scanned_images_by_version").on(t.findingsVersion, t.uid),
  ],
);

/**
 * The vulnerabilities in the newest report of each image, one row for each package and record. The parent is
 * the repository.
 */
export const findings = sqliteTable(
  "findings",
  {
    uid: text("uid").primaryKey(),
    ...pathColumns(),
    /** The uid in `scanned_images`. */
    imageUid: text("image_uid").notNull(),
    /** The id of the record that the scanner matched. */
    vulnerabilityId: text("vulnerability_id").notNull(),
    /** The ids of other records about the same vulnerability. */
    aliases: text("aliases", { mode: "json" }).$type<string[]>().notNull(),
    /** Number of Severity. */
    severity: integer("severity").notNull(),
    /** Number of FixState. */
    fixState: integer("fix_state").notNull(),
    fixVersions: text("fix_versions", { mode: "json" }).$type<string[]>().notNull(),
    /** Whether a version without the vulnerability is known. */
    hasFix: integer("has_fix", { mode: "boolean" }).notNull(),
    packageName: text("package_name").notNull(),
    packageVersion: text("package_version").notNull(),
    /** The package URL in the report, in its canonical form. Empty if the report contains none. */
    purl: text("purl").notNull(),
    /** The package URL without version, qualifiers and subpath. */
    packageKey: text("package_key").notNull(),
    /** The name of the package in an advisory about it. */
    productName: text("product_name").notNull(),
    /** The severity and `hasFix`. A compound SELECT of D1 has at most five parts, so the lowest two are one. */
    fixClass: integer("fix_class")
      .notNull()
      .generatedAlwaysAs(sql.raw(`max("severity", 2) * 2 + "has_fix"`), { mode: "virtual" }),
  },
  (t) => [
    index("findings_children").on(t.parent, t.uid),
    index("findings_by_severity").on(t.severity, t.uid),
    index("findings_by_fix").on(t.fixClass, t.uid),
    index("findings_by_package").on(t.packageKey, t.uid),
    index("findings_by_image").on(t.imageUid, t.uid),
  ],
);

/**
 * Maps the id of a vulnerability, in upper case, to the findings that have it. Triggers fill it from
 * `findings`. The migration creates the table WITHOUT ROWID.
 */
export const findingIds = sqliteTable(
  "finding_ids",
  {
    id: text("id").notNull(),
    /** The uid of the finding. */
    uid: text("uid").notNull(),
    ...pathColumns(),
  },
  (t) => [primaryKey({ columns: [t.id, t.uid] })],
);

const added = `INSERT OR IGNORE INTO finding_ids (id, uid)
	SELECT upper(NEW.vulnerability_id), NEW.uid
	UNION SELECT upper(value), NEW.uid FROM json_each(NEW.aliases);`;
const removed = `DELETE FROM finding_ids WHERE uid = OLD.uid AND id IN
	(SELECT upper(OLD.vulnerability_id) UNION SELECT upper(value) FROM json_each(OLD.aliases));`;
const changed = { on: "AFTER UPDATE OF aliases", when: "OLD.aliases <> NEW.aliases" };

export const triggers = () => [
  requireParent(scannedImages, repos),
  requireRow(scannedImages.reportUid, vulnReports, "report"),
  sumRows(scannedImages, {
    kind: "findings",
    amount: (row) => `${row}.finding_count`,
    columns: [scannedImages.findingCount],
  }),
  requireParent(findings, repos),
  requireRow(findings.imageUid, scannedImages, "image"),
  trigger(
    vulnReports,
    "delete_image",
    { on: "AFTER DELETE" },
    "DELETE FROM scanned_images WHERE report_uid = OLD.uid;",
  ),
  trigger(
    scannedImages,
    "delete_findings",
    { on: "AFTER DELETE" },
    "DELETE FROM findings WHERE image_uid = OLD.uid;",
  ),
  trigger(findings, "insert_ids", { on: "AFTER INSERT" }, added),
  trigger(findings, "update_ids", changed, removed, added),
  trigger(findings, "delete_ids", { on: "AFTER DELETE" }, removed),
];
