/** SQL about the tags that lead to an image now: directly, or by an image index that contains it. */
import { type SQL, sql } from "drizzle-orm";
import { indexEntries } from "../../schema/tables/registry/index_entries.ts";
import { pointsTo, tags } from "../../schema/tables/registry/tags.ts";

/** The most tags and image indexes of one image in a response. */
const maxTags = 50;

/** `repo` and `digest` are expressions about the row of the image. */
interface ImageSql {
  repo: SQL;
  digest: SQL;
}

const directTags = ({ repo, digest }: ImageSql) => sql`select "tag"."name" from ${tags} as "tag"
  where ${pointsTo(repo, digest, "tag")}`;

const indexTags = ({ repo, digest }: ImageSql) => sql`select "tag"."name"
  from ${indexEntries} as "entry" cross join ${tags} as "tag"
  where "entry"."repo_uid" = ${repo} and "entry"."digest" = ${digest}
    and ${pointsTo(repo, sql`"entry"."index_digest"`, "tag")}`;

/** The names of the tags, as JSON. A name can appear twice. {@link readTags} reads it. */
export const tagNamesSql = (image: ImageSql): SQL<string> =>
  sql<string>`(select json_group_array("name") from (select * from (${directTags(image)} limit ${maxTags})
    union all select * from (${indexTags(image)} limit ${maxTags})))`;

/** Whether a tag leads to the image. */
export const isTaggedSql = (image: ImageSql): SQL =>
  sql`(exists (${directTags(image)}) or exists (${indexTags(image)}))`;

/** The digests of the image indexes that contain the image, as JSON. */
export const indexDigestsSql = ({ repo, digest }: ImageSql): SQL<string> =>
  sql<string>`(select json_group_array("index_digest") from (select "entry"."index_digest"
    from ${indexEntries} as "entry"
    where "entry"."repo_uid" = ${repo} and "entry"."digest" = ${digest} limit ${maxTags}))`;

/** The names in the result of {@link tagNamesSql}, each once, in ascending order. */
export const readTags = (names: string): string[] =>
  [...new Set(JSON.parse(names) as string[])].sort().slice(0, maxTags);
