/** Tag rules in words, as tables and details show them. */
import { type CatalogResource, valuesOf } from "./catalog.ts";
import { isObject, type JsonObject } from "./flags.ts";
import { requireResourceNamed } from "./names.ts";
import type { PlatformClient } from "./platform.ts";

/** The key under which a row has the name of its role. No field has a space in its name. */
const roleName = " role";

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The uid of the role that the condition of a rule names. */
const roleIn = ({ keep, serve }: JsonObject) =>
  objectOf(keep).roleUid || objectOf(serve).exemptRoleUid;

/** Adds the names of the roles to rows of tag rules, if the caller may see the roles. */
export async function withRoleNames(
  platform: PlatformClient,
  { name }: Pick<CatalogResource, "name">,
  rows: JsonObject[],
): Promise<JsonObject[]> {
  if (name !== "tagRule") return rows;
  const ids = [...new Set(rows.map(roleIn).filter(Boolean))];
  if (ids.length === 0) return rows;
  const { list } = requireResourceNamed("role").methods;
  const request = { uidp: { ids } };
  const roles = await platform.rows(list?.rpc ?? "", request, ids.length).catch(() => []);
  const names = new Map(roles.map((role) => [role.uid, role.name]));
  return rows.map((row) => ({ ...row, [roleName]: names.get(roleIn(row)) }));
}

/** Returns the tags that a rule matches, such as `v*, 1.* without v0.*`. */
export const tagsOf = ({ includeTags, excludeTags }: JsonObject): string =>
  patternsText(includeTags, excludeTags) || "all";

/** Returns the repositories that a rule of a group matches. Empty for all, as for a rule of a repository. */
export const reposOf = ({ includeRepos, excludeRepos }: JsonObject): string =>
  patternsText(includeRepos, excludeRepos);

function patternsText(include: unknown, exclude: unknown): string {
  const list = (value: unknown) => (Array.isArray(value) ? value.join(", ") : "");
  const [included, excluded] = [list(include), list(exclude)];
  return excluded === "" ? included : `${included || "all"} without ${excluded}`;
}

/**
 * Returns when a rule lets a tag change, such as `set once` or `only images with an SBOM`, what a pull gets, such as
 * `pulls get images after 24 hours`, or what expires, such as `tags expire if not pulled for 90 days`.
 */
export function conditionOf(row: JsonObject): string {
  if (isObject(row.expire)) return expiringOf(row.expire);
  if (isObject(row.serve)) return servedOf(row.serve, row);
  const keep = objectOf(row.keep);
  const { writeOnce, forward, roleUid, promotion, requirement } = keep;
  if (writeOnce) return "set once";
  if (forward) return `only forward, by ${wordOf("ForwardOrder", forward)}`;
  if (roleUid) return `only with the role ${row[roleName] ?? roleUid}`;
  if (isObject(promotion)) {
    const { from, hours = 0 } = promotion;
    return `only images of ${from}${Number(hours) > 0 ? `, after ${hoursText(hours)} there` : ""}`;
  }
  if (isObject(requirement)) return `only images with ${requirementText(requirement)}`;
  return Object.keys(keep).join(", ");
}

function servedOf({ cooldownHours, requirement }: JsonObject, row: JsonObject): string {
  const images = isObject(requirement)
    ? `with ${requirementText(requirement)}`
    : `after ${hoursText(cooldownHours)}`;
  const role = roleIn(row);
  return `pulls get images ${images}${role ? `, except with the role ${row[roleName] ?? role}` : ""}`;
}

function expiringOf(expire: JsonObject): string {
  const { unmovedDays, unpulledDays, beyondNewest, untaggedDays, approval, daily } = expire;
  const { count, order } = objectOf(beyondNewest);
  const conditions = [
    ...(unmovedDays ? [`not moved for ${daysText(unmovedDays)}`] : []),
    ...(unpulledDays ? [`not pulled for ${daysText(unpulledDays)}`] : []),
    ...(beyondNewest ? [`not among the newest ${count} by ${wordOf("NewestOrder", order)}`] : []),
  ];
  const what = untaggedDays
    ? `images without a tag for ${daysText(untaggedDays)} expire`
    : `tags expire if ${conditions.join(" and ")}`;
  return [what, ...(daily ? ["every day"] : []), ...(approval ? ["with approval"] : [])].join(", ");
}

const daysText = (days: unknown) => `${days} ${Number(days) === 1 ? "day" : "days"}`;

const hoursText = (hours: unknown) => `${hours} ${Number(hours) === 1 ? "hour" : "hours"}`;

function requirementText({ sbom, noFindings, label, signature, signedBy }: JsonObject): string {
  const findings = objectOf(noFindings);
  const severity = wordOf("FindingSeverity", findings.minSeverity);
  const unknown = findings.allowUnknown ? ", if there is a report" : "";
  const named = objectOf(label);
  const signer = objectOf(signature);
  const { trustPolicyUid, predicateType } = objectOf(signedBy);
  return [
    ...(sbom ? ["an SBOM"] : []),
    ...(noFindings ? [`no fixable findings from ${severity}${unknown}`] : []),
    ...(label ? [`the label ${named.name}=${named.value ?? ""}`] : []),
    ...(signature ? [`a signature by ${signer.subject} of ${signer.issuer}`] : []),
    ...(signedBy
      ? [
          `${predicateType ? `an attestation ${predicateType}` : "a signature"} by the trust policy ${trustPolicyUid}`,
        ]
      : []),
  ].join(" and ");
}

/** Returns the word of an enum value of the registry. */
function wordOf(type: string, value: unknown): string {
  const folder = type === "FindingSeverity" ? "registry.findings" : "registry";
  const known = valuesOf(`platform.${folder}.v2.${type}`).find(({ name }) => name === value);
  return (known?.word ?? String(value)).replaceAll("-", " ");
}
