import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { leafIndexes, leafKeys } from "../list_indexes.ts";
import { keepDeleted } from "../platform/deletions.ts";
import { countRows, requireParent, requireRow, sumBytes, trigger } from "../triggers.ts";
import { repos } from "./repos.ts";

/** Reports of vulnerability scans. The parent is the repository of the image. */
export const vulnReports = sqliteTable(
  "vuln_reports",
  {
    ...resourceColumns(),
    ...leafKeys(),
    /** The digest of the scanned image or image index. */
    digest: text("digest").notNull(),
    /** Milliseconds since 1970 in UTC, like all times. */
    scanTime: integer("scan_time").notNull(),
    /** Number of Scanner.Name of version 1. */
    scanner: integer("scanner").notNull(),
    scannerVersion: text("scanner_version").notNull(),
    /** Null if the report does not contain it. */
    dbBuildTime: integer("db_build_time"),
    /** The bytes of the image as the scanner saw it, uncompressed. 0 if the report does not contain them. */
    imageSize: integer("image_size").notNull(),
    /** The number of ids in `ids`. */
    idCount: integer("id_count").notNull(),
    /** The bytes of `findings`, uncompressed. */
    findingBytes: integer("finding_bytes").notNull(),
    /** The number of ids in `ids` for each severity. */
    counts: text("counts", { mode: "json" }).$type<Record<string, number>>().notNull(),
    /** The id of each vulnerability once, under the number of its Vulnerability.Severity of version 1. */
    ids: text("ids", { mode: "json" }).$type<Record<string, string[]>>().notNull(),
    /** JSON of the findings and their places, compressed (src/registry/compressed.ts). */
    findings: text("findings").notNull(),
  },
  (t) => [
    ...leafIndexes("vuln_reports", t, { orders: { scan: t.scanTime } }),
    index("vuln_reports_by_digest").on(t.digest, t.uid),
    index("vuln_reports_by_image").on(t.parent, t.digest, t.scanTime),
  ],
);

/**
 * The exact bytes of the reports. They have their own table, because a row has at most 2 MB. A trigger
 * deletes them with their reports.
 */
export const vulnReportContents = sqliteTable("vuln_report_contents", {
  /** The uid of the report. */
  uid: text("uid").primaryKey(),
  /** Compressed (src/registry/compressed.ts). */
  content: text("content").notNull(),
});

export const triggers = () => [
  countRows(vulnReports, { mayBeLeft: true }),
  requireParent(vulnReports, repos),
  keepDeleted(vulnReports),
  requireRow(vulnReportContents.uid, vulnReports, "report"),
  trigger(
    vulnReports,
    "delete_content",
    { on: "AFTER DELETE" },
    "DELETE FROM vuln_report_contents WHERE uid = OLD.uid;",
  ),
  sumBytes(vulnReports, vulnReports.ids, vulnReports.findings),
  sumBytes(vulnReportContents, vulnReportContents.content),
];
