/** The synced repositories that are due: their sources, and whether those who set them can still pull from there. */
import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { repoSyncs } from "../../../schema/tables/registry/mirrors.ts";
import { PUBLIC_TAGS } from "../../../schema/tables/registry/public_digests.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { tagRecords, tagRepos } from "../../../schema/tables/registry/tag_records.ts";
import type { Call, Credential } from "../../auth/call.ts";
import { isServed, isWritable } from "../../auth/databases.ts";
import { guardGrants } from "../../auth/grant_rows.ts";
import { holds, toCaller } from "../../auth/grants.ts";
import { grantsOf, readGrantRows } from "../../auth/grants_across.ts";
import { onlyIf } from "../../outbox/commit.ts";
import { pullCapabilities } from "../../registry/repos/sync_config.ts";
import type { RegistryContext } from "../context.ts";

/** The repositories of one run. */
const mostRepos = 100;

/** A repository is compared with its source at least this often, in milliseconds. */
const interval = 3_600_000;

const target = alias(repos, "target");
const source = alias(repos, "source");
const sourceOf = sql`"target"."sync_config" ->> '$.source'`;

/** That a tag of the source has moved since a time. */
const hasMovedSince = (time: SQL) => sql`exists (select 1 from ${tagRepos} cross join ${tagRecords}
  where ${tagRepos.repoUid} = ${sourceOf} and ${tagRecords.repo} = ${tagRepos.id}
    and ${tagRecords.updateTime} >= ${time})`;

/** The statement that reads the repositories to compare with their sources, those that were not for longest first. */
export const selectDue = ({ db, now }: Pick<RegistryContext, "db" | "now">) =>
  db
    .select({
      uid: sql<string>`${target.uid}`.as("target_uid"),
      updateTime: sql<number>`${target.updateTime}`.as("target_time"),
      identity: sql<string>`${target.syncIdentity}`.as("target_identity"),
      source: sql<string | null>`${source.uid}`.as("source_uid"),
      sourceParent: sql<string | null>`${source.parent}`.as("source_parent"),
      activeTags: sql<string | null>`${source.activeTags}`.as("source_tags"),
    })
    .from(target)
    .leftJoin(source, and(sql`${source.uid} = ${sourceOf}`, isServed(sql`${source.uid}`)))
    .leftJoin(repoSyncs, eq(repoSyncs.repo, target.uid))
    .where(
      and(
        sql`"target"."sync_config" is not null`,
        sql`ifnull(unixepoch("target"."sync_config" ->> '$.expirationTime') * 1000, ${now + 1}) > ${now}`,
        isWritable(sql`${target.uid}`),
        sql`(${repoSyncs.time} is null or ${repoSyncs.isPartial} or ${repoSyncs.time} < ${now - interval}
          or ${target.updateTime} >= ${repoSyncs.time} or ${hasMovedSince(sql`${repoSyncs.time}`)})`,
      ),
    )
    .orderBy(sql`${repoSyncs.time}`)
    .limit(mostRepos);

/** A row of {@link selectDue}. */
export type DueRepo = Awaited<ReturnType<typeof selectDue>>[number];

/** The tags of a source that can be copied, and the guard that the access is still there. */
export interface SourceAccess {
  /** The names of the tags. Undefined for all. */
  only: readonly string[] | undefined;
  guard: Call["guards"];
}

/**
 * Decides what can be copied: all tags if the identity that set the source can pull from it, the public tags of a public
 * image, or nothing. The roles of the identity count, and not those that only a login gives.
 */
export async function accessTo(
  context: RegistryContext,
  sourceUid: string,
  { identity, sourceParent }: DueRepo,
): Promise<SourceAccess | undefined> {
  const { db, databases, config } = context;
  const credential: Credential = { bearer: { uid: identity }, chain: [], act: {} };
  const reading = { db: databases.databaseOf(sourceUid), databases };
  const { grants } = await readGrantRows(reading, credential, sourceUid, []);
  const rows = grantsOf(grants);
  if (
    rows.length > 0 &&
    holds(toCaller(rows, credential, sourceUid), pullCapabilities, sourceUid)
  ) {
    const guard = () => guardGrants(db, credential, sourceUid, rows);
    return { only: undefined, guard: new Map([["access", guard]]) };
  }
  const isPublic = and(
    eq(groups.uid, sourceParent ?? ""),
    eq(groups.name, config.publicNamespace),
    eq(groups.verified, true),
  );
  const found = await db.select({ uid: groups.uid }).from(groups).where(isPublic);
  if (found.length === 0) return undefined;
  const guard = () => onlyIf(db, sql`exists (select 1 from ${groups} where ${isPublic})`);
  return { only: PUBLIC_TAGS, guard: new Map([["access", guard]]) };
}
