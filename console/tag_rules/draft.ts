/** A tag rule while a person writes it: the texts of the fields. */
import type {
  FindingSeverity,
  ForwardOrder,
  ImageRequirement,
  ImageRequirementInput,
  KeepRule,
  KeepRuleInput,
  ServeRuleInput,
  TagRule,
  TagRuleInput,
} from "../../client/index.ts";
import type { Choice } from "../data/choices.ts";
import { type ExpireDraft, expireDraftOf, expireOf } from "./expire_draft.ts";

/** The kinds of rules, named as in the API: they keep tags, choose the image of a pull, or make tags and images expire. */
export type RuleKind = "keep" | "serve" | "expire";

/** The kinds of conditions of each kind of rules, named as in the API. */
export type ServingKind = "cooldownHours" | "requirement";
export type ConditionKind = "writeOnce" | "forward" | "roleUid" | "promotion" | "requirement";

/** The content of the fields. Patterns have spaces or commas between them. */
export interface RuleDraft extends ExpireDraft {
  name: string;
  description: string;
  includeRepos: string;
  excludeRepos: string;
  includeTags: string;
  excludeTags: string;
  kind: RuleKind;
  condition: ConditionKind;
  forward: ForwardOrder;
  /** Undefined while the field names no role. */
  role: Choice | undefined;
  from: string;
  hours: string;
  sbom: boolean;
  /** Empty if findings do not count. */
  minSeverity: FindingSeverity | "";
  allowUnknown: boolean;
  /** Empty if no label is needed. */
  labelName: string;
  labelValue: string;
  /** Empty if no signature is needed. */
  signatureIssuer: string;
  signatureSubject: string;
  /** The uid of a trust policy. Empty if no signature by one is needed. */
  trustPolicyUid: string;
  /** Empty for a signature, or the type of an attestation. */
  predicateType: string;
  serving: ServingKind;
  cooldown: string;
  /** Undefined if no role gets the tag as it is. */
  exemptRole: Choice | undefined;
}

const joined = (patterns: readonly string[] = []) => patterns.join(" ");

const patternsIn = (text: string) => text.split(/[\s,]+/).filter(Boolean);

const conditionOf = ({ forward, roleUid, promotion, requirement }: KeepRule): ConditionKind => {
  if (forward) return "forward";
  if (roleUid) return "roleUid";
  if (promotion) return "promotion";
  return requirement ? "requirement" : "writeOnce";
};

/** A role that the rule names by uid. */
const roleOf = (uid: string | undefined): Choice | undefined =>
  uid ? { uid, name: "" } : undefined;

/** The kind of a rule that exists, or that its input has. */
export const kindOf = ({ serve, expire }: { [kind in RuleKind]?: object | undefined }): RuleKind =>
  serve ? "serve" : expire ? "expire" : "keep";

/** The fields of a rule, or those of a new one. */
export function draftOf(rule: Partial<TagRule> = {}): RuleDraft {
  const { keep = {}, serve } = rule;
  const { forward = "FORWARD_ORDER_VERSION", roleUid, promotion } = keep;
  return {
    name: rule.name ?? "",
    description: rule.description ?? "",
    includeRepos: joined(rule.includeRepos),
    excludeRepos: joined(rule.excludeRepos),
    includeTags: joined(rule.includeTags),
    excludeTags: joined(rule.excludeTags),
    kind: kindOf(rule),
    condition: conditionOf(keep),
    forward,
    role: roleOf(roleUid),
    from: promotion?.from ?? "",
    hours: String(promotion?.hours ?? 24),
    ...requirementDraft(keep.requirement ?? serve?.requirement),
    serving: serve?.requirement ? "requirement" : "cooldownHours",
    cooldown: String(serve?.cooldownHours ?? 24),
    exemptRole: roleOf(serve?.exemptRoleUid),
    ...expireDraftOf(rule.expire),
  };
}

const requirementDraft = ({
  sbom,
  noFindings,
  label,
  signature,
  signedBy,
}: Partial<ImageRequirement> = {}) => ({
  sbom: sbom ?? false,
  minSeverity: noFindings?.minSeverity ?? ("" as const),
  allowUnknown: noFindings?.allowUnknown ?? false,
  labelName: label?.name ?? "",
  labelValue: label?.value ?? "",
  signatureIssuer: signature?.issuer ?? "",
  signatureSubject: signature?.subject ?? "",
  trustPolicyUid: signedBy?.trustPolicyUid ?? "",
  predicateType: signedBy?.predicateType ?? "",
});

/** Whether the rule is about images without a tag. It then has no patterns of tags. */
export const isUntagged = ({ kind, expiring }: RuleDraft): boolean =>
  kind === "expire" && expiring === "untagged";

/** The rule as the API takes it. */
export const inputOf = (draft: RuleDraft): TagRuleInput => ({
  name: draft.name.trim(),
  description: draft.description.trim(),
  includeRepos: patternsIn(draft.includeRepos),
  excludeRepos: patternsIn(draft.excludeRepos),
  includeTags: isUntagged(draft) ? [] : patternsIn(draft.includeTags),
  excludeTags: isUntagged(draft) ? [] : patternsIn(draft.excludeTags),
  ...kindInput(draft),
});

function kindInput(draft: RuleDraft): Pick<TagRuleInput, RuleKind> {
  if (draft.kind === "serve") return { serve: serveOf(draft) };
  return draft.kind === "expire" ? { expire: expireOf(draft) } : { keep: keepOf(draft) };
}

function keepOf(draft: RuleDraft): KeepRuleInput {
  const { condition, forward, role, from, hours } = draft;
  switch (condition) {
    case "writeOnce":
      return { writeOnce: true };
    case "forward":
      return { forward };
    case "roleUid":
      return { roleUid: role?.uid ?? "" };
    case "promotion":
      return { promotion: { from: from.trim(), hours: Number(hours) } };
    case "requirement":
      return { requirement: requirementOf(draft) };
  }
}

function serveOf(draft: RuleDraft): ServeRuleInput {
  const { serving, cooldown, exemptRole } = draft;
  return {
    ...(serving === "requirement"
      ? { requirement: requirementOf(draft) }
      : { cooldownHours: Number(cooldown) }),
    exemptRoleUid: exemptRole?.uid ?? "",
  };
}

function requirementOf(draft: RuleDraft): ImageRequirementInput {
  const { sbom, minSeverity, allowUnknown, labelName, labelValue } = draft;
  const [issuer, subject] = [draft.signatureIssuer.trim(), draft.signatureSubject.trim()];
  const [trustPolicyUid, predicateType] = [draft.trustPolicyUid.trim(), draft.predicateType.trim()];
  return {
    sbom,
    ...(minSeverity === "" ? {} : { noFindings: { minSeverity, allowUnknown } }),
    ...(labelName === "" ? {} : { label: { name: labelName, value: labelValue } }),
    ...(issuer === "" ? {} : { signature: { issuer, subject } }),
    ...(trustPolicyUid === "" ? {} : { signedBy: { trustPolicyUid, predicateType } }),
  };
}
