/** Writes the findings of the newest report of an image as rows that ListFindings reads. */

import { and, eq, type SQL, sql } from "drizzle-orm";
import {
  FixState,
  FindingSeverity as Severity,
} from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import {
  Vulnerability_Fix_State as FixStateV1,
  Vulnerability_Severity as SeverityV1,
} from "../../../schema/gen/platform/registry/vulnerabilities_pb.js";
import type { RowOf } from "../../../schema/tables/list_indexes.ts";
import {
  examinedImages,
  FINDINGS_VERSION,
  findings,
} from "../../../schema/tables/registry/findings.ts";
import type { vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import { toJsonParameters } from "../../aip/json_parameters.ts";
import { isUnchanged } from "../../aip/stale.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import {
  type FindingRow,
  type Found,
  findingRows,
  packageIdentity,
} from "../../matching/finding_rows.ts";
import { factsOfStored, selectStored, upsertFindings } from "../../matching/stored_findings.ts";
import { onlyIf, type Statement } from "../../outbox/commit.ts";
import type { GrypeFinding } from "../vuln_reports/grype.ts";

/** The numbers of version 1 in an order from harmless to severe. */
const severityOf: Record<number, Severity> = {
  [SeverityV1.UNKNOWN]: Severity.UNKNOWN,
  [SeverityV1.NEGLIGIBLE]: Severity.NEGLIGIBLE,
  [SeverityV1.LOW]: Severity.LOW,
  [SeverityV1.MEDIUM]: Severity.MEDIUM,
  [SeverityV1.HIGH]: Severity.HIGH,
  [SeverityV1.CRITICAL]: Severity.CRITICAL,
};

const fixStateOf: Record<number, FixState> = {
  [FixStateV1.FIXED]: FixState.FIXED,
  [FixStateV1.NOT_FIXED]: FixState.NOT_FIXED,
  [FixStateV1.WONT_FIX]: FixState.WONT_FIX,
};

/** The facts in a report, each id of a package once, even if the package is in several places of the image. */
async function factsOf(grypeFindings: GrypeFinding[]): Promise<Found[]> {
  const facts = new Map<string, Found>();
  for (const found of await readFacts(grypeFindings)) {
    const key = `${packageIdentity(found.package)} ${found.fact.id}`;
    const before = facts.get(key)?.fact;
    if (!before) {
      facts.set(key, found);
      continue;
    }
    const { severity, fixVersions } = found.fact;
    before.severity = Math.max(before.severity, severity);
    before.fixVersions = [...new Set([...before.fixVersions, ...fixVersions])];
  }
  return [...facts.values()];
}

async function readFacts(grypeFindings: GrypeFinding[]): Promise<Found[]> {
  // Imported here, because package URLs would add milliseconds to the start of every registry Worker.
  const { readPurl, packageKey } = await import("../../packages/purls.ts");
  return grypeFindings.map(({ id, severity, fix, related, package: { name, version, purl } }) => {
    const read = purl === "" ? undefined : readPurl(purl);
    return {
      fact: {
        advisory: "",
        package: "",
        id,
        aliases: [...new Set(related.map((one) => one.id))].filter((alias) => alias !== id),
        severity: severityOf[severity] ?? Severity.UNKNOWN,
        fixState: fixStateOf[fix?.state ?? FixStateV1.UNKNOWN] ?? FixState.UNSPECIFIED,
        fixVersions: fix?.versions ?? [],
        unknown: "",
      },
      package: {
        packageName: name,
        packageVersion: version,
        purl: read?.purl ?? purl,
        packageKey: read ? packageKey(read.purl) : "",
        productName: read?.name ?? name,
      },
    };
  });
}

/** An image as it was read before a report of it is written. */
export type ExaminedImage = Pick<
  RowOf<typeof examinedImages>,
  "uid" | "updateTime" | "sbomUid" | "reportUid"
>;

