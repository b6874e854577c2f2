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
import { sboms } from "./sboms.ts";
import { vulnReports } from "./vuln_reports.ts";

/** The form of the rows in `findings`. Images with rows of an older form are indexed again. */
export const FINDINGS_VERSION = 2;

/** The sources of a finding: a record that matches a package of the SBOM, a scanner, or both. Numbers of FoundBy. */
export const FOUND_BY = { sbom: 1, scanner: 2, both: 3 } as const;

/**
 * The images with a report or an SBOM. Every write of their findings increases the update time. The parent is the
 * repository.
 */
export const examinedImages = sqliteTable(
  "examined_images",
  {
    ...resourceColumns(),
    digest: text("digest").notNull(),
    /** The uid of the report of the latest scan. Null without a report. */
    reportUid: text("report_uid"),
    /** Null without a report. */
    scanTime: integer("scan_time"),
    /** The uid of the SBOM. Null without one. */
    sbomUid: text("sbom_uid"),
    /** The form of its rows in `findings` that come from the report. 0 if they are not written yet. */
    findingsVersion: integer("findings_version").notNull().default(0),
    /** The number of its rows in `findings`. */
    findingCount: integer("finding_count").notNull().default(0),
  },
  (t) => [
    uniqueIndex("examined_images_siblings").on(t.parent, t.digest),
    index("examined_images_by_report").on(t.reportUid),
    index("examined_images_by_sbom").on(t.sbomUid),
    index("examined_images_by_version").on(t.findingsVersion, t.uid),
  ],
);

/** A vulnerability that one source found in a package: the report of a scanner, or a record that matches the SBOM. */
export interface Fact {
  /** The uid of the record's advisory. Empty for the report. */
  advisory: string;
  /** The last step of the uid in `sbom_packages`. Empty for the report. */
  package: string;
  /** The id of the record. */
  id: string;
  aliases: string[];
  /** Number of FindingSeverity. */
  severity: number;
  /** Number of FixState. */
  fixState: number;
  fixVersions: string[];
  /** Why it is not known whether the package is affected. Empty if it is affected. */
  unknown: string;
}

/**
 * The vulnerabilities of images, one row for each package and vulnerability: those in the newest report, and those of
 * records that match the SBOM. The parent is the repository. The last step of a uid begins with six digits that all rows
 * of a package in an image have (src/matching/finding_rows.ts).
 */
export const findings = sqliteTable(
  "findings",
  {
    uid: text("uid").primaryKey(),
    ...pathColumns(),
    /** The uid in `examined_images`. */
    imageUid: text("image_uid").notNull(),
    /** When the row was written first, in milliseconds since 1970. */
    createTime: integer("create_time").notNull().default(0),
    /** The id of the record that matched. */
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
    /** The package URL, in its canonical form. Empty if the report contains none. */
    purl: text("purl").notNull(),
    /** The package URL without version, qualifiers and subpath. */
    packageKey: text("package_key").notNull(),
    /** The name of the package in an advisory about it. */
    productName: text("product_name").notNull(),
    /** A value of {@link FOUND_BY}. */
    foundBy: integer("found_by").notNull().default(FOUND_BY.scanner),
    /** Why it is not known whether the package is affected. Empty if it is affected. */
    unknown: text("unknown").notNull().default(""),
    /** The facts that make the row. Empty if it is one fact of a scanner, which the other columns have. */
    facts: text("facts", { mode: "json" }).$type<Fact[]>().notNull().default([]),
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
 * Maps the id of a vulnerability, in upper case, to the findings that have it, and the uid of an advisory to the findings
 * that its record makes. Triggers fill it from `findings`. The migration creates the table WITHOUT ROWID.
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

/** SQL: the keys of a finding. */
const idsOf = (row: "NEW" | "OLD") => `SELECT upper(${row}.vulnerability_id) AS id
	UNION SELECT upper(value) FROM json_each(${row}.aliases)
	UNION SELECT value ->> 'advisory' FROM json_each(${row}.facts) WHERE value ->> 'advisory' <> ''`;
const added = `INSERT OR IGNORE INTO finding_ids (id, uid) SELECT id, NEW.uid FROM (${idsOf("NEW")});`;
const removed = `DELETE FROM finding_ids WHERE uid = OLD.uid AND id IN (${idsOf("OLD")});`;
const changed = {
  on: "AFTER UPDATE OF vulnerability_id, aliases, facts",
  when: `OLD.vulnerability_id <> NEW.vulnerability_id OR OLD.aliases <> NEW.aliases OR OLD.facts <> NEW.facts`,
};

export const triggers = () => [
  requireParent(examinedImages, repos),
  requireRow(examinedImages.reportUid, vulnReports, "report", {
    where: (column) => `${column} IS NOT NULL`,
  }),
  requireRow(examinedImages.sbomUid, sboms, "sbom", { where: (column) => `${column} IS NOT NULL` }),
  sumRows(examinedImages, {
    kind: "findings",
    amount: (row) => `${row}.finding_count`,
    columns: [examinedImages.findingCount],
  }),
  requireParent(findings, repos),
  requireRow(findings.imageUid, examinedImages, "image"),
  // Reports and SBOMs are deleted only together with their repository.
  trigger(
    vulnReports,
    "delete_image",
    { on: "AFTER DELETE" },
    "DELETE FROM examined_images WHERE report_uid = OLD.uid;",
  ),
  trigger(
    sboms,
    "delete_image",
    { on: "AFTER DELETE" },
    "DELETE FROM examined_images WHERE sbom_uid = OLD.uid;",
  ),
  trigger(
    examinedImages,
    "delete_findings",
    { on: "AFTER DELETE" },
    "DELETE FROM findings WHERE image_uid = OLD.uid;",
  ),
  trigger(findings, "insert_ids", { on: "AFTER INSERT" }, added),
  trigger(findings, "update_ids", changed, removed, added),
  trigger(findings, "delete_ids", { on: "AFTER DELETE" }, removed),
];
