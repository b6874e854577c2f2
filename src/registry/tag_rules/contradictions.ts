/** Rules of one scope that say different things about the same tags. */
import { type JsonValue, toJson } from "@bufbuild/protobuf";
import {
  type KeepRule,
  KeepRuleSchema,
  type ServeRule,
  ServeRuleSchema,
} from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import type { Rule } from "./decide.ts";
import { canShareName, coversNames, type Names } from "./patterns.ts";
import { settingsOf } from "./requirements.ts";

/** A rule that is written. */
export type WrittenRule = Pick<
  Rule,
  | "uid"
  | "name"
  | "includeRepos"
  | "excludeRepos"
  | "includeTags"
  | "excludeTags"
  | "keep"
  | "serve"
  | "expire"
>;

/**
 * The first of the other rules that contradicts the rule: both could match one tag, and they differ about it. Two rules
 * differ if they set the same condition differently, or if one lets tags move forward and the other lets them be set once.
 * A rule that keeps every tag that another one lets expire leaves that one without effect.
 */
export const contradictionOf = <Other extends WrittenRule>(
  rule: WrittenRule,
  others: readonly Other[],
): Other | undefined =>
  others.find(
    (other) =>
      other.uid !== rule.uid &&
      ((differ(rule, other) && canShareTag(rule, other)) ||
        keepsAll(rule, other) ||
        keepsAll(other, rule)),
  );

const reposOf = ({ includeRepos, excludeRepos }: WrittenRule): Names => ({
  include: includeRepos,
  exclude: excludeRepos,
});

const tagsOf = ({ includeTags, excludeTags }: WrittenRule): Names => ({
  include: includeTags,
  exclude: excludeTags,
});

const canShareTag = (one: WrittenRule, other: WrittenRule): boolean =>
  canShareName(reposOf(one), reposOf(other)) && canShareName(tagsOf(one), tagsOf(other));

/** Whether the first rule keeps all tags that the second one lets expire. One about images without tags is not meant. */
const keepsAll = (keeping: WrittenRule, { expire, ...expiring }: WrittenRule): boolean =>
  keeping.keep !== undefined &&
  expire?.untaggedDays === 0 &&
  coversNames(reposOf(keeping), reposOf(expiring)) &&
  coversNames(tagsOf(keeping), tagsOf(expiring));

function differ(one: WrittenRule, other: WrittenRule): boolean {
  const kinds = [one, other].map(({ keep }) => keep?.condition.case);
  if (kinds.includes("writeOnce") && kinds.includes("forward")) return true;
  const settings = settingsOfRule(other);
  return [...settingsOfRule(one)].some(([name, value]) => (settings.get(name) ?? value) !== value);
}

/** The settings of a rule by name, as JSON. Each requirement counts for itself. */
const settingsOfRule = ({ keep, serve }: WrittenRule): Map<string, string> =>
  new Map([
    ...(keep ? conditionsOf("keep", keep, toJson(KeepRuleSchema, keep)) : []),
    ...(serve ? conditionsOf("serve", serve, toJson(ServeRuleSchema, serve)) : []),
    ...(serve ? [["exempt role", serve.exemptRoleUid] as [string, string]] : []),
  ]);

function conditionsOf(
  kind: string,
  { condition }: Pick<KeepRule, "condition"> | Pick<ServeRule, "condition">,
  json: JsonValue,
): [string, string][] {
  const stored = json as Record<string, unknown>;
  if (condition.case !== "requirement")
    return [[`${kind}.${condition.case}`, JSON.stringify(stored[condition.case ?? ""])]];
  const requirement = stored.requirement as Record<string, unknown>;
  return settingsOf(condition.value).map(([name]) => [
    `${kind}.requirement.${name}`,
    JSON.stringify(requirement[name]),
  ]);
}
