/** Decides about a change of a tag by the words of the documentation. It shares no code with the platform. */
import { ForwardOrder } from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import type { Facts, Rule, TagChange } from "../../../src/registry/tag_rules/decide.ts";

/** Whether a text has the form of a pattern, in which `*` is any text. */
export const isLike = (pattern: string, text: string): boolean =>
  pattern[0] === "*"
    ? isLike(pattern.slice(1), text) || (text !== "" && isLike(pattern, text.slice(1)))
    : pattern[0] === text[0] && (text === "" || isLike(pattern.slice(1), text.slice(1)));
export const isNamed = (include: readonly string[], exclude: readonly string[], name: string) =>
  (include.length === 0 || include.some((one) => isLike(one, name))) &&
  !exclude.some((one) => isLike(one, name));

/** A version such as `v1.2-rc1-slim`: its form, here `v-slim`, and a text that sorts like its numbers. */
function readVersion(name: string): [string, string][] {
  const form = /^(?<v>v?)(?<numbers>\d[\d.]*)(-rc(?<rc>\d+))?(?<rest>-slim)?$/.exec(name)?.groups;
  if (!form) return [];
  const numbers = `${form.numbers}`.split(".").map((one) => one.padStart(4, "0"));
  return [[`${form.v}${form.rest}`, `${numbers.join(".")}!${form.rc?.padStart(4, "0") ?? "~"}`]];
}

function isForward(order: ForwardOrder, { tag, from, to }: TagChange, facts: Facts): boolean {
  if (order === ForwardOrder.IMAGE_TIME) {
    const [old, next] = [from, to].map((digest) =>
      Math.max(...(facts.images.get(digest) ?? []).map((one) => one.imageTime ?? Number.NaN)),
    );
    return Number.isFinite(next) && !(Number(next) < Number(old));
  }
  const versionsOf = (digest: string) => {
    const others = (facts.tags.get(digest) ?? []).filter((name) => name !== tag);
    return new Map(
      others.flatMap(readVersion).sort(([, one], [, other]) => (one < other ? -1 : 1)),
    );
  };
  const [old, next] = [versionsOf(from), versionsOf(to)];
  const shared = [...next.keys()].filter((form) => old.has(form));
  const isComparable = shared.length > 0 || (next.size > 0 && old.size === 0);
  return isComparable && shared.every((form) => `${next.get(form)}` >= `${old.get(form)}`);
}

function isAllowedBy({ keep }: Rule, change: TagChange, facts: Facts): boolean {
  const { case: kind, value } = keep?.condition ?? { case: undefined };
  if (kind === "roleUid") return facts.roles.has(value);
  if (kind === undefined || change.to === "") return false;
  if (kind === "writeOnce") return change.from === "";
  if (kind === "forward") return change.from === "" || isForward(value, change, facts);
  if (kind === "promotion")
    return facts.stays
      .filter(({ tag, digest }) => tag !== change.tag && digest === change.to)
      .some(({ tag, duration }) => isLike(value.from, tag) && duration >= value.hours * 3_600_000);
  const images = facts.images.get(change.to) ?? [];
  const { sbom, noFindings, label } = value;
  return (
    images.every(({ known }) => {
      // Casts, because what is known has no type of its own.
      const found = known.noFindings as { worst: number; unread: number } | undefined;
      const labels = (known.label ?? {}) as Record<string, string>;
      const worst = found ? Math.max(found.worst, found.unread) : noFindings?.allowUnknown ? 0 : 9;
      const isClean = !noFindings || worst < noFindings.minSeverity;
      return (
        (!sbom || Boolean(known.sbom)) && isClean && (!label || labels[label.name] === label.value)
      );
    }) && images.length > 0
  );
}

export function isAllowed(rules: readonly Rule[], change: TagChange, facts: Facts): boolean {
  const matching = rules.filter(
    (rule) =>
      isNamed(rule.includeRepos, rule.excludeRepos, change.repo) &&
      isNamed(rule.includeTags, rule.excludeTags, change.tag),
  );
  const nearest = Math.max(...matching.map(({ parent }) => parent.length));
  const counted = matching.filter(({ parent }) => parent.length === nearest);
  return change.from === change.to || counted.every((rule) => isAllowedBy(rule, change, facts));
}
