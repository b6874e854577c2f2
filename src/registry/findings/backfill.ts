/**
 * Indexes stored reports whose findings are not in the current form: those from before the index existed, and
 * those that `platformctl fsck --repair` marked. The schedule of the registry runs it.
 */
import { asc, eq, lt } from "drizzle-orm";
import { FINDINGS_VERSION, scannedImages } from "../../../schema/tables/registry/findings.ts";
import { vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import type { Statement } from "../../outbox/commit.ts";
import { readStoredFindings } from "../vuln_reports/findings.v1.ts";
import { findingRows, indexStatements } from "./index_report.ts";

/** The images that one run indexes. The next run continues. */
const maxImages = 100;

/** Indexes the newest reports of images, one after another, because each can take much memory. */
export async function indexPendingReports(db: Database): Promise<void> {
  const pending = await db
    .select({ reportUid: scannedImages.reportUid })
    .from(scannedImages)
    .where(lt(scannedImages.findingsVersion, FINDINGS_VERSION))
    .orderBy(asc(scannedImages.findingsVersion), asc(scannedImages.uid))
    .limit(maxImages);
  for (const { reportUid } of pending) await indexStored(db, reportUid);
}

/** Does nothing if the report was deleted in the meantime. */
async function indexStored(db: Database, uid: string): Promise<void> {
  const { digest, scanTime, createTime, findings } = vulnReports;
  const [report] = await db
    .select({ uid: vulnReports.uid, digest, scanTime, createTime, findings })
    .from(vulnReports)
    .where(eq(vulnReports.uid, uid));
  if (!report) return;
  const found = await readStoredFindings(report.findings);
  const rows = await findingRows(parentOf(uid), report.digest, found);
  const [, ...statements] = indexStatements(db, report, rows) as [Statement, Statement];
  await db.batch(statements as [Statement]);
}
