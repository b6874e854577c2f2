/**
 * The content of public images that anyone may pull:
 *
 * - the tags `latest` and `latest-dev`, and everything that they point to or have pointed to. A build that is pinned by
 *   digest therefore keeps working.
 * - what refers to public content, such as signatures and SBOMs: manifests with it as their subject, and manifests with
 *   a tag that contains its digest.
 */
import { type SQL, sql } from "drizzle-orm";
import { blobLinks, blobs, ContentKind } from "../../schema/tables/distribution/blobs.ts";
import { digestText } from "../../schema/tables/distribution/digest_column.ts";
import { referrers } from "../../schema/tables/distribution/referrers.ts";
import { repoStorage } from "../../schema/tables/distribution/storage.ts";
import { publicDigests } from "../../schema/tables/registry/public_digests.ts";
import { tagRepos } from "../../schema/tables/registry/tag_records.ts";
import { pointsTo, tags } from "../../schema/tables/registry/tags.ts";
import { isPublicImage, isPublicTag } from "./access.ts";
import { digestSql } from "./blobs/rows.ts";
import type { RegistryContext } from "./context.ts";
import { isDigest } from "./digest.ts";
import { type ImageName, repoUidOf } from "./repository.ts";

/** The ends of the tags of cosign. The tag of clients without the referrers API has none (OCI distribution 1.1). */
const tagEnds = ["", ".sig", ".att", ".sbom"];

/** The digest in a tag such as `sha256-….sig`. Undefined for any other tag. */
function subjectOfTag(tag: string): string | undefined {
  const [, hash, end = ""] = /^sha256-([0-9a-f]{64})(.*)$/.exec(tag) ?? [];
  return hash !== undefined && tagEnds.includes(end) ? `sha256:${hash}` : undefined;
}

/**
 * The statement that reads whether anyone may pull what a tag or a digest leads to: one row, or none. There is no statement
 * for an image that is not public.
 */
export function selectPublic(context: RegistryContext, image: ImageName, reference: string) {
  if (!isPublicImage(context, image)) return [];
  const { db } = context;
  const digest = isDigest(reference) ? reference : subjectOfTag(reference);
  let isOpen = sql`false`;
  if (isPublicTag(reference)) isOpen = sql`true`;
  else if (digest !== undefined) isOpen = isPublicDigest(repoUidOf(db, image), digest);
  return [
    db
      .select({ isOpen: sql<number>`1`.as("is_open") })
      .from(sql`(select 1)`)
      .where(isOpen),
  ];
}

/**
 * Whether the content is public. It looks upwards from the content, because an image has few parents and a tag has many
 * images. The first step goes through the manifests of the repository, because all repositories together can have many
 * more that name a common blob. All joins are cross joins, because SQLite would otherwise begin with all blobs.
 */
const isPublicDigest = (repoUid: SQL, digest: string): SQL => sql`exists (
  with recursive
    target(repo_id, repo_uid, id, history_id) as materialized (
      select ${repoStorage.id}, ${repoStorage.uid}, ${blobs.id}, ${tagRepos.id}
      from ${repoStorage} cross join ${blobs} cross join ${tagRepos} on ${tagRepos.repoUid} = ${repoStorage.uid}
      where ${repoStorage.uid} = ${repoUid} and ${blobs.digest} = ${digestSql(digest)}
    ),
    up(id) as (
      select target.id from target
      union select holder.blob_id from target
        cross join ${blobLinks} as holder on holder.repo_id = target.repo_id and holder.kind = ${manifest}
        cross join manifest_references as named
          on named.manifest_id = holder.blob_id and named.blob_id = target.id
      union select named.manifest_id from up cross join target on up.id <> target.id
        cross join manifest_references as named on named.blob_id = up.id
        cross join ${blobLinks} as holder on holder.repo_id = target.repo_id
          and holder.kind = ${manifest} and holder.blob_id = named.manifest_id
      union select subject.id from up cross join target
        cross join ${referrers} on ${referrers.repo} = target.repo_id and ${referrers.manifest} = up.id
        cross join ${blobs} as subject on subject.digest = ${referrers.subject}
      union select subject.id from up cross join target
        cross join ${blobs} as tagged on tagged.id = up.id
        cross join ${tags} on ${pointsTo(sql`target.repo_uid`, digestText(sql`tagged.digest`))}
          and ${isTagOfDigest}
        cross join ${blobs} as subject on subject.digest = unhex(substr(${tags.name}, 8, 64))
    )
  select 1 from up cross join target cross join ${blobs} on ${blobs.id} = up.id
    cross join ${publicDigests} on ${publicDigests.repo} = target.history_id
      and ${publicDigests.digest} = ${blobs.digest}
)`;

const manifest = sql.raw(String(ContentKind.manifest));

/** The same in SQL as {@link subjectOfTag}: the bytes of any other text are those of no digest. */
const isTagOfDigest = sql`${tags.name} glob 'sha256-*' and ${tags.name} = lower(${tags.name})
  and substr(${tags.name}, 72) in ${tagEnds}`;
