import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { countRows, requireParent, requireRow, trigger } from "../triggers.ts";
import { repos } from "./repos.ts";

/** Reports of vulnerability scans. The parent is the repo that holds the image. */
export const vulnReports = sqliteTable(
  "vuln_reports",
  {
    ...resourceColumns(),
    /** Of the image or image index that was scanned. */
    digest: text("digest").notNull(),
    /** Milliseconds since 1970 UTC, as all times. */
    scanTime: integer("scan_time").notNull(),
    /** Number of Scanner.Name of version 1. */
    scanner: integer("scanner").notNull(),
    scannerVersion: text("scanner_version").notNull(),
    /** Null where the report does not tell. */
    dbBuildTime: integer("db_build_time"),
    /** Bytes of the image as the scanner saw it, unpacked; 0 where the report does not tell. */
    imageSize: integer("image_size").notNull(),
    /** How many ids `ids` has. */
    idCount: integer("id_count").notNull(),
    /** Bytes of `findings`, unpacked. */
    findingBytes: integer("finding_bytes").notNull(),
    /** How many ids `ids` has of each severity. */
    counts: text("counts", { mode: "json" }).$type<Record<string, number>>().notNull(),
    /** Each vulnerability's id once, under the number of Vulnerability.Severity of version 1. */
    ids: text("ids", { mode: "json" }).$type<Record<string, string[]>>().notNull(),
    /** JSON of what was found where, packed (src/registry/compressed.ts). */
    findings: text("findings").notNull(),
  },
  (t) => [
    index("vuln_reports_by_digest").on(t.digest, t.uid),
    index("vuln_reports_by_image").on(t.parent, t.digest, t.scanTime),
    index("vuln_reports_by_scan").on(t.parent, t.scanTime),
  ],
);

/**
 * The reports byte for byte: a table of their own, since a row has at most 2 MB. A trigger deletes
 * them with their reports.
 */
export const vulnReportContents = sqliteTable("vuln_report_contents", {
  /** The report's uid. */
  uid: text("uid").primaryKey(),
  /** Packed (src/registry/compressed.ts). */
  content: text("content").notNull(),
});

export const triggers = () => [
  countRows(vulnReports),
  requireParent(vulnReports, repos),
  requireRow(vulnReportContents.uid, vulnReports, "report"),
  trigger(
    vulnReports,
    "delete_content",
    { on: "AFTER DELETE" },
    "DELETE FROM vuln_report_contents WHERE uid = OLD.uid;",
  ),
];
