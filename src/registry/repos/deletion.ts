/**
 * Deletes a repository and everything in it, except its tag history. If it has few rows, one batch deletes them.
 * Otherwise the batch deletes only the row of the repository and writes one into `deletions`. From then on no call sees
 * or changes what is left in the repository, and the schedule removes it (`removal.ts`).
 */
import { eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { counts } from "../../../schema/tables/counts.ts";
import { blobLinks } from "../../../schema/tables/distribution/blobs.ts";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { deletions } from "../../../schema/tables/platform/deletions.ts";
import { findings } from "../../../schema/tables/registry/findings.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { sbomPackages } from "../../../schema/tables/registry/sbom_packages.ts";
import { sboms } from "../../../schema/tables/registry/sboms.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { ancestry, parentOf } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { recordDeletions } from "../tags/tags.ts";

/** The most rows that one batch deletes. A document has the weight of many rows, because it can have 2 MB. */
const fewRows = 1_000;
const rowsOfDocument = 20;

/** The statement that reads whether the repository has more rows than one batch deletes: `[{ isLarge }]`. */
export function selectIsLarge(db: Database, uid: string) {
  const weight = sql`iif(${counts.kind} in ('sboms', 'vuln_reports'), ${rowsOfDocument}, 1)`;
  const counted = sql`(select sum(${counts.descendants} * ${weight}) from ${counts} where ${eq(counts.ancestor, uid)})`;
  const hasMany = (table: SQLiteTable, condition: SQL) =>
    sql`exists (select 1 from ${table} where ${condition} limit 1 offset ${fewRows})`;
  const storage = sql`(select ${repoStorage.id} from ${repoStorage} where ${eq(repoStorage.uid, uid)})`;
  const isLarge = sql<number>`${counted} > ${fewRows}
    or ${hasMany(findings, eq(findings.parent, uid))}
    or ${hasMany(sbomPackages, eq(sbomPackages.parent, uid))}
    or ${hasMany(blobLinks, eq(blobLinks.repo, storage))}`;
  return db.select({ isLarge: isLarge.as("is_large") }).from(sql`(select 1)`);
}

/** The statements before and after the deletion of the row of a repository, which delete everything in it. */
export const deletionAtOnce = (call: Call, caller: Caller, uid: string) => ({
  before: [recordDeletions(call, caller, isInRepo(uid))],
  also: [
    call.db.delete(tags).where(isInRepo(uid)),
    ...[manifests, sboms, vulnReports].map((table) =>
      call.db.delete(table).where(eq(table.parent, uid)),
    ),
  ],
});

/**
 * The statements before the deletion of the row of a repository, if the schedule removes what is in it. They take the
 * rows out of the totals.
 */
export function deletionInBatches({ db, now }: Call, { identity, name }: Caller, uid: string) {
  const below = sql`${counts} as "below"`;
  const above = sql`json_each(${JSON.stringify(ancestry(parentOf(uid)))}) as "above"`;
  const sameBelow = sql`(select "below"."descendants" from ${below} where "below"."ancestor" = ${uid}
    and "below"."kind" = ${counts.kind} and "below"."class" = ${counts.class})`;
  return {
    before: [
      insertFrom(
        db,
        deletions,
        {
          uid: sql`${repos.uid}`,
          name: sql`${repos.name}`,
          storage: sql`${repoStorage.id}`,
          organization: sql`${repoStorage.organization}`,
          ...{ time: now, identity, identityName: name },
        },
        sql`from ${repos} left join ${repoStorage} on ${repoStorage.uid} = ${repos.uid} where ${eq(repos.uid, uid)}`,
      ),
      db
        .update(counts)
        .set({ descendants: sql`${counts.descendants} - ${sameBelow}` })
        .where(
          sql`(${counts.ancestor}, ${counts.kind}, ${counts.class}) in (
            select "above"."value", "below"."kind", "below"."class" from ${above} cross join ${below}
            where "below"."ancestor" = ${uid})`,
        ),
      db.delete(counts).where(eq(counts.ancestor, uid)),
    ],
  };
}
