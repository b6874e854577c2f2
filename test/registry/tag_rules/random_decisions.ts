/** Random rules, changes and facts, from small alphabets, so that patterns, versions and digests often meet. */
import { ForwardOrder } from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import type { Facts, Image, Rule, TagChange } from "../../../src/registry/tag_rules/decide.ts";
import { randomNumbers } from "../../world/random.ts";
import { type Condition, ruleOf } from "./rule_of.ts";

const digests = ["x", "y", "z"];
const repos = ["a", "ab", "b/a"];
const scopes = ["o", "o/g", "o/g/r"];
const roles = ["r1", "r2"];
const hour = 3_600_000;
const tags = [
  ...["a", "ab", "b", "1.2", "1.2.3", "1.2.10", "1.3.0", "v1.2", "v1.10", "1.2.3-slim", "1.3-slim"],
  ...["1.2.3-rc1", "1.2.3-rc2", "1.3.0-rc10-slim", "2-slim"],
];

export interface RandomDecision {
  rules: Rule[];
  change: TagChange;
  facts: Facts;
}

/** The same seed gives the same ones. */
export function* randomDecisions(seed: number, count: number): Generator<RandomDecision> {
  const random = randomNumbers(seed);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const one = <T>(some: readonly T[]): T => some[upTo(some.length - 1)] as T;
  const isLikely = (share: number) => random() < share;
  const list = <T>(most: number, next: () => T): T[] => Array.from({ length: upTo(most) }, next);

  const pattern = () =>
    isLikely(0.5) ? one(["*", "a*", "*a", "*b*", "1.*", "*-slim", "v*", "1.*-*"]) : ownPattern();
  const ownPattern = () => Array.from({ length: 1 + upTo(3) }, () => one([..."ab*1.2"])).join("");
  /** Empty in most cases, so that rules match. */
  const rarely = (share: number) => (isLikely(share) ? list(2, pattern) : []);

  const keeps = (): Condition[] => [
    { case: "writeOnce", value: true },
    { case: "forward", value: ForwardOrder.VERSION },
    { case: "forward", value: ForwardOrder.IMAGE_TIME },
    { case: "roleUid", value: one(roles) },
    { case: "promotion", value: { from: isLikely(0.5) ? "*" : pattern(), hours: upTo(2) } },
    { case: "requirement", value: requirement() },
  ];
  const requirement = () => ({
    sbom: isLikely(0.3),
    ...(isLikely(0.5)
      ? { noFindings: { minSeverity: 1 + upTo(5), allowUnknown: isLikely(0.5) } }
      : {}),
    ...(isLikely(0.3) ? { label: { name: one(["a", "b"]), value: one(["1", "2"]) } } : {}),
  });
  const rule = (levels: number, at: number): Rule =>
    ruleOf(one(keeps()), {
      name: String(at),
      parent: one(scopes.slice(0, levels)),
      includeRepos: rarely(0.2),
      excludeRepos: rarely(0.1),
      includeTags: rarely(0.4),
      excludeTags: rarely(0.2),
    });

  const image = (): Image => ({
    imageTime: one([null, 1, 2, 3]),
    known: {
      sbom: one([undefined, 0, 1, 1]),
      noFindings: one([undefined, { worst: upTo(6), unread: isLikely(0.2) ? upTo(6) : 0 }]),
      label: one([undefined, { a: "1" }, { a: "2", b: "1" }]),
    },
  });
  const facts = (): Facts => ({
    roles: new Set(list(2, () => one(roles))),
    images: new Map(digests.map((digest) => [digest, list(2, image)])),
    tags: new Map(digests.map((digest) => [digest, list(4, () => one(tags))])),
    stays: list(12, () => ({
      tag: one(tags),
      digest: one(digests),
      duration: upTo(2) * hour - upTo(1),
    })),
  });

  for (let made = 0; made < count; made++) {
    const levels = 1 + upTo(2);
    yield {
      rules: list(6, () => 0).map((_, at) => rule(levels, at)),
      change: {
        repo: one(repos),
        tag: one(tags),
        from: one(["", ...digests, ...digests]),
        to: one(["", ...digests, ...digests]),
      },
      facts: facts(),
    };
  }
}
