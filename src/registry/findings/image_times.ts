/** The filters on the time of an image: when a tag led to it, and when someone pulled it. */
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { type SQL, sql } from "drizzle-orm";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { indexEntries } from "../../../schema/tables/registry/index_entries.ts";
import { tagPulls } from "../../../schema/tables/registry/tag_pulls.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { type ImageSql, isRecordOf, isTaggedSql, recorded } from "../../matching/image_tags.ts";

/** In milliseconds since 1970. At most one of the two is there. */
export interface ImageTimes {
  /** When a tag led to the image. */
  at: number | undefined;
  /** Since when someone has pulled it. */
  pulledSince: number | undefined;
}

const millisecondsOf = (time: Timestamp | undefined) => time && timestampMs(time);

/** Throws INVALID_ARGUMENT for both times, and for one in the future. */
export function readImageTimes(
  request: { at?: Timestamp | undefined; pulledSince?: Timestamp | undefined },
  now: number,
): ImageTimes {
  const times = {
    at: millisecondsOf(request.at),
    pulledSince: millisecondsOf(request.pulledSince),
  };
  if (times.at !== undefined && times.pulledSince !== undefined) {
    const text = "at cannot be used with pulled_since, because only the last pulls are known";
    throw invalidArgument("at", text);
  }
  if (times.at !== undefined && times.at > now)
    throw invalidArgument("at", "at must not be in the future");
  return times;
}

/** The conditions of the times and of `tagged_only`. Undefined if all images meet them. */
export function imageCondition(
  image: ImageSql,
  { at, pulledSince }: ImageTimes,
  taggedOnly: boolean,
): SQL | undefined {
  if (at !== undefined) return isTaggedSql(image, at);
  const conditions = [
    ...(taggedOnly ? [isTaggedSql(image)] : []),
    ...(pulledSince === undefined ? [] : [isPulledSql(image, pulledSince)]),
  ];
  return conditions.length === 0 ? undefined : sql.join(conditions, sql` and `);
}

/**
 * Whether someone has pulled the image, or an image index that contains it, since then. A pull is by the digest, or by a
 * tag that had the digest at that moment.
 */
function isPulledSql({ repo, digest }: ImageSql, since: number): SQL {
  // The condition of each table is next to it, because D1 limits the depth of an expression.
  const own = sql`(select ${digest} as "digest" union all select "entry"."index_digest" from ${indexEntries} as "entry"
    where "entry"."repo_uid" = ${repo} and "entry"."digest" = ${digest}) as "own"`;
  const store = sql`${repoStorage} as "store" on "store"."uid" = ${repo}`;
  const pull = (reference: SQL) =>
    sql`${tagPulls} as "pull" on "pull"."repo_id" = "store"."id" and "pull"."reference" = ${reference}`;
  return sql`(exists (select 1 from ${own} cross join ${store} cross join ${pull(sql`"own"."digest"`)}
      where "pull"."time" >= ${since})
    or exists (select 1 from ${own} cross join ${recorded.tables} cross join ${store} cross join ${pull(sql`"named"."tag"`)}
      where ${recorded.isOf({ repo, digest: sql`"own"."digest"` })}
        and "pull"."time" >= max(${since}, "record"."update_time") and ${isRecordOf(sql`"pull"."time"`)}))`;
}
