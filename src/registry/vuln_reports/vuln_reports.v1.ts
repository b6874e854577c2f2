import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { vulnReportContents, vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import { invalidArguments } from "../../aip/errors.ts";
import { patternViolation } from "../../aip/validation.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import { requireUid } from "../../rpc/version1.ts";
import { decompressStored } from "../compressed.ts";
import { defaultArchitecture } from "../images/images.ts";
import { digestPattern } from "../images/images.v1.ts";
import type { RegistryHandlers } from "../registry_methods.v1.ts";
import { readStoredFindings, toVulnerabilityMatch } from "./findings.v1.ts";

/** Throws INVALID_ARGUMENT for `digest` if it is not a digest. */
export function checkImageDigest(digest: string): void {
  if (new RegExp(digestPattern).test(digest)) return;
  throw invalidArguments([patternViolation("digest", digestPattern, digest)]);
}

/**
 * SQL: the digest of the reports about an image. It is the image's own digest if that has a report. For an
 * index it is otherwise the digest of its manifest for amd64, because scanners pull and name that one. Null
 * if there is neither. `within` selects the rows of a table to search.
 */
export function reportedDigestSql(
  digest: SQL,
  within: (table: typeof vulnReports | typeof manifests) => SQL | undefined,
): SQL {
  const reports = and(sql`${vulnReports.digest} = ${digest}`, within(vulnReports));
  const index = and(sql`${manifests.digest} = ${digest}`, within(manifests));
  const entries = sql`(select ${manifests.entries} from ${manifests} where ${index} limit 1)`;
  return sql`iif(exists (select 1 from ${vulnReports} where ${reports}), ${digest},
    (select "entry"."value" ->> 'digest' from json_each(${entries}) as "entry"
      where "entry"."value" ->> 'architecture' = ${defaultArchitecture} limit 1))`;
}

export const vulnReportsV1 = {
  /** Of several reports, the one of the latest scan. It takes one round trip. */
  async getVulnReport({ repoId, digest }, call) {
    requireUid("repo_id", repoId);
    checkImageDigest(digest);
    const reported = reportedDigestSql(sql`${digest}`, ({ parent }) => eq(parent, repoId));
    const latest = call.db
      .select({ uid: vulnReports.uid })
      .from(vulnReports)
      .where(and(eq(vulnReports.parent, repoId), eq(vulnReports.digest, reported)))
      .orderBy(desc(vulnReports.scanTime), vulnReports.uid)
      .limit(1);
    const select = call.db
      .select({
        uid: vulnReports.uid,
        scanTime: vulnReports.scanTime,
        scannerVersion: vulnReports.scannerVersion,
        dbBuildTime: vulnReports.dbBuildTime,
        createTime: vulnReports.createTime,
        findings: vulnReports.findings,
        content: vulnReportContents.content,
      })
      .from(vulnReports)
      .innerJoin(vulnReportContents, eq(vulnReportContents.uid, vulnReports.uid))
      .where(and(eq(vulnReports.uid, latest), isPresent(vulnReports.parent)));
    const { rows } = await authorizeAndRead(call, repoId, [select]);
    const [row] = rows[0];
    if (!row) return {};
    return {
      id: row.uid,
      ...(row.dbBuildTime === null
        ? {}
        : { vulnerabilityDbLastBuildTime: timestampFromMs(row.dbBuildTime) }),
      vulnerabilityMatches: (await readStoredFindings(row.findings)).map(toVulnerabilityMatch),
      scanner: { name: "grype", version: row.scannerVersion },
      reportGeneration: timestampFromMs(row.scanTime),
      rawVulnReport: await decompressStored(row.content),
      lastSeen: timestampFromMs(row.createTime),
    };
  },
} satisfies RegistryHandlers;
