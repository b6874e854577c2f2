/**
 * Deletes a resource with many rows below it: a repository, a group or an identity provider. The batch deletes only the row
 * of the resource itself, and writes one into `deletions`. From then on no call sees or changes what is left, and a
 * schedule removes it (`removal.ts`).
 */
import { eq, getTableName, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { counts } from "../../schema/tables/counts.ts";
import { repoStorage } from "../../schema/tables/distribution/storage.ts";
import type { groups } from "../../schema/tables/iam/groups.ts";
import type { identityProviders } from "../../schema/tables/iam/identity_providers.ts";
import { type DeletedKind, deletions } from "../../schema/tables/platform/deletions.ts";
import type { repos } from "../../schema/tables/registry/repos.ts";
import { insertFrom } from "../aip/insert_from.ts";
import { ancestry, parentOf } from "../aip/uid_path.ts";
import type { Call, Database } from "../auth/call.ts";
import type { Caller } from "../auth/grants.ts";
import type { Statement } from "../outbox/commit.ts";

/** The most rows that one batch deletes with a resource. */
export const fewRows = 1_000;

/** Rows of a table below a resource. */
type Part = [table: SQLiteTable, condition: SQL];

/**
 * The statement that reads whether more rows belong to a resource than one batch deletes: `[{ isLarge }]`. They are those
 * in the totals, each with its weight, and those of each of the parts, which have no totals.
 */
export function selectIsLarge(db: Database, uid: string, parts: Part[], weight = sql`1`) {
  const counted = sql`(select sum(${counts.descendants} * ${weight}) from ${counts} where ${eq(counts.ancestor, uid)})`;
  const hasMany = parts.map(
    ([table, condition]) =>
      sql` or exists (select 1 from ${table} where ${condition} limit 1 offset ${fewRows})`,
  );
  const isLarge = sql<number>`coalesce(${counted}, 0) > ${fewRows}${sql.join(hasMany)}`;
  return db.select({ isLarge: isLarge.as("is_large") }).from(sql`(select 1)`);
}

/**
 * The statement that marks resources as deleted. It comes before those that delete their rows. The time and the caller are
 * those of the deletion.
 */
export const markDeleted = (
  { db, now }: Pick<Call, "db" | "now">,
  { identity, name }: Pick<Caller, "identity" | "name">,
  table: typeof repos | typeof groups | typeof identityProviders,
  which: SQL,
) =>
  insertFrom(
    db,
    deletions,
    {
      uid: sql`${table.uid}`,
      name: sql`${table.name}`,
      kind: getTableName(table) as DeletedKind,
      storage: sql`${repoStorage.id}`,
      organization: sql`${repoStorage.organization}`,
      time: now,
      identity,
      identityName: name,
    },
    sql`from ${table} left join ${repoStorage} on ${repoStorage.uid} = ${table.uid} where ${which}`,
  );

/** The statements that take everything below a marked resource out of the totals. */
export function leaveTotals(db: Database, uid: string): Statement[] {
  const below = sql`${counts} as "below"`;
  const above = sql`json_each(${JSON.stringify(ancestry(parentOf(uid)))}) as "above"`;
  const sameBelow = sql`(select "below"."descendants" from ${below} where "below"."ancestor" = ${uid}
    and "below"."kind" = ${counts.kind} and "below"."class" = ${counts.class})`;
  return [
    db
      .update(counts)
      .set({ descendants: sql`${counts.descendants} - ${sameBelow}` })
      .where(
        sql`(${counts.ancestor}, ${counts.kind}, ${counts.class}) in (
            select "above"."value", "below"."kind", "below"."class" from ${above} cross join ${below}
            where "below"."ancestor" = ${uid})`,
      ),
    db.delete(counts).where(eq(counts.ancestor, uid)),
  ];
}
