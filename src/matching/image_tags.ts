/** SQL about the tags that lead to an image: directly, or by an image index that contains it. */
import { type SQL, sql } from "drizzle-orm";
import { indexEntries } from "../../schema/tables/registry/index_entries.ts";
import { tagNames, tagRecords, tagRepos } from "../../schema/tables/registry/tag_records.ts";
import { pointsTo, tags } from "../../schema/tables/registry/tags.ts";

/** The most tags and image indexes of one image in a response. */
const maxTags = 50;

/** `repo` and `digest` are expressions about the row of the image. */
export interface ImageSql {
  repo: SQL;
  digest: SQL;
}

/** Selects tags by their digest: the name, the tables, and the condition that a tag points to a digest. */
interface Pointing {
  name: SQL;
  tables: SQL;
  isOf: (image: ImageSql) => SQL;
}

const pointingNow: Pointing = {
  name: sql`"tag"."name"`,
  tables: sql`${tags} as "tag"`,
  isOf: ({ repo, digest }) => pointsTo(repo, digest, "tag"),
};

/** SQL: a valid digest as the history stores it. */
const stored = (digest: SQL) =>
  sql`iif(${digest} glob 'sha256:*', unhex(substr(${digest}, 8)), ${digest})`;

/** The records of the history with a digest: `record`, and `named` with the name of the tag. */
export const recorded: Pointing = {
  name: sql`"named"."tag" as "name"`,
  tables: sql`${tagRepos} as "known_repo" cross join ${tagRecords} as "record" cross join ${tagNames} as "named"`,
  isOf: ({
    repo,
    digest,
  }) => sql`"known_repo"."repo_uid" = ${repo} and "record"."repo_id" = "known_repo"."id"
    and "record"."digest_key" = substr(${stored(digest)}, 1, 8) and "record"."digest" = ${stored(digest)}
    and "named"."id" = "record"."tag_id"`,
};

/**
 * SQL: whether a tag had the digest of its `record` at a time, in milliseconds since 1970. A plus sign keeps the planner
 * from reading all earlier records of the repository.
 */
export const isRecordOf = (time: SQL): SQL => sql`+"record"."update_time" <= ${time}
  and not exists (select 1 from ${tagRecords} as "later" where "later"."tag_id" = "record"."tag_id"
    and "later"."update_time" > "record"."update_time" and "later"."update_time" <= ${time})`;

const pointingAt = (time: number): Pointing => ({
  ...recorded,
  isOf: (image) => sql`${recorded.isOf(image)} and ${isRecordOf(sql`${time}`)}`,
});

/** The tags now, or at a time in milliseconds since 1970. */
const pointing = (at: number | undefined) => (at === undefined ? pointingNow : pointingAt(at));

const directTags = (image: ImageSql, { name, tables, isOf }: Pointing, columns = name) =>
  sql`select ${columns} from ${tables} where ${isOf(image)}`;

const indexTags = (
  { repo, digest }: ImageSql,
  { name, tables, isOf }: Pointing,
  columns = name,
) => sql`select ${columns}
  from ${indexEntries} as "entry" cross join ${tables}
  where "entry"."repo_uid" = ${repo} and "entry"."digest" = ${digest}
    and ${isOf({ repo, digest: sql`"entry"."index_digest"` })}`;

/** The names of the tags now or at a time, as JSON. A name can appear twice. {@link readTags} reads it. */
export const tagNamesSql = (image: ImageSql, at?: number): SQL<string> =>
  sql<string>`(select json_group_array("name") from (select * from (${directTags(image, pointing(at))} limit ${maxTags})
    union all select * from (${indexTags(image, pointing(at))} limit ${maxTags})))`;

/** Whether a tag leads to the image, or led to it at a time. */
export const isTaggedSql = (image: ImageSql, at?: number): SQL =>
  sql`(exists (${directTags(image, pointing(at))}) or exists (${indexTags(image, pointing(at))}))`;

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
    select * from (${directTags(image, pointingNow, columns)} limit ${maxTags})
    union select * from (${indexTags(image, pointingNow, columns)} limit ${maxTags}) order by "name"))`;
};

/** The number of tags that lead to an image. */
export const tagCountSql = (image: ImageSql): SQL<number> =>
  sql<number>`(select count(*) from (select * from (${directTags(image, pointingNow)} limit ${maxCounted})
    union select * from (${indexTags(image, pointingNow)} limit ${maxCounted}) limit ${maxCounted}))`;
