import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import {
  type Finding,
  FindingSchema,
  FindingState,
  FindingsService,
  type ListFindingsRequest,
  FindingSeverity as Severity,
  VexStatus,
} from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import {
  examinedImages,
  FOUND_BY,
  findingIds,
  findings,
} from "../../../schema/tables/registry/findings.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import type { CallAnywhere, Database } from "../../auth/call.ts";
import { indexDigestsSql, isTaggedSql, readTags, tagNamesSql } from "../../matching/image_tags.ts";
import { candidatesSql, vexOf } from "../../matching/vex.ts";
import type { Purls } from "../../matching/vex_scope.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { service } from "../../rpc/service.ts";
import { readImageFilter } from "./image_filter.ts";
import { readPackageFilter } from "./package_filter.ts";
import { idsOfVulnerability } from "./vulnerability_ids.ts";

const image = { repo: sql`${findings.parent}`, digest: sql`${examinedImages.digest}` };

const columns = {
  // A compound SELECT sorts by an alias of its result.
  uid: sql<string>`${findings.uid}`.as("uid"),
  repoUid: sql<string>`${findings.parent}`.as("repo_uid"),
  repoName:
    sql<string>`(select "repo"."name" from ${repos} as "repo" where "repo"."uid" = ${findings.parent})`.as(
      "repo_name",
    ),
  digest: sql<string>`${examinedImages.digest}`.as("image_digest"),
  reportUid: sql<string | null>`${examinedImages.reportUid}`.as("image_report"),
  scanTime: sql<number | null>`${examinedImages.scanTime}`.as("image_scan_time"),
  sbomUid: sql<string | null>`${examinedImages.sbomUid}`.as("image_sbom"),
  foundBy: sql<number>`${findings.foundBy}`.as("found_in"),
  unknown: sql<string>`${findings.unknown}`.as("unknown_reason"),
  advisoryUids: sql<string>`(select json_group_array("fact"."value" ->> 'advisory')
    from json_each(${findings.facts}) as "fact" where "fact"."value" ->> 'advisory' <> '')`.as(
    "advisory_uids",
  ),
  scannerVersion: sql<string>`(select "report"."scanner_version" from ${vulnReports} as "report"
    where "report"."uid" = ${examinedImages.reportUid})`.as("scanner_version"),
  tagNames: tagNamesSql(image).as("tag_names"),
  indexDigests: indexDigestsSql(image).as("index_digests"),
  candidates: candidatesSql.as("candidates"),
  vulnerabilityId: sql<string>`${findings.vulnerabilityId}`.as("vulnerability"),
  aliases: sql<string>`${findings.aliases}`.as("other_ids"),
  severity: sql<number>`${findings.severity}`.as("found_severity"),
  fixState: sql<number>`${findings.fixState}`.as("fix"),
  fixVersions: sql<string>`${findings.fixVersions}`.as("versions"),
  packageName: sql<string>`${findings.packageName}`.as("package"),
  packageVersion: sql<string>`${findings.packageVersion}`.as("version"),
  purl: sql<string>`${findings.purl}`.as("package_url"),
};

const imageOf = eq(examinedImages.uid, findings.imageUid);
const selectFindings = (db: Database, from = findings) =>
  db.select(columns).from(from).leftJoin(examinedImages, imageOf).$dynamic();

type Row = Awaited<ReturnType<typeof selectFindings>>[number];

const byUid = { orders: { uid: "uid" }, mayBeLeft: true } as const;
const unfiltered = defineListing({ ...byUid, table: findings, select: selectFindings });
const bySeverity = { ...unfiltered, classColumn: findings.severity };
const byFix = { ...unfiltered, classColumn: findings.fixClass };
/** A row for each id of a finding, so that the findings with one id are one walk of an index. */
const byId = defineListing({
  ...byUid,
  table: findingIds,
  classColumn: findingIds.id,
  select: (db, from) =>
    db
      .select({ ...columns, uid: sql<string>`${findingIds.uid}`.as("uid") })
      .from(from)
      .leftJoin(findings, eq(findings.uid, findingIds.uid))
      .leftJoin(examinedImages, imageOf)
      .$dynamic(),
});

/** Filters read only the table that is listed. */
const isTagged = sql`exists (select 1 from ${examinedImages} where ${imageOf} and ${isTaggedSql(image)})`;
const isOfFinding = (condition: SQL) =>
  sql`exists (select 1 from ${findings} where ${findings.uid} = ${findingIds.uid} and ${condition})`;

/** A finding can have several of the ids, and is listed once: under the first of them. */
const isFirstId = (ids: string[]): SQL => sql`not exists (select 1 from ${findingIds} as "other"
  where "other"."uid" = ${findingIds.uid} and "other"."id" in ${valuesSubselect(ids)}
    and "other"."id" < ${findingIds.id})`;

/** Numbers from the first to the last, both included. */
const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The severities that the filters leave. Undefined if they leave all. */
function severitiesOf({ minSeverity, severities }: ListFindingsRequest): number[] | undefined {
  const isRated = minSeverity > Severity.UNKNOWN;
  if (severities.length === 0) return isRated ? numbers(minSeverity, Severity.CRITICAL) : undefined;
  return severities.filter((severity) => severity >= minSeverity);
}

