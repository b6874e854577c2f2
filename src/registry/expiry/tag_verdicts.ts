/** Decides which tags of a repository expire. It depends on nothing but its arguments. */
import {
  type ExpireRule,
  NewestOrder,
} from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { DAY_MS } from "../../../schema/tables/columns.ts";
import { tagLineOf } from "../../packages/tag_lines.ts";
import { isAbout, nearestOf, type Rule } from "../tag_rules/decide.ts";
import type { RepoState, TagState } from "./repo_state.ts";

/** Whether a tag expires, with the rule that says so, and why in one line. */
export type Verdict =
  | { goes: true; rule: Expiring; reason: string }
  | { goes: false; reason: string };

/** A rule of this kind. */
export type Expiring = Rule & { expire: ExpireRule };

export const isExpiring = (rule: Rule): rule is Expiring => rule.expire !== undefined;

/** Whether the rule lets something expire in this plan. */
export const acts = ({ onlyDaily }: RepoState, { expire }: Expiring): boolean =>
  !onlyDaily || expire.daily;

const notDaily = "its rule is only for plans by hand";

/** The period in which a pull keeps what the rule is about, in milliseconds. */
export const periodOf = ({ unpulledDays, unmovedDays, untaggedDays }: ExpireRule): number =>
  DAY_MS * Math.max(1, unpulledDays || Math.max(unmovedDays, untaggedDays));

export const pulledText = (time: number) => `it was pulled on ${dayText(time)}`;

export const dayText = (time: number) => new Date(time).toISOString().slice(0, 10);

/**
 * The verdict about each tag by its name. A tag that follows a subject in the repository has one only if a rule keeps it.
 * Otherwise it stays or goes with that subject. `begun` are tags whose subjects the same plan has deleted already.
 */
export function judgeTags(
  state: RepoState,
  begun: ReadonlyMap<string, { rule: Expiring; reason: string }>,
): Map<string, Verdict> {
  const { name: repo, tags, rules } = state;
  const expiring = rules.filter(isExpiring).filter(({ expire }) => expire.untaggedDays === 0);
  const ranks = new Map(expiring.map((rule) => [rule.uid, newerThan(rule, state)]));
  const judge = (tag: TagState): Verdict | undefined => {
    const about = { repo, tag: tag.name };
    const kept = rules.find((rule) => rule.keep && isAbout(rule, about));
    if (kept) return { goes: false, reason: `the rule "${kept.name}" of ${kept.scope} keeps it` };
    if (follows(state, tag)) return undefined;
    const left = begun.get(tag.name);
    if (left) return { goes: true, ...left };
    let stays = "no rule is about it";
    for (const rule of nearestOf(expiring.filter((one) => isAbout(one, about)))) {
      const newer = ranks.get(rule.uid)?.get(tag.name);
      const { goes, reason } = judgeBy(rule.expire, tag, newer, state.now);
      if (goes && acts(state, rule)) return { goes, reason, rule };
      stays = goes ? notDaily : reason;
    }
    return { goes: false, reason: stays };
  };
  return new Map(
    tags.flatMap((tag): [string, Verdict][] => {
      const verdict = judge(tag);
      return verdict ? [[tag.name, verdict]] : [];
    }),
  );
}

/** Whether the tag belongs to an image of the repository, as the tags of signatures do. */
export const follows = ({ manifests }: RepoState, { subject, digest }: TagState): boolean =>
  subject !== undefined && subject !== digest && manifests.has(subject);

/** The verdict of one rule. `newer` is the number of newer tags, if the tag has a place in their order. */
function judgeBy(
  expire: ExpireRule,
  { moveTime, pullTime }: TagState,
  newer: number | undefined,
  now: number,
): { goes: boolean; reason: string } {
  const reasons: string[] = [];
  const stays = (reason: string) => ({ goes: false, reason });
  if (expire.unmovedDays > 0) {
    if (now - moveTime < expire.unmovedDays * DAY_MS)
      return stays(`it has moved on ${dayText(moveTime)}`);
    reasons.push(`it has not moved since ${dayText(moveTime)}`);
  }
  if (pullTime > 0 && now - pullTime < periodOf(expire)) return stays(pulledText(pullTime));
  if (expire.unpulledDays > 0) {
    if (now - moveTime < expire.unpulledDays * DAY_MS)
      return stays(`it has moved on ${dayText(moveTime)}`);
    reasons.push(
      pullTime > 0 ? `it has not been pulled since ${dayText(pullTime)}` : "no pull is known",
    );
  }
  if (expire.beyondNewest) {
    if (newer === undefined) return stays("its name has no version");
    if (newer < expire.beyondNewest.count) return stays("it is among the newest");
    reasons.push(newer === 1 ? "1 tag is newer" : `${newer} tags are newer`);
  }
  return { goes: reasons.length > 0, reason: reasons.join(", and ") };
}

/** For each tag that the rule is about and that has a place in its order: how many tags there are newer. */
function newerThan({ expire, ...rule }: Expiring, state: RepoState): Map<string, number> {
  if (!expire.beyondNewest) return new Map();
  const byVersion = expire.beyondNewest.order === NewestOrder.VERSION;
  const placed = state.tags
    .filter((tag) => !follows(state, tag) && isAbout(rule, { repo: state.name, tag: tag.name }))
    .flatMap(({ name, moveTime }) => {
      const { line, lineKey } = tagLineOf(name);
      // The line begins with the number of numbers and the letter for a release.
      if (byVersion) return line === "" ? [] : [{ name, form: line.slice(2), key: lineKey }];
      return [{ name, form: "", key: String(moveTime).padStart(16, "0") }];
    });
  const groups = [...Map.groupBy(placed, ({ form }) => form).values()];
  return new Map(
    groups.flatMap((group) =>
      group
        .sort((a, b) => (a.key === b.key ? (a.name < b.name ? -1 : 1) : a.key > b.key ? -1 : 1))
        .map(({ name }, newer): [string, number] => [name, newer]),
    ),
  );
}
