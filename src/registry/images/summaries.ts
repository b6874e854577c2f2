/** Images in short: their platforms, sizes and numbers of vulnerabilities, for many digests in one round trip. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  type FindingCounts,
  FindingCountsSchema,
  ImagePlatformSchema,
  ImageSummariesService,
  type ImageSummary,
  ImageSummarySchema,
} from "../../../schema/gen/platform/registry/images/v2/image_summaries_pb.js";
import { Vulnerability_Severity as Severity } from "../../../schema/gen/platform/registry/vulnerabilities_pb.js";
import { type IndexEntry, manifests } from "../../../schema/tables/registry/manifests.ts";
import { vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import type { Call } from "../../auth/call.ts";
import { holds } from "../../auth/grants.ts";
import { find } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";
import { parentRepo } from "../repos/parent_repo.ts";
import { reportedDigestSql } from "../vuln_reports/vuln_reports.v1.ts";
import { indexTypes } from "./manifest_content.ts";
import { canonicalArchitecture } from "./platforms.ts";

/** The most platforms of an image in a summary. An index can have thousands of entries. */
const maxPlatforms = 50;

const inRepo = (repo: string, digests: SQL) =>
  and(eq(manifests.parent, repo), inArray(manifests.digest, digests));

/** The first entries of an index. A hundred long indexes would be too much for the memory of a Worker. */
const firstEntries = sql`(select json_group_array(json("entry"."value"))
  from json_each(${manifests.entries}) as "entry" where "entry"."key" < ${maxPlatforms})`.mapWith(
  (text: string) => JSON.parse(text) as IndexEntry[],
);

/** The statement that reads images, each with the entries that a summary shows. */
export const selectImages = ({ db }: Pick<Call, "db">, repo: string, digests: string[]) =>
  db
    .select({
      digest: manifests.digest,
      mediaType: manifests.mediaType,
      entries: firstEntries.as("first_entries"),
      size: manifests.size,
      architecture: manifests.architecture,
      os: manifests.os,
    })
    .from(manifests)
    .where(inRepo(repo, valuesSubselect(digests)));

/** The stored manifests that the indexes among the digests name. */
const selectEntries = ({ db }: Call, repo: string, digests: string[]) => {
  const named = sql`(select "entry"."value" ->> 'digest' from ${manifests} as "named"
    cross join json_each("named"."entries") as "entry"
    where "named"."parent" = ${repo} and "named"."digest" in ${valuesSubselect(digests)}
      and "entry"."key" < ${maxPlatforms})`;
  return db
    .select({ digest: manifests.digest, size: manifests.size, os: manifests.os })
    .from(manifests)
    .where(inRepo(repo, named));
};

/** The newest report about each digest, as version 1 finds it ({@link reportedDigestSql}). */
const selectReports = ({ db }: Call, repo: string, digests: string[]) => {
  const digest = sql<string>`"asked"."value"`;
  const reported = reportedDigestSql(digest, ({ parent }) => eq(parent, repo));
  const latest = db
    .select({ uid: vulnReports.uid })
    .from(vulnReports)
    .where(and(eq(vulnReports.parent, repo), eq(vulnReports.digest, reported)))
    .orderBy(desc(vulnReports.scanTime))
    .limit(1);
  return (
    db
      .select({
        digest: digest.as("asked_digest"),
        uid: vulnReports.uid,
        reported: vulnReports.digest,
        scanTime: vulnReports.scanTime,
        counts: vulnReports.counts,
      })
      .from(sql`json_each(${JSON.stringify(digests)}) as "asked"`)
      // Not an inner join, because D1 would then choose the order.
      .crossJoin(vulnReports)
      .where(eq(vulnReports.uid, latest))
  );
};

type Image = Awaited<ReturnType<typeof selectImages>>[number];
type Entry = Awaited<ReturnType<typeof selectEntries>>[number];
type Report = Awaited<ReturnType<typeof selectReports>>[number];

function platformsOf(image: Image, entries: ReadonlyMap<string, Entry>) {
  const { digest, os, size } = image;
  if (!indexTypes.includes(image.mediaType)) {
    const architecture = canonicalArchitecture(image.architecture);
    return [create(ImagePlatformSchema, { os, architecture, digest, size: BigInt(size) })];
  }
  return image.entries.map((entry) => {
    const stored = entries.get(entry.digest);
    return create(ImagePlatformSchema, {
      os: stored?.os ?? "",
      architecture: canonicalArchitecture(entry.architecture),
      digest: entry.digest,
      size: BigInt(stored?.size ?? 0),
    });
  });
}

const toFindingCounts = ({ uid, reported, scanTime, counts }: Report): FindingCounts =>
  create(FindingCountsSchema, {
    reportUid: uid,
    digest: reported,
    scanTime: timestampFromMs(scanTime),
    critical: counts[Severity.CRITICAL] ?? 0,
    high: counts[Severity.HIGH] ?? 0,
    medium: counts[Severity.MEDIUM] ?? 0,
    low: counts[Severity.LOW] ?? 0,
    negligible: counts[Severity.NEGLIGIBLE] ?? 0,
    unknown: counts[Severity.UNKNOWN] ?? 0,
  });

export const imageSummariesService = service(ImageSummariesService, {
  /** A digest that the repository does not contain is not an error, because a tag can point to it. */
  async batchGetImageSummaries({ repoUid, digests }, call) {
    const asked = [...new Set(digests)];
    const { caller, extraReads } = await find(call, parentRepo, repoUid, {
      extraReads: [
        selectImages(call, repoUid, asked),
        selectEntries(call, repoUid, asked),
        selectReports(call, repoUid, asked),
      ],
    });
    const images = new Map(extraReads[0].map((row) => [row.digest, row]));
    const entries = new Map(extraReads[1].map((row) => [row.digest, row]));
    const mayCount = holds(caller, [Capability.CAP_VULN_REPORT_LIST], repoUid);
    const reports = new Map(mayCount ? extraReads[2].map((row) => [row.digest, row]) : []);
    const toSummary = (digest: string): ImageSummary => {
      const image = images.get(digest);
      const report = reports.get(digest);
      return create(ImageSummarySchema, {
        digest,
        mediaType: image?.mediaType ?? "",
        platforms: image ? platformsOf(image, entries) : [],
        ...(report ? { findings: toFindingCounts(report) } : {}),
      });
    };
    return { imageSummaries: digests.map(toSummary) };
  },
});
