/** Reads what decides about announcements, and what their events contain. */
import { and, asc, eq, getTableName, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { announcedVulnerabilities } from "../../../schema/tables/registry/announced_vulnerabilities.ts";
import { examinedImages, findings } from "../../../schema/tables/registry/findings.ts";
import { indexEntries } from "../../../schema/tables/registry/index_entries.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { tagPulls } from "../../../schema/tables/registry/tag_pulls.ts";
import {
  digestText,
  tagNames,
  tagRecords,
  tagRepos,
} from "../../../schema/tables/registry/tag_records.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { advisoryProducts } from "../../../schema/tables/vulnerabilities/advisory_products.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import type { Database } from "../../auth/databases.ts";
import { indexDigestsSql, leadingTagsSql, tagCountSql } from "../image_tags.ts";
import { candidatesSql } from "../vex.ts";

/** A column with its table, which drizzle leaves out in a select from one table: in a subquery, it could be another one. */
const whole = (column: SQLiteColumn): SQL =>
  sql`${sql.identifier(getTableName(column.table))}.${sql.identifier(column.name)}`;

const ofImage = { repo: whole(examinedImages.parent), digest: whole(examinedImages.digest) };

/** The images that still exist, with the tags that lead to them. */
export const selectImages = (db: Database, uids: string[]) =>
  db
    .select({
      uid: examinedImages.uid,
      updateTime: examinedImages.updateTime,
      digest: examinedImages.digest,
      repo: examinedImages.parent,
      repoName: sql<string>`(select "named"."name" from ${repos} as "named"
        where "named"."uid" = ${ofImage.repo})`.as("repo_name"),
      findingCount: examinedImages.findingCount,
      tags: leadingTagsSql(ofImage).as("leading_tags"),
      tagCount: tagCountSql(ofImage).as("tag_count"),
      indexDigests: indexDigestsSql(ofImage).as("index_digests"),
    })
    .from(examinedImages)
    .where(
      and(sql`${examinedImages.uid} in ${valuesSubselect(uids)}`, isPresent(examinedImages.parent)),
    );

export type ImageRow = Awaited<ReturnType<typeof selectImages>>[number];

/** The most findings that are read at once. More of one image are left out. */
const maxFindings = 20_000;

const above = sql.join(
  [
    findings.ancestor0,
    findings.ancestor1,
    findings.ancestor2,
    findings.ancestor3,
    findings.ancestor4,
  ].map(whole),
  sql`, `,
);

/** Whether there is a statement about one of the ids in a group above the image. */
const hasStatements = sql<number>`exists (select 1 from ${advisoryProducts} as "product"
  where "product"."alias" in (select upper("id"."value")
      from json_each(json_insert(${whole(findings.aliases)}, '$[#]', ${whole(findings.vulnerabilityId)})) as "id")
    and "product"."group_uid" in (${above}))`;

export const selectShortFindings = (db: Database, images: string[]) =>
  db
    .select({
      uid: findings.uid,
      imageUid: findings.imageUid,
      vulnerabilityId: findings.vulnerabilityId,
      aliases: findings.aliases,
      unknown: findings.unknown,
      hasStatements: hasStatements.as("has_statements"),
    })
    .from(findings)
    .where(sql`${findings.imageUid} in ${valuesSubselect(images)}`)
    .orderBy(asc(findings.imageUid), asc(findings.uid))
    .limit(maxFindings);

export const selectAnnounced = (db: Database, images: string[]) =>
  db
    .select()
    .from(announcedVulnerabilities)
    .where(sql`${announcedVulnerabilities.imageUid} in ${valuesSubselect(images)}`);

/** Findings with their VEX statements (`vexOf`) and with what an event shows. */
export const selectDetails = (db: Database, uids: string[]) =>
  db
    .select({
      uid: findings.uid,
      candidates: candidatesSql.as("candidates"),
      severity: findings.severity,
      fixVersions: findings.fixVersions,
      packageName: findings.packageName,
      packageVersion: findings.packageVersion,
      purl: findings.purl,
      foundBy: findings.foundBy,
    })
    .from(findings)
    .innerJoin(examinedImages, eq(examinedImages.uid, findings.imageUid))
    .where(sql`${findings.uid} in ${valuesSubselect(uids)}`);

export type Detail = Awaited<ReturnType<typeof selectDetails>>[number];

/** A tag or a digest that leads to an image, and since when, in milliseconds. */
export type Reference = [image: string, repo: string, reference: string, since: number];

/** The pulls of images by these references, since they lead to them. */
export const selectPulls = (db: Database, references: Reference[]) => {
  const asked = (place: number) => sql.raw(`("asked"."value" ->> ${place})`);
  return db
    .select({
      image: sql<string>`${asked(0)}`.as("pulled_image"),
      time: sql<number>`max("pull"."time")`.as("pull_time"),
      identities: sql<number>`count(distinct nullif("pull"."identity", ''))`.as("identities"),
    })
    .from(
      sql`json_each(${JSON.stringify(references)}) as "asked" cross join ${repoStorage} as "storage"
        cross join ${tagPulls} as "pull"`,
    )
    .where(
      sql`"storage"."uid" = ${asked(1)} and "pull"."repo_id" = "storage"."id"
        and "pull"."reference" = ${asked(2)} and "pull"."time" >= ${asked(3)}`,
    )
    .groupBy(asked(0));
};

/** The latest moves of a repository that are looked at. */
const maxMoves = 1_000;

/** The most tags that have moved away from the images of one repository. */
const maxMovedTags = 50;

/** The tags of a repository that pointed to one of these digests, and now point to another one. */
export const selectMovedTags = (db: Database, repo: string, digests: string[]) => {
  const before = sql.raw(digestText(`"record"."digest"`));
  return db
    .selectDistinct({
      before: sql<string>`${before}`.as("digest_before"),
      tag: sql<string>`"named"."tag"`.as("moved_tag"),
      digest: sql<string>`"now"."digest"`.as("digest_now"),
      repo: sql<string>`${repo}`.as("repo_uid"),
    })
    .from(
      sql`(select "recent"."tag_id", "recent"."digest" from ${tagRecords} as "recent"
          where "recent"."repo_id" = (select "id" from ${tagRepos} where "repo_uid" = ${repo})
          order by "recent"."update_time" desc limit ${maxMoves}) as "record"
        cross join ${tagNames} as "named" cross join ${tags} as "now"`,
    )
    .where(
      sql`${before} in ${valuesSubselect(digests)} and "named"."id" = "record"."tag_id"
        and ${isInRepo(repo, "now")} and "now"."name" = "named"."tag"
        and "now"."digest" not in ('', ${before})`,
    )
    .orderBy(sql`"moved_tag"`)
    .limit(maxMovedTags);
};

export type MovedTag = Awaited<ReturnType<typeof selectMovedTags>>[number];

/**
 * The ids of what is found in the images that digests lead to. There is a row without ids for an image without findings, and
 * none for a digest whose images have neither a report nor an SBOM.
 */
export const selectIdsBehind = (db: Database, asked: [repo: string, digest: string][]) => {
  const [repo, digest] = [sql.raw(`"asked"."value" ->> 0`), sql.raw(`"asked"."value" ->> 1`)];
  const behind = sql`(select "image"."uid" from ${examinedImages} as "image"
      where "image"."parent" = ${repo} and "image"."digest" = ${digest}
    union select "image"."uid" from ${manifests} as "index" cross join ${indexEntries} as "entry"
      cross join ${examinedImages} as "image"
      where "index"."parent" = ${repo} and "index"."digest" = ${digest} and "entry"."index_uid" = "index"."uid"
        and "image"."parent" = ${repo} and "image"."digest" = "entry"."digest")`;
  return db
    .select({
      repo: sql<string>`${repo}`.as("asked_repo"),
      digest: sql<string>`${digest}`.as("asked_digest"),
      vulnerabilityId: sql<string | null>`"found"."vulnerability_id"`.as("found_id"),
      aliases: sql<string | null>`"found"."aliases"`.as("found_aliases"),
    })
    .from(
      sql`json_each(${JSON.stringify(asked)}) as "asked" cross join ${examinedImages} as "behind"
        left join ${findings} as "found" on "found"."image_uid" = "behind"."uid" and "found"."unknown" = ''`,
    )
    .where(sql`"behind"."uid" in ${behind}`);
};
