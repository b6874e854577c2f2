/** Deletes the pulls that are too old. */
import { and, lt, sql } from "drizzle-orm";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import {
  PULL_HOURS,
  PULL_LIFETIME,
  pullHours,
  tagPulls,
} from "../../../schema/tables/registry/tag_pulls.ts";
import type { Database } from "../../auth/call.ts";
import { isWritable } from "../../auth/databases.ts";

/** Deletes pulls of images that are too old, at most `limit` rows. Returns their number. */
export async function deleteOldPulls(db: Database, now: number, limit: number): Promise<number> {
  const { repo, reference, identity, time } = tagPulls;
  const old = await db
    .select({ repo, reference, identity, time })
    .from(tagPulls)
    .where(
      and(
        lt(time, now - PULL_LIFETIME),
        isWritable(sql`(select "uid" from ${repoStorage} where "id" = ${repo})`),
      ),
    )
    .orderBy(time)
    .limit(limit);
  if (old.length === 0) return 0;
  const keys = JSON.stringify(old.map((pull) => [pull.repo, pull.reference, pull.identity]));
  const named = sql`(select value ->> 0, value ->> 1, value ->> 2 from json_each(${keys}))`;
  // A pull may have renewed a row since it was read.
  await db
    .delete(tagPulls)
    .where(
      and(sql`(${repo}, ${reference}, ${identity}) in ${named}`, lt(time, now - PULL_LIFETIME)),
    );
  return old.length;
}

/** Deletes the sums of hours that are too old, at most `limit` rows. Returns their number. */
export async function deleteOldHours(db: Database, now: number, limit: number): Promise<number> {
  const { repo, hour } = pullHours;
  const isOld = lt(hour, Math.floor(now / 3_600_000) - PULL_HOURS);
  const isHere = isWritable(sql`(select "uid" from ${repoStorage} where "id" = ${repo})`);
  const old = db
    .select({ repo, hour })
    .from(pullHours)
    .where(and(isOld, isHere))
    .orderBy(hour)
    .limit(limit);
  const deleted = await db
    .delete(pullHours)
    .where(sql`(${repo}, ${hour}) in ${old}`)
    .returning({ hour });
  return deleted.length;
}
