/**
 * Decides about one change of a tag. Every way to change a tag asks {@link decide}. It depends on nothing but its
 * arguments.
 *
 * Of the rules that match the tag, those of the nearest scope count: the repository, otherwise the group above it, and so
 * on. Of several there, one that refuses is enough.
 */
import {
  type ExpireRule,
  ForwardOrder,
  type ImageRequirement,
  type KeepRule,
  type ServeRule,
} from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { matches } from "./patterns.ts";
import { type KnownOfImage, missingOf } from "./requirements.ts";
import { versionGap } from "./versions.ts";

/** A rule, as it is stored. */
export interface Rule {
  uid: string;
  name: string;
  /** The uid of its group or repository. */
  parent: string;
  /** The name of that group or repository. */
  scope: string;
  /** In milliseconds since 1970. */
  updateTime: number;
  includeRepos: readonly string[];
  excludeRepos: readonly string[];
  includeTags: readonly string[];
  excludeTags: readonly string[];
  /** Present in a rule of this kind. */
  keep?: KeepRule | undefined;
  /** Present in a rule of this kind. */
  serve?: ServeRule | undefined;
  /** Present in a rule of this kind. */
  expire?: ExpireRule | undefined;
  /** The name of the role in its condition. Empty without one, and if the role is gone. */
  role: string;
}

/** A change of a tag. */
export interface TagChange {
  /** The name of the repository. */
  repo: string;
  tag: string;
  /** The digest that it points to. Empty if it points nowhere or does not exist. */
  from: string;
  /** The digest that it will point to. Empty if it is deleted. */
  to: string;
}

/** An image, or one of the images of an index. */
export interface Image {
  /** When it was built, in milliseconds since 1970. */
  imageTime: number | null;
  known: KnownOfImage;
}

/** The most images of an index that are looked at. One with more meets no requirement and has no time. */
export const maxImages = 100;

/** For how long a tag pointed to a digest without a break, in milliseconds. */
export interface Stay {
  tag: string;
  digest: string;
  duration: number;
}

/** The knowledge that a decision can use. */
export interface Facts {
  /** The uids of the roles that the caller has on the repository. */
  roles: ReadonlySet<string>;
  /** The images of each digest. A digest that the repository does not have has none. */
  images: ReadonlyMap<string, readonly Image[]>;
  /** The names of the tags that point to each digest, or will when the change is made. */
  tags: ReadonlyMap<string, readonly string[]>;
  /** The digests that more tags point to than are known. */
  tooManyTags?: ReadonlySet<string>;
  stays: readonly Stay[];
}

/** The result, with the rule that decided if one matches the tag. */
export type Decision =
  | { isAllowed: true; rule: Rule | undefined; reason: string }
  | { isAllowed: false; rule: Rule; reason: string };

/** Decides about a change. A change that leaves the digest as it is is always allowed. */
export function decide(rules: readonly Rule[], change: TagChange, facts: Facts): Decision {
  if (change.from === change.to)
    return {
      isAllowed: true,
      rule: undefined,
      reason: change.to === "" ? "it does not exist" : "it does not move",
    };
  const nearest = nearestOf(rules.filter((rule) => rule.keep && isAbout(rule, change)));
  for (const rule of nearest) {
    const reason = refusalOf(rule, change, facts);
    if (reason !== undefined) return { isAllowed: false, rule, reason };
  }
  const [rule] = nearest;
  return { isAllowed: true, rule, reason: rule ? "the rule allows it" : "no rule is about it" };
}

/** Whether the rule matches the tag of a change. */
export const isAbout = (rule: Rule, { repo, tag }: Pick<TagChange, "repo" | "tag">): boolean =>
  matches({ include: rule.includeRepos, exclude: rule.excludeRepos }, repo) &&
  matches({ include: rule.includeTags, exclude: rule.excludeTags }, tag);

/** The rules of the nearest scope, in the order of their names. The uid of a nearer scope is longer. */
export function nearestOf<One extends Rule>(rules: readonly One[]): One[] {
  const longest = Math.max(0, ...rules.map(({ parent }) => parent.length));
  return rules
    .filter(({ parent }) => parent.length === longest)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The condition of a rule of another kind. */
const noCondition: Pick<KeepRule, "condition"> = { condition: { case: undefined } };

function refusalOf({ keep, role }: Rule, change: TagChange, facts: Facts): string | undefined {
  const { condition } = keep ?? noCondition;
  if (condition.case === "roleUid") {
    if (facts.roles.has(condition.value)) return undefined;
    return `only identities with the role ${role || condition.value} may change it`;
  }
  if (change.to === "") return "it is kept, so it cannot be deleted";
  switch (condition.case) {
    case "writeOnce":
      return change.from === "" ? undefined : "it can be set only once";
    case "forward":
      return change.from === "" ? undefined : backwards(condition.value, change, facts);
    case "promotion":
      return notPromoted(condition.value, change, facts);
    case "requirement": {
      const images = facts.images.get(change.to) ?? [];
      if (images.length === 0) return "the repository does not have the image";
      const missing = missingOfImages(condition.value, images);
      return missing && `the image ${missing}`;
    }
    // A rule of a kind that this version does not know must not let everything pass.
    default:
      return "its condition is not known";
  }
}

/** Why one of the images does not meet a requirement. Undefined if all do. */
export function missingOfImages(
  requirement: ImageRequirement,
  images: readonly Image[],
): string | undefined {
  if (images.length > maxImages)
    return `has more than ${maxImages} images, too many to look at each`;
  const missing = images.map(({ known }) => missingOf(requirement, known));
  return missing.find((reason) => reason !== undefined);
}

function backwards(order: ForwardOrder, change: TagChange, facts: Facts): string | undefined {
  const { tag, from, to } = change;
  if (order === ForwardOrder.IMAGE_TIME) {
    const [before, after] = [from, to].map((digest) => timeOf(facts.images.get(digest)));
    if (after === undefined) return "the image does not say when it was built";
    return before === undefined || after >= before
      ? undefined
      : `the image was built at ${textOf(after)}, before the current one (${textOf(before)})`;
  }
  const cut = [from, to].find((digest) => facts.tooManyTags?.has(digest));
  if (cut !== undefined) return `too many tags with versions point to ${cut}`;
  const others = (digest: string) => (facts.tags.get(digest) ?? []).filter((name) => name !== tag);
  return versionGap(others(from), others(to));
}

const textOf = (time: number) => new Date(time).toISOString();

/** The latest time of the images. Undefined if one has none. */
function timeOf(images: readonly Image[] = []): number | undefined {
  const times = images.map(({ imageTime }) => imageTime);
  const known = times.filter((time) => time !== null);
  const isPartial = known.length < times.length || times.length > maxImages;
  return known.length === 0 || isPartial ? undefined : Math.max(...known);
}

const hour = 3_600_000;

function notPromoted(
  { from, hours }: { from: string; hours: number },
  change: TagChange,
  facts: Facts,
): string | undefined {
  const isSource = ({ tag, digest, duration }: Stay) =>
    tag !== change.tag &&
    digest === change.to &&
    duration >= hours * hour &&
    matches({ include: [from], exclude: [] }, tag);
  if (facts.stays.some(isSource)) return undefined;
  const time = hours === 0 ? "" : ` for ${hours} ${hours === 1 ? "hour" : "hours"}`;
  return `no tag ${from} has pointed to the image${time}`;
}
