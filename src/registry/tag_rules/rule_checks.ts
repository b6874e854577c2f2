/** Checks a rule before it is stored: its scope, its role, and the other rules of the scope. */
import { and, eq, sql } from "drizzle-orm";
import type { ExpireRule, TagRule } from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import { type RowOf, rowColumns } from "../../../schema/tables/list_indexes.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { tagRules } from "../../../schema/tables/registry/tag_rules.ts";
import { trustPolicies } from "../../../schema/tables/registry/trust_policies.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { failedPrecondition, invalidArgument } from "../../aip/errors.ts";
import { ancestry } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { Readable } from "../../resource/resource.ts";
import { contradictionOf, type WrittenRule } from "./contradictions.ts";
import { settingsOf } from "./requirements.ts";
import { requireSameRules, toKind } from "./stored_rules.ts";

type Row = RowOf<typeof tagRules>;

/** The rules of one scope. Each push and each pull by a tag reads all of them. */
const maxRules = 200;

/** The part of a rule that decides. */
export const toWritten = ({ kind, ...rule }: TagRule): WrittenRule => ({
  ...rule,
  keep: kind.case === "keep" ? kind.value : undefined,
  serve: kind.case === "serve" ? kind.value : undefined,
  expire: kind.case === "expire" ? kind.value : undefined,
});

/** The uid of the role in a rule. Empty if it names none. */
const roleOf = ({ keep, serve }: WrittenRule): string =>
  keep?.condition.case === "roleUid" ? keep.condition.value : (serve?.exemptRoleUid ?? "");

/** A group or a repository. Only its existence and its kind are read. */
export const ruleScope: Readable<{ isRepo: number }> = {
  type: "iam/Group",
  select: (db, uid) =>
    db
      .select({ isRepo: sql<number>`"found"."is_repo"`.as("is_repo") })
      .from(sql`(select 1 as "is_repo" from ${repos} where ${repos.uid} = ${uid}
        union all select 0 from ${groups} where ${groups.uid} = ${uid}) as "found"`),
};

/** The statements that read the rules of a scope, the roles that they and a new rule name, and the scope. */
export function selectAround(db: Database, parent: string, rule: TagRule) {
  const own = roleOf(toWritten(rule));
  // One list, because SQLite would read all roles of the organization for two conditions.
  const named = sql`select ${own} union all
    select coalesce(${tagRules.keep} ->> '$.roleUid', ${tagRules.serve} ->> '$.exemptRoleUid') from ${tagRules}
    where ${eq(tagRules.parent, parent)}`;
  return [
    db.select(rowColumns(tagRules)).from(tagRules).where(eq(tagRules.parent, parent)),
    db
      .select({ uid: roles.uid })
      .from(roles)
      .where(
        and(
          sql`${roles.uid} in (${named})`,
          sql`+${roles.parent} in ${valuesSubselect(["", ...ancestry(parent)])}`,
        ),
      ),
    ruleScope.select(db, parent),
    selectNamedPolicies(db, parent, policyOf(toWritten(rule))),
  ] as const;
}

/** The uid of the trust policy that the requirement of a rule names. Empty if it names none. */
function policyOf({ keep, serve }: WrittenRule): string {
  const condition = keep?.condition ?? serve?.condition;
  return condition?.case === "requirement" ? (condition.value.signedBy?.trustPolicyUid ?? "") : "";
}

/** The statement that reads those trust policies of the scope and above it that the rules and a new one name. */
function selectNamedPolicies(db: Database, parent: string, own: string) {
  const path = sql.raw(`'$.requirement.signedBy.trustPolicyUid'`);
  const named = sql`select ${own} union all
    select coalesce(${tagRules.keep} ->> ${path}, ${tagRules.serve} ->> ${path}) from ${tagRules}
    where ${eq(tagRules.parent, parent)}`;
  return db
    .select({ policyUid: trustPolicies.uid })
    .from(trustPolicies)
    .where(
      and(
        sql`${trustPolicies.uid} in (${named})`,
        sql`+${trustPolicies.parent} in ${valuesSubselect(ancestry(parent))}`,
      ),
    );
}

