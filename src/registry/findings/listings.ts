/** How findings are listed: their columns, and the index that fits the filters of a request. */
import { eq, type SQL, sql } from "drizzle-orm";
import {
  type ListFindingsRequest,
  FindingSeverity as Severity,
} from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import { examinedImages, findingIds, findings } from "../../../schema/tables/registry/findings.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import type { Database } from "../../auth/call.ts";
import { indexDigestsSql, tagNamesSql } from "../../matching/image_tags.ts";
import { candidatesSql } from "../../matching/vex.ts";
import { defineListing, type IndexStrategy, type Listing } from "../../paging/listing.ts";
import { type ImageTimes, imageCondition } from "./image_times.ts";

const image = { repo: sql`${findings.parent}`, digest: sql`${examinedImages.digest}` };

/** `tagNames` are the tags now, or at a time in milliseconds since 1970. */
const columnsAt = (at: number | undefined) => ({
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
  foundTime: sql<number>`${findings.createTime}`.as("found_time"),
  unknown: sql<string>`${findings.unknown}`.as("unknown_reason"),
  advisoryUids: sql<string>`(select json_group_array("fact"."value" ->> 'advisory')
    from json_each(${findings.facts}) as "fact" where "fact"."value" ->> 'advisory' <> '')`.as(
    "advisory_uids",
  ),
  scannerVersion: sql<string>`(select "report"."scanner_version" from ${vulnReports} as "report"
    where "report"."uid" = ${examinedImages.reportUid})`.as("scanner_version"),
  tagNames: tagNamesSql(image, at).as("tag_names"),
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
});

const imageOf = eq(examinedImages.uid, findings.imageUid);

const selectAt =
  (at: number | undefined) =>
  (db: Database, from = findings) =>
    db.select(columnsAt(at)).from(from).leftJoin(examinedImages, imageOf).$dynamic();

export type FindingRow = Awaited<ReturnType<ReturnType<typeof selectAt>>>[number];

const byUid = { orders: { uid: "uid" }, mayBeLeft: true } as const;

const unfiltered = (at: number | undefined) =>
  defineListing({ ...byUid, table: findings, select: selectAt(at) });

/** A row for each id of a finding, so that the findings with one id are one walk of an index. */
const byId = (at: number | undefined) =>
  defineListing({
    ...byUid,
    table: findingIds,
    classColumn: findingIds.id,
    select: (db, from) =>
      db
        .select({ ...columnsAt(at), uid: sql<string>`${findingIds.uid}`.as("uid") })
        .from(from)
        .leftJoin(findings, eq(findings.uid, findingIds.uid))
        .leftJoin(examinedImages, imageOf)
        .$dynamic(),
  });

/** The condition of a finding that its image meets the filters. Undefined if all images do. */
export function isOfSuchImage(times: ImageTimes, taggedOnly: boolean): SQL | undefined {
  const condition = imageCondition(image, times, taggedOnly);
  // Filters read only the table that is listed.
  return (
    condition && sql`exists (select 1 from ${examinedImages} where ${imageOf} and ${condition})`
  );
}

export const isOfFinding = (condition: SQL) =>
  sql`exists (select 1 from ${findings} where ${findings.uid} = ${findingIds.uid} and ${condition})`;

/** Numbers from the first to the last, both included. */
const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The severities that the filters leave. Undefined if they leave all. */
export function severitiesOf({
  minSeverity,
  severities,
}: ListFindingsRequest): number[] | undefined {
  const isRated = minSeverity > Severity.UNKNOWN;
  if (severities.length === 0) return isRated ? numbers(minSeverity, Severity.CRITICAL) : undefined;
  return severities.filter((severity) => severity >= minSeverity);
}

/** The class of `fixClass`, in which the lowest two severities are one. */
const fixClassOf = (severity: number, hasFix: boolean) =>
  2 * Math.max(severity, Severity.NEGLIGIBLE) + Number(hasFix);

/** A listing, the classes of its rows, and the index strategy of its pages. */
interface FindingIndex {
  listing: Listing<FindingRow>;
  classes: (string | number)[];
  index: IndexStrategy;
}

/** The filters that an index can fit. */
interface Asked {
  ids: string[];
  severities: number[] | undefined;
  /** The key of the package. Undefined without a filter on packages. */
  packageKey: string | undefined;
  times: ImageTimes;
}

/**
 * The listing whose index the filters fit best. No index has the times of images and findings, so with one, a page looks at
 * a limited number of rows.
 */
export function indexOf(request: ListFindingsRequest, asked: Asked): FindingIndex {
  const { vulnerability, digest, hasFix, foundSince } = request;
  const { ids, severities, packageKey, times } = asked;
  const isTimed =
    times.at !== undefined || times.pulledSince !== undefined || foundSince !== undefined;
  const index = isTimed ? "no_index" : "order_index";
  if (vulnerability !== "") return { listing: byId(times.at), classes: ids, index };
  const all = unfiltered(times.at);
  if (digest !== "") return { listing: all, classes: [], index: "order_index" };
  if (packageKey !== undefined)
    return { listing: { ...all, classColumn: findings.packageKey }, classes: [packageKey], index };
  if (!severities && hasFix === undefined) return { listing: all, classes: [], index };
  if (hasFix === undefined)
    return {
      listing: { ...all, classColumn: findings.severity },
      classes: severities ?? [],
      index,
    };
  const rated = severities ?? numbers(Severity.NEGLIGIBLE, Severity.CRITICAL);
  const classes = [...new Set(rated.map((severity) => fixClassOf(severity, hasFix)))];
  return { listing: { ...all, classColumn: findings.fixClass }, classes, index };
}
