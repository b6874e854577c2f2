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

const nameOfTag = sql`"tag"."name"`;

const directTags = (
  { repo, digest }: ImageSql,
  columns = nameOfTag,
) => sql`select ${columns} from ${tags} as "tag"
  where ${pointsTo(repo, digest, "tag")}`;

const indexTags = ({ repo, digest }: ImageSql, columns = nameOfTag) => sql`select ${columns}
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

/** The most tags that are counted. */
const maxCounted = 1_000;

/** The tags that lead to an image, as JSON of pairs: the name, and since when it leads there, in milliseconds. */
export const leadingTagsSql = (image: ImageSql): SQL<string> => {
  const columns = sql`"tag"."name" as "name", "tag"."update_time" as "time"`;
  return sql<string>`(select json_group_array(json_array("name", "time")) from (
    select * from (${directTags(image, columns)} limit ${maxTags})
    union select * from (${indexTags(image, columns)} limit ${maxTags}) order by "name"))`;
};

/** The number of tags that lead to an image. */
export const tagCountSql = (image: ImageSql): SQL<number> =>
  sql<number>`(select count(*) from (select * from (${directTags(image)} limit ${maxCounted})
    union select * from (${indexTags(image)} limit ${maxCounted}) limit ${maxCounted}))`;
