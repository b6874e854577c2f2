/** Random repositories with rules, from small alphabets, so that names, times and digests often meet. */
import { create } from "@bufbuild/protobuf";
import {
  ExpireRuleSchema,
  ForwardOrder,
  KeepRuleSchema,
  NewestOrder,
  ServeRuleSchema,
} from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import type {
  ManifestState,
  RepoState,
  TagState,
} from "../../../src/registry/expiry/repo_state.ts";
import type { Rule } from "../../../src/registry/tag_rules/decide.ts";
import { randomNumbers } from "../../world/random.ts";

const dayMs = 24 * 3_600_000;
const now = 100 * dayMs;
const repos = ["a", "ab", "b/a"];
const scopes = ["o", "o/g", "o/g/r"];
/** The last one is never in the repository. */
const digests = [..."0123456789"].map((one) => `sha256:${one.repeat(64)}`);
const missing = `sha256:${"f".repeat(64)}`;
const names = [
  ...["a", "ab", "b", "latest", "1.2", "1.2.3", "01.2.3", "1.2.10", "1.3.0", "v1.2", "v1.10"],
  ...["1.2.3-slim", "1.2.4-slim", "1.3-slim", "1.2.3-rc1", "1.3.0-rc10-slim", "2-slim"],
];
const patterns = ["*", "a*", "*a", "*b*", "1.*", "*-slim", "v*", "sha256-*", "*.sig", "1.2.3"];
const endings = [".sig", ".att", ""];

type Random = ReturnType<typeof chooser>;

function chooser(seed: number) {
  const random = randomNumbers(seed);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  return {
    upTo,
    one: <T>(some: readonly T[]): T => some[upTo(some.length - 1)] as T,
    isLikely: (share: number) => random() < share,
    list: <T>(most: number, next: (at: number) => T): T[] =>
      Array.from({ length: upTo(most) }, (_, at) => next(at)),
  };
}

/** In half days, so that times meet the ends of periods. */
const timeOf = ({ upTo }: Random) => now - (upTo(14) * dayMs) / 2;
const pullTimeOf = ({ isLikely, upTo }: Random) =>
  isLikely(0.75) ? 0 : now - ((upTo(12) - 1) * dayMs) / 2;

/** A manifest can only name those that were made before it. Indexes are nested three deep at most. */
function randomManifests(random: Random): ManifestState[] {
  const { one, isLikely, list } = random;
  const levels = new Map<string, number>();
  const made: ManifestState[] = [];
  for (const [at, digest] of digests.slice(0, 1 + random.upTo(9)).entries()) {
    const older = digests.slice(0, at);
    const fit = older.filter((child) => (levels.get(child) ?? 0) < 3);
    const isIndex = isLikely(0.4) && fit.length > 0;
    const children = [...new Set(isIndex ? list(3, () => one([...fit, missing])) : [])];
    levels.set(digest, Math.max(0, ...children.map((child) => 1 + (levels.get(child) ?? 0))));
    const subject = one([...older, missing]);
    const refers = isLikely(0.25) && !isBelow(made, children, subject);
    made.push({
      ...{ digest, uid: `m${at}`, createTime: now - 50 * dayMs, bytes: 1, children, blobs: [] },
      ...(refers ? { subject } : {}),
      ...{ untaggedTime: timeOf(random), pullTime: pullTimeOf(random) },
    });
  }
  return made;
}

/** Whether the digest belongs to one of the others. Their index cannot refer to it: neither could be deleted first. */
function isBelow(made: ManifestState[], others: string[], digest: string): boolean {
  const below = new Set(others);
  for (const upper of below)
    for (const { digest: own, children, subject } of made) {
      if (subject === upper) below.add(own);
      if (own === upper) for (const child of children) below.add(child);
    }
  return below.has(digest);
}

