import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { and, eq, gte } from "drizzle-orm";
import {
  type CreateVulnReportRequest,
  type GetVulnReportRequest,
  type ListVulnReportsRequest,
  type VulnReport,
  VulnReportSchema,
  VulnReportsService,
  VulnReportView,
} from "../../../schema/gen/platform/registry/v2/vuln_reports_pb.js";
import { Scanner_Name } from "../../../schema/gen/platform/registry/vulnerabilities_pb.js";
import type { RowOf } from "../../../schema/tables/list_indexes.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { vulnReportContents, vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { sha256 } from "../../aip/sha256.ts";
import { isUnchanged } from "../../aip/stale.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { Call, CallAnywhere, Database } from "../../auth/call.ts";
import { matchOrganization } from "../../matching/run.ts";
import { commit, commitForResults, onlyIf, type Statement } from "../../outbox/commit.ts";
import { insertEventIfChanged } from "../../outbox/outbox.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { find } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";
import { compressToStored, decompressStored, gunzipField, maxStoredLength } from "../compressed.ts";
import { indexStatements, selectExamined } from "../findings/index_report.ts";
import { parentRepo } from "../repos/parent_repo.ts";
import { type GrypeReport, idsBySeverity, readGrypeReport } from "./grype.ts";

/** The largest report, in bytes, uncompressed. */
const maxBytes = 8 * 1024 * 1024;

/** A clock can be slightly ahead of ours, but a scan cannot be in the future. In milliseconds. */
const clockTolerance = 60_000;

/** The columns that a response contains. The documents are large. */
const reportColumns = {
  uid: vulnReports.uid,
  digest: vulnReports.digest,
  scanTime: vulnReports.scanTime,
  scannerVersion: vulnReports.scannerVersion,
  dbBuildTime: vulnReports.dbBuildTime,
  idCount: vulnReports.idCount,
  createTime: vulnReports.createTime,
  updateTime: vulnReports.updateTime,
};

const toVulnReport = (row: Pick<RowOf<typeof vulnReports>, keyof typeof reportColumns>) =>
  wholeMessage(VulnReportSchema, {
    uid: row.uid,
    digest: row.digest,
    scanTime: timestampFromMs(row.scanTime),
    scanner: "grype",
    scannerVersion: row.scannerVersion,
    dbBuildTime: row.dbBuildTime === null ? undefined : timestampFromMs(row.dbBuildTime),
    content: new Uint8Array(),
    vulnerabilityCount: row.idCount,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });

/** Refuses a report about another image. This is possible only if the report contains digests. */
function checkReportDigest({ digests }: GrypeReport, digest: string): void {
  if (digests.length === 0 || digests.includes(digest)) return;
  const named = digests.slice(0, 3).join(", ");
  throw invalidArgument("digest", `digest must be that of the image in the content: ${named}`);
}

/** The time of the scan, in milliseconds. */
function scanTimeOf(sentReport: VulnReport, report: GrypeReport, now: number): number {
  const asked = sentReport.scanTime && timestampMs(sentReport.scanTime);
  const { scanTime: reportedTime } = report;
  if (asked !== undefined && reportedTime !== undefined && asked !== reportedTime) {
    const time = new Date(reportedTime).toISOString();
    throw invalidArgument("scan_time", `scan_time must be that of the content, ${time}`);
  }
  const time = asked ?? reportedTime ?? now;
  const field = asked === undefined ? "content" : "scan_time";
  if (time > now + clockTolerance) {
    throw invalidArgument(field, `${field}: the time of the scan must not be in the future`);
  }
  return time;
}

/**
 * The last step of the uid. It is always the same for the same scan. A report without a time gives one scan
 * for each time that a request names.
 */
async function reportStep(
  { digest, scanTime }: VulnReport,
  report: GrypeReport,
  bytes: Uint8Array,
) {
  const time = scanTime && report.scanTime === undefined ? timestampMs(scanTime) : "";
  return (await sha256(`${digest}\n${time}\n${await sha256(bytes)}`)).slice(0, 16);
}

/** Reads the report of an image in a repository: its row, and the data that is stored with it. */
async function readReport(call: Call, repo: string, sentReport: VulnReport) {
  const bytes = await gunzipField(sentReport.content, maxBytes, "content");
  const report = readGrypeReport(bytes);
  checkReportDigest(report, sentReport.digest);
  return toRow(call, `${repo}/${await reportStep(sentReport, report, bytes)}`, sentReport, report);
}

