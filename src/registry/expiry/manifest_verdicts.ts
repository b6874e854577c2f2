/** Decides which manifests of a repository expire. It depends on nothing but its arguments. */
import { DAY_MS } from "../../../schema/tables/columns.ts";
import { isAbout, nearestOf } from "../tag_rules/decide.ts";
import type { ManifestState, RepoState, TagState } from "./repo_state.ts";
import {
  acts,
  dayText,
  type Expiring,
  follows,
  isExpiring,
  periodOf,
  pulledText,
  type Verdict,
} from "./tag_verdicts.ts";

/** A manifest that expires. */
export interface Going {
  rule: Expiring;
  reason: string;
}

/** The rest of a plan that has deleted a part of it. */
export interface Begun {
  /** The manifests whose tags it has deleted, by digest. */
  manifests: Map<string, Going>;
  /** The tags whose subjects it has deleted, by name. */
  tags: Map<string, Going>;
}

/** The verdict about the manifests. */
export interface ManifestVerdicts {
  going: Map<string, Going>;
  /** Why the others stay that a rule would let go, by digest. */
  stays: Map<string, string>;
}

/** How the manifests and the tags of a repository hang together. */
interface Links {
  tagsOf: Map<string, TagState[]>;
  /** The referrers of each subject. */
  referrersOf: Map<string, ManifestState[]>;
  /** The tags that follow each subject. */
  followersOf: Map<string, TagState[]>;
}

function linksOf(state: RepoState): Links {
  const { tags, manifests } = state;
  const referring = [...manifests.values()].filter(({ subject }) => subject !== undefined);
  return {
    tagsOf: Map.groupBy(tags, ({ digest }) => digest),
    referrersOf: Map.groupBy(referring, ({ subject = "" }) => subject),
    followersOf: Map.groupBy(
      tags.filter((tag) => follows(state, tag)),
      ({ subject = "" }) => subject,
    ),
  };
}

/**
 * The manifests that expire: those of tags that expire, those without a tag for long enough, and what belongs to them. A
 * manifest that one that stays needs, stays too. `begun` are manifests whose tags the same plan has deleted already.
 */
export function judgeManifests(
  state: RepoState,
  verdicts: Map<string, Verdict>,
  begun: Map<string, Going>,
): ManifestVerdicts {
  const links = linksOf(state);
  const going = withBelonging(state, links, seedsOf(state, links, verdicts, begun));
  const stays = new Map<string, string>();
  const open: ManifestState[] = [];
  const keep = (digest: string, reason: string) => {
    const manifest = state.manifests.get(digest);
    if (!manifest || stays.has(digest)) return;
    if (going.delete(digest)) stays.set(digest, reason);
    open.push(manifest);
  };
  for (const manifest of state.manifests.values()) {
    const found = going.get(manifest.digest);
    const reason = found
      ? ownReason(state, links, verdicts, manifest, found)
      : "no rule is about it";
    if (reason !== undefined) keep(manifest.digest, reason);
  }
  for (let manifest = open.pop(); manifest; manifest = open.pop()) {
    const because = `${manifest.digest} stays, and belongs to it`;
    for (const needed of belongingTo(manifest, links)) if (going.has(needed)) keep(needed, because);
    const { subject } = manifest;
    if (subject !== undefined && going.has(subject)) keep(subject, because);
  }
  return { going, stays };
}

/** Why a manifest stays that a rule would let go, without regard to others. Undefined if it need not. */
function ownReason(
  { now, protectedDigests }: RepoState,
  { tagsOf, followersOf }: Links,
  verdicts: Map<string, Verdict>,
  { digest, pullTime }: ManifestState,
  { rule }: Going,
): string | undefined {
  const held = protectedDigests.get(digest);
  if (held !== undefined) return held;
  // A follower has a verdict only if a rule keeps it.
  const follower = followersOf.get(digest)?.find(({ name }) => verdicts.has(name));
  if (follower) return `its tag ${follower.name} stays`;
  const isIn = (time: number) => time > 0 && now - time < periodOf(rule.expire);
  const isPulled = isIn(pullTime);
  // A cluster that verifies an image that runs already pulls only its signature.
  const verified = followersOf.get(digest)?.find((tag) => isIn(tag.pullTime));
  if (verified) return `its tag ${verified.name} was pulled on ${dayText(verified.pullTime)}`;
  return (
    tagReason(tagsOf.get(digest) ?? [], verdicts) ?? (isPulled ? pulledText(pullTime) : undefined)
  );
}

/** The reason why a tag keeps its image. Undefined without a tag that stays. */
function tagReason(pointing: TagState[], verdicts: Map<string, Verdict>): string | undefined {
  const staying = pointing.find(({ name }) => verdicts.get(name)?.goes === false);
  return staying && `the tag ${staying.name} points to it`;
}

/** The manifests that a rule is about: those of tags that expire, those without a tag, and those that have begun to go. */
function seedsOf(
  state: RepoState,
  { tagsOf }: Links,
  verdicts: Map<string, Verdict>,
  begun: Map<string, Going>,
): Map<string, Going> {
  const { name, now, tags, rules, manifests } = state;
  const seeds = new Map(begun);
  for (const { name: tag, digest } of tags) {
    const verdict = verdicts.get(tag);
    if (verdict?.goes && !seeds.has(digest))
      seeds.set(digest, { rule: verdict.rule, reason: `its tag ${tag} expires` });
  }
  const about = rules
    .filter(isExpiring)
    .filter((rule) => rule.expire.untaggedDays > 0 && isAbout(rule, { repo: name, tag: "" }));
  const nearest = nearestOf(about).filter((rule) => acts(state, rule));
  for (const { digest, untaggedTime } of manifests.values()) {
    if (seeds.has(digest) || tagsOf.has(digest)) continue;
    const rule = nearest.find(({ expire }) => now - untaggedTime >= expire.untaggedDays * DAY_MS);
    if (rule)
      seeds.set(digest, {
        rule,
        reason: `no tag has pointed to it since ${dayText(untaggedTime)}`,
      });
  }
  return seeds;
}

/** The images of an index, the referrers of an image, and the manifests of the tags that follow it. */
const belongingTo = (
  { digest, children }: ManifestState,
  { referrersOf, followersOf }: Links,
): string[] => [
  ...children,
  ...(referrersOf.get(digest) ?? []).map((referrer) => referrer.digest),
  ...(followersOf.get(digest) ?? []).map((tag) => tag.digest),
];

/** The seeds, and everything that belongs to them. */
function withBelonging(
  { manifests }: RepoState,
  links: Links,
  seeds: Map<string, Going>,
): Map<string, Going> {
  const going = new Map<string, Going>();
  const open = [...seeds];
  for (let next = open.pop(); next; next = open.pop()) {
    const [digest, found] = next;
    const manifest = manifests.get(digest);
    if (!manifest || going.has(digest)) continue;
    going.set(digest, seeds.get(digest) ?? found);
    const reason = `it belongs to ${digest}`;
    for (const one of belongingTo(manifest, links)) open.push([one, { rule: found.rule, reason }]);
  }
  return going;
}
