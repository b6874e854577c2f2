/**
 * The content of public images that anyone may pull: the tags `latest` and `latest-dev`, and everything that
 * they point to or have pointed to. A build that is pinned by digest therefore keeps working.
 */
import { sql } from "drizzle-orm";
import { blobLinks, blobs, ContentKind } from "../../schema/tables/distribution/blobs.ts";
import { repoStorage } from "../../schema/tables/distribution/storage.ts";
import { tagMoves } from "../../schema/views/tag_moves.ts";
import { isPublicImage, publicTags } from "./access.ts";
import { blobIdOf } from "./blobs/rows.ts";
import type { RegistryContext } from "./context.ts";
import { type ImageName, repoUidOf } from "./repository.ts";

/**
 * The statement that reads whether anyone may pull the content: one row, or none. It looks upwards from the
 * content, because an image has few parents and a tag has many images.
 */
export function selectPublic(context: RegistryContext, image: ImageName, digest: string) {
  const { db } = context;
  const one = { isOpen: sql<number>`1`.as("is_open") };
  if (!isPublicImage(context, image)) return db.select(one).from(sql`(select 1)`).where(sql`false`);
  const repo = sql`(select ${repoStorage.id} from ${repoStorage} where ${repoStorage.uid} = ${repoUidOf(db, image)})`;
  const manifest = sql.raw(String(ContentKind.manifest));
  return db.select(one).from(
    sql`(
        with recursive
          target(repo_id, id) as materialized (select ${repo}, ${blobIdOf(digest)}),
          start(id) as (
            select holder.blob_id from target
              cross join ${blobLinks} as holder on holder.repo_id = target.repo_id and holder.kind = ${manifest}
              cross join manifest_references as named
                on named.manifest_id = holder.blob_id and named.blob_id = target.id
            union select target.id from target
          ),
          up(id) as (
            select id from start
            union select named.manifest_id from up cross join target
              cross join manifest_references as named on named.blob_id = up.id
              cross join ${blobLinks} as holder on holder.repo_id = target.repo_id
                and holder.kind = ${manifest} and holder.blob_id = named.manifest_id
          )
        select 1 from up join ${blobs} on ${blobs.id} = up.id
        where lower(hex(${blobs.digest})) in (
          select substr(${tagMoves.digest}, 8) from ${tagMoves}
          where ${tagMoves.repoUid} = ${repoUidOf(db, image)} and ${tagMoves.tag} in ${publicTags})
        limit 1
      )`,
  );
}