export type Around = readonly [
  Row[],
  { uid: string }[],
  { isRepo: number }[],
  { policyUid: string }[],
];

/**
 * Throws INVALID_ARGUMENT for a condition that says nothing: a false one, and a requirement without a setting. The same for
 * conditions of a rule of the kind expire that exclude each other.
 */
export function requireSetting(rule: TagRule): void {
  const { kind } = rule;
  if (kind.case === "expire") {
    requireExpiry(rule, kind.value);
    return;
  }
  const condition = kind.value?.condition;
  if (condition?.case === "writeOnce" && !condition.value)
    throw invalidArgument("keep.write_once", "write_once must be true");
  if (condition?.case === "requirement" && settingsOf(condition.value).length === 0)
    throw invalidArgument(
      `${kind.case}.requirement`,
      "requirement must name at least one thing that an image must have",
    );
}

function requireExpiry(rule: TagRule, expire: ExpireRule): void {
  const isAboutTags = expire.unmovedDays > 0 || expire.unpulledDays > 0 || expire.beyondNewest;
  if (!isAboutTags && expire.untaggedDays === 0)
    throw invalidArgument(
      "expire",
      "expire must have unmoved_days, unpulled_days, beyond_newest or untagged_days",
    );
  if (expire.untaggedDays === 0) return;
  if (isAboutTags)
    throw invalidArgument(
      "expire.untagged_days",
      "untagged_days is about images without tags, so the rule can have no condition about tags",
    );
  if (rule.includeTags.length + rule.excludeTags.length > 0)
    throw invalidArgument(
      "include_tags",
      "include_tags and exclude_tags must be empty for a rule with untagged_days",
    );
}

/**
 * Checks what the proto cannot say. Throws INVALID_ARGUMENT, and FAILED_PRECONDITION for a rule that contradicts another
 * one of its scope.
 */
export function checkRule(rule: TagRule, [others, known, [parent], policies]: Around): void {
  if (parent?.isRepo && rule.includeRepos.length + rule.excludeRepos.length > 0)
    throw invalidArgument(
      "include_repos",
      "include_repos and exclude_repos must be empty for a rule of a repository",
    );
  requireSetting(rule);
  const written = toWritten(rule);
  const role = roleOf(written);
  if (role !== "" && !known.some(({ uid }) => uid === role)) {
    const field = rule.kind.case === "serve" ? "serve.exempt_role_uid" : "keep.role_uid";
    const text = "must be a built-in role, or a role of the scope or of a group above it";
    throw invalidArgument(field, `${field} ${text}`);
  }
  const policy = policyOf(written);
  if (policy !== "" && !policies.some(({ policyUid }) => policyUid === policy)) {
    const field = `${rule.kind.case}.requirement.signed_by.trust_policy_uid`;
    const text = "must be a trust policy of the scope, or of a group above it";
    throw invalidArgument(field, `${field} ${text}`);
  }
  if (!others.some(({ uid }) => uid === rule.uid) && others.length >= maxRules)
    throw failedPrecondition("TOO_MANY_RULES", `the scope already has ${maxRules} tag rules`);
  const rows = others.map((row) => ({ ...row, ...toKind(row) }));
  const other = contradictionOf(written, rows);
  if (!other) return;
  const text = `the rule "${rule.name}" contradicts the rule "${other.name}" of the same scope: both can match the same tag`;
  throw failedPrecondition("CONTRADICTION", text, other.uid);
}

/** Undoes the change if another call has changed the rules of the scope. */
export function requireSame({ db, guards }: Call, parent: string, [rows]: Around): void {
  guards.set("tag rules", () => requireSameRules(db, eq(tagRules.parent, parent), rows));
}