/** The class of `fixClass`, in which the lowest two severities are one. */
const fixClassOf = (severity: number, hasFix: boolean) =>
  2 * Math.max(severity, Severity.NEGLIGIBLE) + Number(hasFix);

/** The listing whose index the filters fit best, and the classes of its rows. */
function indexOf(request: ListFindingsRequest, ids: string[], severities: number[] | undefined) {
  const { vulnerability, purl, digest, hasFix } = request;
  if (vulnerability !== "") return { listing: byId, classes: ids };
  if (purl !== "" || digest !== "" || (!severities && hasFix === undefined))
    return { listing: unfiltered, classes: [] };
  if (hasFix === undefined) return { listing: bySeverity, classes: severities ?? [] };
  const all = severities ?? numbers(Severity.NEGLIGIBLE, Severity.CRITICAL);
  const classes = [...new Set(all.map((severity) => fixClassOf(severity, hasFix)))];
  return { listing: byFix, classes };
}

/** The findings of one image. */
const isOfImage = ({ repo, digest }: { repo: string; digest: string }): SQL =>
  sql`${findings.imageUid} = (select "scanned"."uid" from ${examinedImages} as "scanned"
    where "scanned"."parent" = ${repo} and "scanned"."digest" = ${digest})`;

function toFinding(row: Row, host: string, purls: Purls): Finding {
  const tags = readTags(row.tagNames);
  const read = row.purl === "" ? undefined : purls.readPurl(row.purl);
  const { repoName, packageName, packageVersion } = row;
  const digests = [row.digest, ...(JSON.parse(row.indexDigests) as string[])];
  const target = { repoName, digests, tags, package: read, packageName, packageVersion };
  const { statement: vex, unapplied } = vexOf(row.candidates, target, host, purls);
  return create(FindingSchema, {
    uid: row.uid,
    repoUid: row.repoUid,
    repoName,
    digest: row.digest,
    tags,
    vulnerabilityId: row.vulnerabilityId,
    aliases: JSON.parse(row.aliases),
    severity: row.severity,
    package: {
      name: packageName,
      version: packageVersion,
      purl: row.purl,
      type: read?.purlType ?? "",
    },
    fixState: row.fixState,
    fixedVersions: JSON.parse(row.fixVersions),
    ...(vex ? { vex } : {}),
    unappliedVex: unapplied,
    foundBy: row.foundBy,
    state: row.unknown === "" ? FindingState.AFFECTED : FindingState.UNKNOWN,
    unknownReason: row.unknown,
    advisoryUids: [...new Set<string>(JSON.parse(row.advisoryUids))],
    ...(row.foundBy === FOUND_BY.sbom ? {} : scanOf(row)),
    ...(row.foundBy === FOUND_BY.scanner ? {} : { sbomUid: row.sbomUid ?? "" }),
  });
}

const scanOf = ({ scanTime, scannerVersion, reportUid }: Row) => ({
  ...(scanTime === null ? {} : { scanTime: timestampFromMs(scanTime) }),
  ...{ scanner: "grype", scannerVersion, reportUid: reportUid ?? "" },
});

const resolved = [VexStatus.NOT_AFFECTED, VexStatus.FIXED];

async function listFindings(request: ListFindingsRequest, call: CallAnywhere) {
  const { vulnerability, hasFix, taggedOnly, excludeResolved, foundBy, state } = request;
  const named = readImageFilter(request);
  const ids =
    vulnerability === "" ? [] : await idsOfVulnerability(call, vulnerability, request.uidp);
  const severities = severitiesOf(request);
  const { listing, classes } = indexOf(request, ids, severities);
  const packageFilter = await readPackageFilter(request.purl, {
    packageKey: findings.packageKey,
    version: findings.packageVersion,
    purl: findings.purl,
  });
  const matches = and(
    named && isOfImage(named),
    severities && inArray(findings.severity, severities),
    hasFix === undefined ? undefined : eq(findings.hasFix, hasFix),
    packageFilter?.condition,
    foundBy.length === 0 ? undefined : inArray(findings.foundBy, foundBy),
    state === FindingState.UNSPECIFIED
      ? undefined
      : sql`(${findings.unknown} = '') = ${Number(state === FindingState.AFFECTED)}`,
    taggedOnly ? isTagged : undefined,
  );
  const page = await list<Row>(call, named?.listed ?? request, listing, {
    classes,
    total: "none",
    filters: [
      ids.length > 1 ? isFirstId(ids) : undefined,
      listing === byId && matches ? isOfFinding(matches) : matches,
    ],
  });
  const purls = await import("../../packages/purls.ts");
  const { host } = new URL(call.config.registryUrl);
  const all = page.rows.map((row) => toFinding(row, host, purls));
  const { nextPageToken, skipped } = page.envelope;
  const isShown = ({ vex }: Finding) => !vex || !resolved.includes(vex.status);
  return { findings: excludeResolved ? all.filter(isShown) : all, nextPageToken, skipped };
}

export const findingsService = service(FindingsService, { listFindings });
