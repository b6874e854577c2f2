/** Says what expires by the words of the documentation, with brute force. It shares no code with the plans. */
import {
  type ExpireRule,
  NewestOrder,
} from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { tagLineOf } from "../../../src/packages/tag_lines.ts";
import type { RepoState, TagState } from "../../../src/registry/expiry/repo_state.ts";
import type { Rule } from "../../../src/registry/tag_rules/decide.ts";
import { isNamed } from "../tag_rules/oracle.ts";

/** The names of the tags, and the digests. */
export type Expired = Record<"tags" | "digests", Set<string>>;
type Expire = Rule & { expire: ExpireRule };

const dayMs = 24 * 3_600_000;
const isExpire = (rule: Rule): rule is Expire => rule.expire !== undefined;
const isAboutRepo = ({ name }: RepoState, rule: Rule) =>
  isNamed(rule.includeRepos, rule.excludeRepos, name);
const isAboutTag = ({ name }: TagState, rule: Rule) =>
  isNamed(rule.includeTags, rule.excludeTags, name);
const periodOf = ({ expire }: Expire) =>
  expire.unpulledDays || expire.unmovedDays || expire.untaggedDays || 1;

/** Of the rules of the nearest scope, those that may let something go. */
function nearest(state: RepoState, rules: Expire[]): Expire[] {
  const length = Math.max(...rules.map(({ parent }) => parent.length));
  return rules.filter(
    ({ parent, expire }) => parent.length === length && (expire.daily || !state.onlyDaily),
  );
}

/** With `tags`, those that can be among the newest ones. */
function isLetGo(tag: TagState, rule: Expire, tags: TagState[], now: number): boolean {
  const { unmovedDays, unpulledDays, beyondNewest } = rule.expire;
  const isOver = (time: number, days: number) => now - time >= days * dayMs;
  const placeOf = ({ name, moveTime }: TagState): [form: string, key: number | string] => {
    const { line, lineKey } = tagLineOf(name);
    return beyondNewest?.order === NewestOrder.TIME ? ["", moveTime] : [line.slice(2), lineKey];
  };
  const [form, key] = placeOf(tag);
  const newer = tags.filter((other) => {
    const [otherForm, otherKey] = placeOf(other);
    const isNewer = otherKey > key || (otherKey === key && other.name < tag.name);
    return isAboutTag(other, rule) && otherForm === form && isNewer;
  });
  const isBeyond = key !== "" && newer.length >= (beyondNewest?.count ?? 0);
  return (
    isOver(tag.pullTime, periodOf(rule)) &&
    isOver(tag.moveTime, Math.max(unmovedDays, unpulledDays)) &&
    (!beyondNewest || isBeyond)
  );
}

/**
 * What expires. `choose` says which period counts for a manifest that would go by rules with different ones. The words
 * leave it open.
 */
export function expiredOf(state: RepoState, choose: (...periods: number[]) => number): Expired {
  const { manifests, now } = state;
  const rules = state.rules.filter((rule) => isAboutRepo(state, rule));
  const expires = rules.filter(isExpire);
  const isKept = (tag: TagState) => rules.some((rule) => rule.keep && isAboutTag(tag, rule));
  const followers = state.tags.filter(
    ({ subject, digest }) => subject && subject !== digest && manifests.has(subject),
  );
  const judged = state.tags.filter((tag) => !followers.includes(tag));

  const periods = new Map<string, number>();
  const add = (digest: string, period: number) =>
    manifests.has(digest) && periods.set(digest, choose(periods.get(digest) ?? period, period));
  const going = judged.filter((tag) => {
    const about = expires.filter((rule) => !rule.expire.untaggedDays && isAboutTag(tag, rule));
    const letting = nearest(state, about).filter((rule) => isLetGo(tag, rule, judged, now));
    if (!isKept(tag)) for (const rule of letting) add(tag.digest, periodOf(rule));
    return letting.length > 0 && !isKept(tag);
  });
  const ofUntagged = expires.filter(({ expire }) => expire.untaggedDays);
  const untagged = [...manifests.values()].filter(
    ({ digest }) => !state.tags.some((tag) => tag.digest === digest),
  );
  for (const { digest, untaggedTime } of untagged)
    for (const rule of nearest(state, ofUntagged))
      if (now - untaggedTime >= periodOf(rule) * dayMs) add(digest, periodOf(rule));

  const partsOf = (digest: string) => [
    ...(manifests.get(digest)?.children ?? []),
    ...[...manifests.values()].filter((one) => one.subject === digest).map((one) => one.digest),
    ...followers.filter(({ subject }) => subject === digest).map((tag) => tag.digest),
  ];
  for (let before = ""; before !== String([...periods]); ) {
    before = String([...periods]);
    for (const [digest, period] of [...periods])
      for (const part of partsOf(digest)) add(part, period);
  }

  const stays = new Set<string>([
    ...state.tags
      .filter((tag) => judged.includes(tag) && !going.includes(tag))
      .map((t) => t.digest),
    ...followers.filter(isKept).flatMap(({ digest, subject = "" }) => [digest, subject]),
    ...followers
      .filter(({ subject = "", pullTime }) => {
        const period = periods.get(subject);
        return period !== undefined && now - pullTime < period * dayMs;
      })
      .flatMap(({ subject = "" }) => [subject]),
    ...[...state.protectedDigests.keys()].filter((digest) => manifests.has(digest)),
    ...[...manifests.values()]
      .filter(({ digest, pullTime }) => now - pullTime < (periods.get(digest) ?? Infinity) * dayMs)
      .map(({ digest }) => digest),
  ]);
  // A set also visits what is added meanwhile.
  for (const digest of stays)
    for (const needed of [...partsOf(digest), manifests.get(digest)?.subject ?? ""])
      if (manifests.has(needed)) stays.add(needed);

  const falling = followers.filter((tag) => !isKept(tag) && !stays.has(tag.subject ?? ""));
  return {
    tags: new Set([...going, ...falling].map(({ name }) => name)),
    digests: new Set([...manifests.keys()].filter((digest) => !stays.has(digest))),
  };
}
