/**
 * Indexes the stored reports and SBOMs that `platformctl fsck --repair` marked, and those whose rows have a version below
 * the current one. The schedule of the registry runs it.
 */
import { and, asc, eq, isNull, lt, sql } from "drizzle-orm";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import {
  examinedImages,
  FINDINGS_VERSION,
  FOUND_BY,
  findings,
} from "../../../schema/tables/registry/findings.ts";
import { indexedSboms, PACKAGES_VERSION } from "../../../schema/tables/registry/sbom_packages.ts";
import { sboms } from "../../../schema/tables/registry/sboms.ts";
import { vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import { StaleError } from "../../aip/stale.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import { isWritable } from "../../auth/databases.ts";
import { decideChange } from "../../matching/decide.ts";
import { changeStatements, selectStored } from "../../matching/stored_findings.ts";
import { commit, onlyIf, type Statement } from "../../outbox/commit.ts";
import { decompressStored } from "../compressed.ts";
import { readStoredSbom } from "../sboms/read_sbom.ts";
import { readStoredFindings } from "../vuln_reports/findings.v1.ts";
import { indexStatements, selectExamined } from "./index_report.ts";
import { packageRows, packageStatements } from "./index_sbom.ts";

/** The reports that one run indexes, and the SBOMs. The next run continues. */
const maxDocuments = 100;

/** Indexes the newest reports of images, one after another, because each can take much memory. */
export async function indexPendingReports(db: Database): Promise<void> {
  const pending = await db
    .select({ uid: examinedImages.uid, reportUid: examinedImages.reportUid })
    .from(examinedImages)
    .where(
      and(
        lt(examinedImages.findingsVersion, FINDINGS_VERSION),
        isWritable(sql`${examinedImages.uid}`),
        isPresent(examinedImages.parent),
      ),
    )
    .orderBy(asc(examinedImages.findingsVersion), asc(examinedImages.uid))
    .limit(maxDocuments);
  for (const { uid, reportUid } of pending) {
    if (reportUid !== null) await indexStored(db, reportUid);
    else await endScans(db, uid);
  }
}

/** Ends what a scanner has found in an image without a report. */
async function endScans(db: Database, uid: string): Promise<void> {
  const stored = await selectStored(
    db,
    sql`(select "own"."uid" as "uid" from ${findings} as "own"
      where "own"."image_uid" = ${uid} and "own"."found_by" <> ${FOUND_BY.sbom}) as "found"`,
    {},
  );
  const purls = await import("../../packages/purls.ts");
  const { change, images } = await decideChange(
    stored,
    (fact) => (fact.advisory === "" ? undefined : fact),
    [],
    purls,
  );
  const end = db
    .update(examinedImages)
    .set({
      findingsVersion: FINDINGS_VERSION,
      findingCount: sql`(select count(*) from ${findings} where ${findings.imageUid} = ${examinedImages.uid})`,
    })
    .where(and(eq(examinedImages.uid, uid), isNull(examinedImages.reportUid)));
  const statements = [...changeStatements(db, images, change), end];
  await commit({ db }, statements as [Statement]).catch(ignoreStale);
}

/** Does nothing if the report was deleted in the meantime. */
async function indexStored(db: Database, uid: string): Promise<void> {
  const { digest, scanTime, createTime } = vulnReports;
  const [report] = await db
    .select({ uid: vulnReports.uid, digest, scanTime, createTime, findings: vulnReports.findings })
    .from(vulnReports)
    .where(eq(vulnReports.uid, uid));
  if (!report) return;
  const storedFindings = await readStoredFindings(report.findings);
  const [image] = await selectExamined(db, parentOf(uid), report.digest);
  if (image?.reportUid !== uid) return;
  const statements = await indexStatements(db, report, storedFindings, image);
  await commit({ db }, statements as [Statement]).catch(ignoreStale);
}

/** Indexes the packages of SBOMs, one SBOM after another. */
export async function indexPendingSboms(db: Database): Promise<void> {
  const pending = await db
    .select({ uid: indexedSboms.uid })
    .from(indexedSboms)
    .where(
      and(
        lt(indexedSboms.packagesVersion, PACKAGES_VERSION),
        isWritable(sql`${indexedSboms.uid}`),
        isPresent(sql`substr(${indexedSboms.uid}, 1, length(${indexedSboms.uid}) - 17)`),
      ),
    )
    .orderBy(asc(indexedSboms.packagesVersion), asc(indexedSboms.uid))
    .limit(maxDocuments);
  for (const { uid } of pending) {
    const { digest, updateTime: time, contentDigest, content } = sboms;
    const [sbom] = await db
      .select({ digest, time, contentDigest, content })
      .from(sboms)
      .where(eq(sboms.uid, uid));
    if (!sbom) continue;
    const rows = await packageRows(readStoredSbom(await decompressStored(sbom.content)));
    const statements = await packageStatements(db, { ...sbom, uid, repo: parentOf(uid) }, rows);
    // Another SBOM may have replaced it in the meantime.
    const isSame = and(eq(sboms.uid, uid), eq(sboms.contentDigest, sbom.contentDigest));
    const guard = onlyIf(db, sql`exists (select 1 from ${sboms} where ${isSame})`);
    await commit({ db }, [guard, ...statements]).catch(ignoreStale);
  }
}

/** The next run reads again what has changed. */
function ignoreStale(error: unknown): void {
  if (!(error instanceof StaleError)) throw error;
}
