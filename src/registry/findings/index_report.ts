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
  FINDINGS_VERSION,
  findings,
  examinedImages,
} from "../../../schema/tables/registry/findings.ts";
import type { vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import { type InsertRow, insertFrom } from "../../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../../aip/json_parameters.ts";
import { sha256 } from "../../aip/sha256.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import type { Statement } from "../../outbox/commit.ts";
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

/** A row of `findings` without the columns that follow from its image. */
type FindingRow = Omit<typeof findings.$inferInsert, "imageUid">;

/**
 * The rows of a report. The same vulnerability in the same package is one row, even if the package is in
 * several places of the image.
 */
export async function findingRows(
  repo: string,
  digest: string,
  grypeFindings: GrypeFinding[],
): Promise<FindingRow[]> {
  // Imported here, because package URLs would add milliseconds to the start of every registry Worker.
  const { readPurl, packageKey } = await import("../../packages/purls.ts");
  const rows = new Map<string, FindingRow>();
  for (const finding of grypeFindings) {
    const { name, version, purl } = finding.package;
    const key = JSON.stringify([digest, finding.id, name, version, purl]);
    const severity = severityOf[finding.severity] ?? Severity.UNKNOWN;
    const fixVersions = finding.fix?.versions ?? [];
    const before = rows.get(key);
    if (before) {
      before.severity = Math.max(before.severity, severity);
      before.fixVersions = [...new Set([...before.fixVersions, ...fixVersions])];
      before.hasFix ||= fixVersions.length > 0;
      continue;
    }
    const read = purl === "" ? undefined : readPurl(purl);
    rows.set(key, {
      uid: `${repo}/${(await sha256(key)).slice(0, 16)}`,
      vulnerabilityId: finding.id,
      aliases: [...new Set(finding.related.map(({ id }) => id))].filter((id) => id !== finding.id),
      severity,
      fixState: fixStateOf[finding.fix?.state ?? FixStateV1.UNKNOWN] ?? FixState.UNSPECIFIED,
      fixVersions,
      hasFix: fixVersions.length > 0,
      packageName: name,
      packageVersion: version,
      purl: read?.purl ?? purl,
      packageKey: read ? packageKey(read.purl) : "",
      productName: read?.name ?? name,
    });
  }
  return [...rows.values()];
}

type IndexedReport = Pick<RowOf<typeof vulnReports>, "uid" | "digest" | "scanTime" | "createTime">;

const of = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;
const json = (name: string) => sql`"given"."value" -> ${sql.raw(`'${name}'`)}`;

/** The columns that a later scan can change. */
const changing = ["severity", "fix_state", "fix_versions", "has_fix", "aliases"] as const;

/**
 * The statements that make a report the newest one of its image, unless there is one of a later scan, and
 * write its findings. They write only rows that differ from those of the report before.
 */
export function indexStatements(
  db: Database,
  report: IndexedReport,
  rows: FindingRow[],
): Statement[] {
  const repo = parentOf(report.uid);
  const { uid: reportUid, digest, scanTime, createTime } = report;
  const image = sql`(select "image"."uid" from ${examinedImages} as "image"
    where "image"."parent" = ${repo} and "image"."digest" = ${digest} and "image"."report_uid" = ${reportUid})`;
  const uids = toJsonParameters(rows.map(({ uid }) => JSON.stringify(uid)));
  return [
    db
      .insert(examinedImages)
      .values({ uid: reportUid, digest, reportUid, scanTime, createTime, updateTime: createTime })
      .onConflictDoUpdate({
        target: [examinedImages.parent, examinedImages.digest],
        set: { reportUid, scanTime, updateTime: createTime, findingsVersion: 0 },
        setWhere: sql`(excluded.scan_time, ${examinedImages.reportUid}) > (${examinedImages.scanTime}, excluded.report_uid)`,
      }),
    db
      .delete(findings)
      .where(
        and(
          eq(findings.imageUid, image),
          ...uids.map((list) => sql`${findings.uid} not in (select value from json_each(${list}))`),
        ),
      ),
    ...toJsonParameters(rows.map((row) => JSON.stringify(row))).map((parameter) =>
      upsertFindings(db, image, parameter),
    ),
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

function upsertFindings(db: Database, image: SQL, parameter: string): Statement {
  const columns = {
    uid: of("uid"),
    imageUid: image,
    vulnerabilityId: of("vulnerabilityId"),
    aliases: json("aliases"),
    severity: of("severity"),
    fixState: of("fixState"),
    fixVersions: json("fixVersions"),
    hasFix: of("hasFix"),
    packageName: of("packageName"),
    packageVersion: of("packageVersion"),
    purl: of("purl"),
    packageKey: of("packageKey"),
    productName: of("productName"),
  } satisfies InsertRow<typeof findings>;
  const isChanged = sql.join(
    changing.map((name) => sql.raw(`"findings"."${name}" <> excluded."${name}"`)),
    sql` or `,
  );
  return insertFrom(
    db,
    findings,
    columns,
    fromParameter(parameter, sql`${image} is not null`),
  ).onConflictDoUpdate({
    target: findings.uid,
    set: {
      severity: sql`excluded.severity`,
      fixState: sql`excluded.fix_state`,
      fixVersions: sql`excluded.fix_versions`,
      hasFix: sql`excluded.has_fix`,
      aliases: sql`excluded.aliases`,
    },
    setWhere: isChanged,
  });
}
