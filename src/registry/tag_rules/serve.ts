/**
 * Decides which image a pull of a tag gets. It depends on nothing but its arguments. Of the rules that match the tag,
 * those of the nearest scope count, as in `decide.ts`, and an image must meet all of them.
 */
import type { ServeRule } from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import {
  type Facts,
  type Image,
  isAbout,
  missingOfImages,
  nearestOf,
  type Rule,
} from "./decide.ts";

/** A move of a tag. The digest is empty if the tag was deleted. */
export interface PastMove {
  digest: string;
  /** In milliseconds since 1970. */
  time: number;
}

/** A pull of a tag. */
export interface Pull {
  /** The name of the repository. */
  repo: string;
  tag: string;
  /** The digest that the tag points to. */
  digest: string;
  /** The moves of the tag, the newest first. */
  moves: readonly PastMove[];
  /** The digests among these whose images the registry has. */
  there: ReadonlySet<string>;
  /** In milliseconds since 1970. */
  now: number;
}

/** The digest that a pull gets, with the rule that chose it. Undefined if it gets none. */
export interface Serving {
  digest: string | undefined;
  /** Undefined if no rule is about the tag, or the caller is exempt. */
  rule: Rule | undefined;
  reason: string;
}

/** The reason if the registry does not have the image of the tag, which no rule can change. */
export const imageIsGone = "the registry does not have the image of the tag";

/** Chooses the digest. */
export function chooseServed(rules: readonly Rule[], pull: Pull, facts: Facts): Serving {
  const all = nearestOf(rules.filter((rule) => rule.serve && isAbout(rule, pull)));
  const bound = all.filter(({ serve }) => !facts.roles.has(serve?.exemptRoleUid ?? ""));
  const [first] = bound;
  if (!first) {
    const reason = all.length === 0 ? "no rule is about it" : "your role gets the tag as it is";
    return { digest: pull.digest, rule: undefined, reason };
  }
  if (!pull.there.has(pull.digest))
    return { digest: undefined, rule: undefined, reason: imageIsGone };
  let held: [Rule, string] | undefined;
  for (const move of candidatesOf(pull)) {
    const refusal = refusalOf(bound, move, pull.now, facts);
    if (!refusal) {
      const [rule, reason] = held ?? [first, "the rule allows it"];
      return { digest: move.digest, rule, reason };
    }
    // The reason why the newest one is held back.
    held ??= refusal;
  }
  const [rule, reason] = held ?? [first, "no image is allowed"];
  return { digest: undefined, rule, reason };
}

/**
 * The digests since the last deletion whose images are there, the last one first. The time is that of the first move to
 * the digest, so that a tag that is moved back serves at once what it served before.
 */
function candidatesOf({ moves, there }: Pull): PastMove[] {
  const end = moves.findIndex(({ digest }) => digest === "");
  const first = new Map<string, number>();
  for (const { digest, time } of end < 0 ? moves : moves.slice(0, end)) first.set(digest, time);
  return [...first]
    .filter(([digest]) => there.has(digest))
    .map(([digest, time]) => ({ digest, time }));
}

const hour = 3_600_000;

/** The first rule that holds an image back, and why. */
function refusalOf(
  rules: readonly Rule[],
  move: PastMove,
  now: number,
  facts: Facts,
): [Rule, string] | undefined {
  for (const rule of rules) {
    const reason = rule.serve && heldBack(rule.serve, move, now, facts.images.get(move.digest));
    if (reason !== undefined) return [rule, reason];
  }
  return undefined;
}

function heldBack(
  { condition }: ServeRule,
  { time }: PastMove,
  now: number,
  images: readonly Image[] = [],
): string | undefined {
  switch (condition.case) {
    case "cooldownHours": {
      const end = time + condition.value * hour;
      return now >= end
        ? undefined
        : `the newest image cools down until ${new Date(end).toISOString()}`;
    }
    case "requirement": {
      if (images.length === 0) return "nothing is known about the newest image";
      const missing = missingOfImages(condition.value, images);
      return missing && `the newest image ${missing}`;
    }
    // A rule of a kind that this version does not know must not let everything pass.
    default:
      return "its condition is not known";
  }
}

/** One line for people: the rule that holds the newest image of a tag back, why, and how they can see it. */
export const servedText = (tag: string, { name, scope, uid }: Rule, reason: string): string =>
  `the rule "${name}" of ${scope} holds ${tag} back: ${reason}; see platformctl tag-rules get ${uid}`;