async function toRow(call: Call, uid: string, sentReport: VulnReport, report: GrypeReport) {
  const ids = idsBySeverity(report.findings);
  const findings = JSON.stringify(report.findings);
  const counts = Object.entries(ids).map(([severity, { length }]): [string, number] => [
    severity,
    length,
  ]);
  const row = {
    uid,
    digest: sentReport.digest,
    scanTime: scanTimeOf(sentReport, report, call.now),
    scanner: Scanner_Name.GRYPE as number,
    scannerVersion: report.scannerVersion,
    dbBuildTime: report.dbBuildTime ?? null,
    imageSize: report.imageSize,
    idCount: counts.reduce((sum, [, count]) => sum + count, 0),
    findingBytes: findings.length,
    counts: Object.fromEntries(counts),
    ids,
    findings: await compressToStored(findings),
    createTime: call.now,
    updateTime: call.now,
  };
  const content = await compressToStored(sentReport.content);
  const stored = row.findings.length + JSON.stringify(ids).length;
  if (Math.max(stored, content.length) > maxStoredLength) {
    throw invalidArgument("content", "content is too large to store, even after compression");
  }
  return { row, content, found: report.findings };
}

/**
 * If the same report of the same image is sent again, nothing changes and the stored report is returned.
 */
export async function createVulnReport(
  { parent, vulnReport }: CreateVulnReportRequest,
  call: Call,
): Promise<VulnReport> {
  const sentReport = vulnReport ?? create(VulnReportSchema);
  // Reading takes time and memory, so the caller's access is checked first. The uid depends on the
  // contents.
  const { caller, extraReads } = await find(call, parentRepo, parent, {
    extraReads: [selectExamined(call.db, parent, sentReport.digest)],
  });
  const [[image]] = extraReads;
  const { row, content, found } = await readReport(call, parent, sentReport);
  const selectReport = call.db
    .select(reportColumns)
    .from(vulnReports)
    .where(eq(vulnReports.uid, row.uid));
  const statements = [
    call.db.insert(vulnReports).values(row).onConflictDoNothing(),
    insertEventIfChanged(call, caller, {
      subject: row.uid,
      group: parentOf(parent),
      image: { repo: parent, digest: row.digest },
      body: { desc: VulnReportSchema, message: toVulnReport(row) },
    }),
    call.db.insert(vulnReportContents).values({ uid: row.uid, content }).onConflictDoNothing(),
    ...(await indexStatements(call.db, row, found, image)),
  ] as [Statement, ...Statement[]];
  call.after(() => matchOrganization(call, rootOf(parent)), "succeeded");
  if (call.idempotency) {
    // The answer has to be known before the write.
    const [report = row] = await selectReport;
    await commit(call, [...statements, onlyIf(call.db, isUnchanged(vulnReports, report))]);
    return toVulnReport(report);
  }
  const results = await commitForResults(call, [...statements, selectReport]);
  // A call that only validates has no results.
  const [report = row] = (results.at(-1) ?? []) as (typeof row)[];
  return toVulnReport(report);
}

const type = "registry/VulnReport";

const isStored = (uid: string) => and(eq(vulnReports.uid, uid), isPresent(vulnReports.parent));

async function getVulnReport({ uid, view }: GetVulnReportRequest, call: Call): Promise<VulnReport> {
  if (view !== VulnReportView.FULL) {
    const select = (db: Database, reportUid: string) =>
      db.select(reportColumns).from(vulnReports).where(isStored(reportUid));
    return toVulnReport((await find(call, { type, select }, uid)).row);
  }
  const select = (db: Database, reportUid: string) =>
    db
      .select({ ...reportColumns, content: vulnReportContents.content })
      .from(vulnReports)
      .innerJoin(vulnReportContents, eq(vulnReportContents.uid, vulnReports.uid))
      .where(isStored(reportUid));
  const { row } = await find(call, { type, select }, uid);
  return { ...toVulnReport(row), content: await decompressStored(row.content) };
}

const listing = defineListing({
  table: vulnReports,
  select: (db, from) => db.select(reportColumns).from(from),
  orders: { scan_time: "scanTime", uid: "uid" },
  defaultOrder: "scan_time desc",
  leafOf: repos,
  mayBeLeft: true,
});

async function listVulnReports(request: ListVulnReportsRequest, call: CallAnywhere) {
  const { digest, scannedSince } = request;
  const page = await list(call, request, listing, {
    filters: [
      digest === "" ? undefined : eq(vulnReports.digest, digest),
      scannedSince ? gte(vulnReports.scanTime, timestampMs(scannedSince)) : undefined,
    ],
    index: digest === "" ? "order_index" : "filter_index",
  });
  return { vulnReports: page.rows.map(toVulnReport), ...page.envelope };
}

export const vulnReportsService = service(VulnReportsService, {
  createVulnReport,
  getVulnReport,
  listVulnReports,
});
