/** Reads the rules about the tags of a repository, and what is known for a decision, in the batch of the caller. */
import { type SQL, sql } from "drizzle-orm";
import {
  ExpireRuleSchema,
  KeepRuleSchema,
  ServeRuleSchema,
} from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { GROUP_LEVELS, lengthAt } from "../../../schema/tables/columns.ts";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import { type RowOf, rowColumns } from "../../../schema/tables/list_indexes.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { tagRules } from "../../../schema/tables/registry/tag_rules.ts";
import { ancestry } from "../../aip/uid_path.ts";
import { messageFromStored } from "../../aip/well_formed.ts";
import type { Database } from "../../auth/call.ts";
import { onlyIf, type Statement } from "../../outbox/commit.ts";
import type { Rule } from "./decide.ts";

/** The uid of a repository and those of the groups above it. In SQL, a short uid is there several times. */
function chainOf(repo: SQL | string): (SQL | string)[] {
  // A uid can be sent with more steps than any resource has.
  const depths = GROUP_LEVELS + 2;
  if (typeof repo === "string") return ancestry(repo).slice(-depths);
  const lengths = Array.from({ length: depths }, (_, depth) => lengthAt(depth));
  return lengths.map((length) => sql`substr(${repo}, 1, ${sql.raw(String(length))})`);
}

/**
 * The condition that a rule is about the tags of a repository: it belongs to it or to a group above it. Without rules it
 * reads no row: D1 counts each value of `in`, and SQLite makes an `in` of several `=`.
 */
export const isAboutRepo = (repo: SQL | string): SQL =>
  sql`(${sql.join(
    chainOf(repo).map((uid) => sql`${tagRules.parent} is ${uid}`),
    sql` or `,
  )})`;

/** SQL: the name of a repository. Empty if there is none. */
export const repoNameSql = (uid: SQL) =>
  sql<string>`coalesce((select "named"."name" from ${repos} as "named" where "named"."uid" = ${uid}), '')`;

/** SQL: the name of the group or repository of a rule. */
export const scopeName = sql<string>`coalesce(
  (select "named"."name" from ${repos} as "named" where "named"."uid" = ${tagRules.parent}),
  (select "named"."name" from ${groups} as "named" where "named"."uid" = ${tagRules.parent}), '')`;

const roleName = sql<string>`coalesce((select "named"."name" from ${roles} as "named"
  where "named"."uid" = ${tagRules.keep} ->> '$.roleUid'), '')`;

/** The statement that reads the rules about the tags of a repository. {@link toRules} reads its rows. */
export const selectRules = (db: Database, repo: SQL | string) =>
  selectRulesWhere(db, repo, isAboutRepo(typeof repo === "string" ? repo : sql`"target"."uid"`));

/** Like {@link selectRules}, for the rules that meet a condition. `target` is the uid of a repository or a group. */
export const selectRulesWhere = (db: Database, target: SQL | string, condition: SQL) =>
  db
    .select({
      ...rowColumns(tagRules),
      repoName: repoNameSql(sql`"target"."uid"`).as("repo_name"),
      scope: scopeName.as("scope_name"),
      role: roleName.as("role_name"),
    })
    .from(sql`(select ${target} as "uid") as "target"`)
    // In this order, so that the repository is looked up once.
    .crossJoin(tagRules)
    .where(condition);

/** A rule with the names of the repository that was asked about, of its scope, and of its role. */
export type RuleRow = RowOf<typeof tagRules> & { repoName: string; scope: string; role: string };

/** The rules of the rows. */
export const toRules = (rows: RuleRow[]): Rule[] => rows.map((row) => ({ ...row, ...toKind(row) }));

/** The stored form of the kind of a rule, as messages. */
export const toKind = ({ keep, serve, expire }: Record<"keep" | "serve" | "expire", unknown>) => ({
  keep: keep ? messageFromStored(KeepRuleSchema, keep) : undefined,
  serve: serve ? messageFromStored(ServeRuleSchema, serve) : undefined,
  expire: expire ? messageFromStored(ExpireRuleSchema, expire) : undefined,
});

/**
 * The statement that undoes its batch unless the rules that meet a condition are those that were read. A rule that is
 * created, changed or deleted at the same time comes before or after the batch.
 */
export function requireSameRules(
  db: Database,
  condition: SQL,
  read: readonly Pick<Rule, "uid" | "updateTime">[],
): Statement {
  if (read.length === 0)
    return onlyIf(db, sql`not exists (select 1 from ${tagRules} where ${condition})`);
  const sorted = read.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
  const versions = sorted.map(({ uid, updateTime }) => [uid, updateTime]);
  const now = sql`(select json_group_array(json_array("uid", "update_time")) from (
    select ${tagRules.uid}, ${tagRules.updateTime} from ${tagRules} where ${condition} order by ${tagRules.uid}))`;
  return onlyIf(db, sql`${now} = ${JSON.stringify(versions)}`);
}