function randomTags(random: Random, manifests: ManifestState[]): TagState[] {
  const { one, isLikely, list } = random;
  const pointed = manifests.map(({ digest }) => digest);
  const plain = list(8, () => one(names)).map((name) => ({ name }));
  const follower = () => {
    const subject = one(isLikely(0.1) ? [missing] : pointed);
    return { name: `${subject.replace(":", "-")}${one(endings)}`, subject };
  };
  const tags = [...plain, ...(isLikely(0.5) ? list(4, follower) : [])];
  const unique = new Map(tags.map((tag) => [tag.name, tag]));
  return [...unique.values()].map((tag, at) => {
    const digest = isLikely(0.03) ? "" : one(pointed);
    const byDigest = manifests.find((manifest) => manifest.digest === digest)?.pullTime ?? 0;
    const moveTime = timeOf(random);
    const pullTime = Math.max(byDigest, pullTimeOf(random));
    return { ...tag, uid: `t${at}`, digest, updateTime: moveTime, moveTime, pullTime };
  });
}

function randomExpire({ one, upTo, isLikely }: Random, days: () => number) {
  const order = one([NewestOrder.TIME, NewestOrder.VERSION, NewestOrder.VERSION]);
  const [first, unmoved, unpulled, newest] = [upTo(3), ...[0.25, 0.25, 0.25].map(isLikely)];
  const conditions = {
    unmovedDays: first === 1 || unmoved ? days() : 0,
    unpulledDays: first === 2 || unpulled ? days() : 0,
    ...(first === 3 || newest ? { beyondNewest: { count: 1 + upTo(2), order } } : {}),
  };
  const daily = isLikely(0.6);
  return create(
    ExpireRuleSchema,
    first === 0 ? { untaggedDays: days(), daily } : { ...conditions, daily },
  );
}

function randomRule(random: Random, at: number, days: () => number): Rule {
  const { one, isLikely, list } = random;
  const kind = isLikely(0.12) ? "keep" : isLikely(0.05) ? "serve" : "expire";
  const expire = kind === "expire" ? randomExpire(random, days) : undefined;
  const rarely = <T>(share: number, some: readonly T[]) =>
    isLikely(share) ? list(2, () => one(some)) : [];
  const hasTags = !expire?.untaggedDays;
  const keep = one([
    { case: "writeOnce", value: true },
    { case: "forward", value: ForwardOrder.VERSION },
  ] as const);
  return {
    uid: `rule${at}`,
    name: String(at),
    parent: one(scopes),
    scope: "",
    updateTime: 0,
    includeRepos: rarely(0.15, [...repos, "*a", "b*"]),
    excludeRepos: rarely(0.1, [...repos, "*a", "b*"]),
    includeTags: hasTags ? rarely(kind === "keep" ? 1 : 0.3, patterns) : [],
    excludeTags: hasTags ? rarely(0.15, patterns) : [],
    role: "",
    ...(kind === "keep" ? { keep: create(KeepRuleSchema, { condition: keep }) } : {}),
    ...(kind === "serve" ? { serve: create(ServeRuleSchema) } : {}),
    ...(expire ? { expire } : {}),
  };
}

/** The same seed gives the same ones. In most of them, all periods are the same. */
export function* randomRepos(seed: number, count: number): Generator<RepoState> {
  const random = chooser(seed);
  const { upTo, one, isLikely, list } = random;
  for (let made = 0; made < count; made++) {
    const manifests = randomManifests(random);
    const period = 1 + upTo(3);
    const days = isLikely(0.6) ? () => period : () => 1 + upTo(3);
    yield {
      name: one(repos),
      now,
      rules: [0, ...list(5, (at) => at + 1)].map((at) => randomRule(random, at, days)),
      onlyDaily: isLikely(0.2),
      tags: randomTags(random, manifests),
      ruleRows: [],
      manifests: new Map(manifests.map((manifest) => [manifest.digest, manifest])),
      blobSizes: new Map(),
      protectedDigests: new Map(
        isLikely(0.2) ? list(2, () => [one([...digests, missing]), "held"] as const) : [],
      ),
    };
  }
}
