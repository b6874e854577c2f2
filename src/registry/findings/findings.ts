import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { and, eq, gte, inArray, type SQL, sql } from "drizzle-orm";
import {
  type Finding,
  FindingSchema,
  FindingState,
  FindingsService,
  type ListFindingsRequest,
  VexStatus,
} from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import {
  examinedImages,
  FOUND_BY,
  findingIds,
  findings,
} from "../../../schema/tables/registry/findings.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import type { CallAnywhere } from "../../auth/call.ts";
import { readTags } from "../../matching/image_tags.ts";
import { vexOf } from "../../matching/vex.ts";
import type { Purls } from "../../matching/vex_scope.ts";
import { list } from "../../paging/list.ts";
import { service } from "../../rpc/service.ts";
import { readImageFilter } from "./image_filter.ts";
import { readImageTimes } from "./image_times.ts";
import { type FindingRow, indexOf, isOfFinding, isOfSuchImage, severitiesOf } from "./listings.ts";
import { readPackageFilter } from "./package_filter.ts";
import { idsOfVulnerability } from "./vulnerability_ids.ts";

/** A finding can have several of the ids, and is listed once: under the first of them. */
const isFirstId = (ids: string[]): SQL => sql`not exists (select 1 from ${findingIds} as "other"
  where "other"."uid" = ${findingIds.uid} and "other"."id" in ${valuesSubselect(ids)}
    and "other"."id" < ${findingIds.id})`;

/** The findings of one image. */
const isOfImage = ({ repo, digest }: { repo: string; digest: string }): SQL =>
  sql`${findings.imageUid} = (select "scanned"."uid" from ${examinedImages} as "scanned"
    where "scanned"."parent" = ${repo} and "scanned"."digest" = ${digest})`;

function toFinding(row: FindingRow, host: string, purls: Purls): Finding {
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
    ...(row.foundTime === 0 ? {} : { foundTime: timestampFromMs(row.foundTime) }),
    advisoryUids: [...new Set<string>(JSON.parse(row.advisoryUids))],
    ...(row.foundBy === FOUND_BY.sbom ? {} : scanOf(row)),
    ...(row.foundBy === FOUND_BY.scanner ? {} : { sbomUid: row.sbomUid ?? "" }),
  });
}

const scanOf = ({ scanTime, scannerVersion, reportUid }: FindingRow) => ({
  ...(scanTime === null ? {} : { scanTime: timestampFromMs(scanTime) }),
  ...{ scanner: "grype", scannerVersion, reportUid: reportUid ?? "" },
});

const resolved = [VexStatus.NOT_AFFECTED, VexStatus.FIXED];

async function listFindings(request: ListFindingsRequest, call: CallAnywhere) {
  const { vulnerability, hasFix, taggedOnly, excludeResolved, foundBy, foundSince, state } =
    request;
  const named = readImageFilter(request);
  const ids =
    vulnerability === "" ? [] : await idsOfVulnerability(call, vulnerability, request.uidp);
  const severities = severitiesOf(request);
  const times = readImageTimes(request, call.now);
  const packageFilter = await readPackageFilter(request.purl, {
    packageKey: findings.packageKey,
    version: findings.packageVersion,
    purl: findings.purl,
  });
  const asked = { ids, severities, packageKey: packageFilter?.key, times };
  const { listing, ...strategy } = indexOf(request, asked);
  const matches = and(
    named && isOfImage(named),
    severities && inArray(findings.severity, severities),
    hasFix === undefined ? undefined : eq(findings.hasFix, hasFix),
    packageFilter?.condition,
    foundBy.length === 0 ? undefined : inArray(findings.foundBy, foundBy),
    state === FindingState.UNSPECIFIED
      ? undefined
      : sql`(${findings.unknown} = '') = ${Number(state === FindingState.AFFECTED)}`,
    foundSince && gte(findings.createTime, timestampMs(foundSince)),
    isOfSuchImage(times, taggedOnly),
  );
  const page = await list<FindingRow>(call, named?.listed ?? request, listing, {
    ...strategy,
    total: "none",
    filters: [
      ids.length > 1 ? isFirstId(ids) : undefined,
      vulnerability !== "" && matches ? isOfFinding(matches) : matches,
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