/** The statement that reads an image: one row, or none if it has neither a report nor an SBOM. */
export const selectExamined = (db: Database, repo: string, digest: string) =>
  db
    .select({
      uid: examinedImages.uid,
      updateTime: examinedImages.updateTime,
      sbomUid: examinedImages.sbomUid,
      reportUid: examinedImages.reportUid,
    })
    .from(examinedImages)
    .where(and(eq(examinedImages.parent, repo), eq(examinedImages.digest, digest)));

type IndexedReport = Pick<RowOf<typeof vulnReports>, "uid" | "digest" | "scanTime" | "createTime">;

/**
 * The statements that make a report the newest one of its image, unless there is one of a later scan, and write its
 * findings. Findings of the SBOM stay, and are one with those of the report if they are about the same vulnerability. They
 * write only rows that differ from those before. `image` is the image as it was read.
 */
export async function indexStatements(
  db: Database,
  report: IndexedReport,
  grypeFindings: GrypeFinding[],
  image: ExaminedImage | undefined,
): Promise<Statement[]> {
  const repo = parentOf(report.uid);
  const { uid: reportUid, digest, scanTime, createTime } = report;
  const own = { uid: image?.uid ?? reportUid, repo, digest };
  const matched = image?.sbomUid ? await matchedFacts(db, image.uid) : [];
  const rows = await findingRows(own, [...(await factsOf(grypeFindings)), ...matched]);
  const isSame = image
    ? isUnchanged(examinedImages, image)
    : sql`not exists ${selectExamined(db, repo, digest)}`;
  return [
    onlyIf(db, isSame),
    db
      .insert(examinedImages)
      .values({ uid: reportUid, digest, reportUid, scanTime, createTime, updateTime: createTime })
      .onConflictDoUpdate({
        target: [examinedImages.parent, examinedImages.digest],
        set: {
          reportUid,
          scanTime,
          updateTime: sql`max(excluded.update_time, ${examinedImages.updateTime} + 1)`,
          findingsVersion: 0,
        },
        setWhere: sql`${examinedImages.reportUid} is null
          or (excluded.scan_time, ${examinedImages.reportUid}) > (${examinedImages.scanTime}, excluded.report_uid)`,
      }),
    ...findingStatements(
      db,
      sql`(select "image"."uid" from ${examinedImages} as "image"
      where "image"."parent" = ${repo} and "image"."digest" = ${digest} and "image"."report_uid" = ${reportUid})`,
      rows,
    ),
  ];
}

/** The facts of an image that come from records. */
async function matchedFacts(db: Database, imageUid: string): Promise<Found[]> {
  const purls = await import("../../packages/purls.ts");
  const stored = await selectStored(
    db,
    sql`(select "own"."uid" as "uid" from ${findings} as "own"
      where "own"."image_uid" = ${imageUid} and "own"."facts" <> '[]') as "found"`,
    {},
  );
  return stored
    .flatMap((row) => factsOfStored(row, purls))
    .filter(({ fact }) => fact.advisory !== "");
}

/** The statements that replace the findings of an image, which is null if there is a later report. */
function findingStatements(db: Database, image: SQL, rows: FindingRow[]): Statement[] {
  const uids = toJsonParameters(rows.map(({ uid }) => JSON.stringify(uid)));
  return [
    db
      .delete(findings)
      .where(
        and(
          eq(findings.imageUid, image),
          ...uids.map((list) => sql`${findings.uid} not in (select value from json_each(${list}))`),
        ),
      ),
    ...upsertFindings(db, rows, image),
    db
      .update(examinedImages)
      .set({ findingsVersion: FINDINGS_VERSION, findingCount: rows.length })
      .where(
        and(
          eq(examinedImages.uid, image),
          sql`(${examinedImages.findingsVersion}, ${examinedImages.findingCount}) <> (${FINDINGS_VERSION}, ${rows.length})`,
        ),
      ),
  ];
}
