/** Records who pulls which tag and which digest, for ListEndOfLifeTags and for expiry plans. */
import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import { repoStorage } from "../../schema/tables/distribution/storage.ts";
import { PULL_LIFETIME, tagPulls } from "../../schema/tables/registry/tag_pulls.ts";
import { pointsTo, tags } from "../../schema/tables/registry/tags.ts";
import { insertFrom } from "../aip/insert_from.ts";
import type { Database } from "../auth/call.ts";
import { isWritable } from "../auth/databases.ts";
import { dayOf } from "../auth/use.ts";
import type { Reach } from "./access.ts";

/** The tags of one digest that are looked at. */
const maxTags = 20;

/** A pull that succeeded. */
export interface Pull {
  repo: string;
  /** The name of the tag. Undefined for a pull by digest. */
  tag?: string;
  digest: string;
}

/**
 * The statement that records a pull: by its tag, or by its digest. It writes one row at most once a day for each tag or
 * digest and identity. A client that pulls by a tag reads the same manifest by its digest next, which is not recorded
 * again. Callers who see only what anyone may see are one identity, with an empty uid.
 */
export function recordTagPull(
  context: { db: Database; now: number },
  { caller, isPublicOnly }: Pick<Reach, "caller" | "isPublicOnly">,
  pull: Pull,
) {
  const { identity, name } = caller && !isPublicOnly ? caller : { identity: "", name: "" };
  const { now } = context;
  return insertPulls(context, pull, { identity, name }).onConflictDoUpdate({
    target: [tagPulls.repo, tagPulls.reference, tagPulls.identity],
    set: { time: now, identityName: name, days: sql`${tagPulls.days} + 1` },
    setWhere: lt(tagPulls.time, dayOf(now)),
  });
}

/** Adds pulls of callers without an identity to the row of everyone without a role, of which a tag has one. */
export async function recordAnonymousPulls(
  context: { db: Database; now: number },
  pull: Pull,
  pulls: number,
): Promise<void> {
  const { now } = context;
  const isFirstToday = lt(tagPulls.time, dayOf(now));
  await insertPulls(context, pull, { identity: "", name: "", pulls }).onConflictDoUpdate({
    target: [tagPulls.repo, tagPulls.reference, tagPulls.identity],
    set: {
      time: sql`iif(${isFirstToday}, ${now}, ${tagPulls.time})`,
      days: sql`${tagPulls.days} + (${isFirstToday})`,
      anonymousPulls: sql`${tagPulls.anonymousPulls} + ${pulls}`,
    },
  });
}

/** The first row of an identity. Without an identity, it has the number of the pulls. */
function insertPulls(
  { db, now }: { db: Database; now: number },
  { repo, tag, digest }: Pull,
  { identity, name, pulls = 0 }: { identity: string; name: string; pulls?: number },
) {
  const today = dayOf(now);
  const condition =
    tag === undefined ? isNotPulledByTag({ repo, digest, identity, today }) : sql`true`;
  return insertFrom(
    db,
    tagPulls,
    {
      repo: sql`${repoStorage.id}`,
      reference: tag ?? digest,
      identity,
      identityName: name,
      time: now,
      days: 1,
      anonymousPulls: pulls,
    },
    sql`from ${repoStorage} where ${eq(repoStorage.uid, repo)} and ${condition}`,
  );
}

/** That the identity has not pulled by a tag that points to the digest today. */
function isNotPulledByTag(pull: {
  repo: string;
  digest: string;
  identity: string;
  today: number;
}): SQL {
  const { repo, digest, identity, today } = pull;
  const pointing = sql`select "tag"."name" as "name" from ${tags} as "tag"
    where ${pointsTo(repo, digest, "tag")}
    limit ${maxTags}`;
  return sql`not exists (
    select 1 from (${pointing}) as "pointing_tag" cross join ${tagPulls} as "pull"
    where "pull"."repo_id" = ${repoStorage.id} and "pull"."reference" = "pointing_tag"."name"
      and "pull"."identity" = ${identity} and "pull"."time" >= ${today})`;
}

/** Deletes pulls that are too old, at most `limit` rows. Returns their number. */
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
