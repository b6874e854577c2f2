/** Makes the plan of what expires in a repository. It depends on nothing but its arguments. */
import { type Begun, type Going, judgeManifests } from "./manifest_verdicts.ts";
import type { ManifestState, RepoState, TagState } from "./repo_state.ts";
import { type Expiring, follows, judgeTags, type Verdict } from "./tag_verdicts.ts";

/** The most tags and manifests of a plan. The next one has the rest. */
export const maxItems = 100_000;

/** A tag or a manifest that expires. */
export interface PlannedItem {
  /** Undefined for a manifest. */
  tag?: TagState;
  /** Undefined for a tag. */
  manifest?: ManifestState;
  rule: Expiring;
  reason: string;
  /** 0 for a tag. */
  bytes: number;
}

export interface Plan {
  /**
   * In the order of the deletions: tags, indexes before their images, and images before their referrers. The tags of
   * signatures come after the images that they belong to, and before the signatures.
   */
  items: PlannedItem[];
  /** Those that are left out of it too. */
  all: PlannedItem[];
  truncated: boolean;
  /** Why a tag or a digest stays. */
  whyTagStays: (name: string) => string;
  whyManifestStays: (digest: string) => string;
}

const nothingBegun: Begun = { manifests: new Map(), tags: new Map() };

/**
 * The plan. `begun` is what is left of a plan that has deleted a part of it. If there is no room for everything, some tags
 * stay, so that each tag goes together with its image. No rule would be about an image whose tag is gone.
 */
export function planExpiry(state: RepoState, begun = nothingBegun, most = maxItems): Plan {
  const verdicts = judgeTags(state, begun.tags);
  const whole = planOf(state, begun, verdicts);
  const going = [...verdicts].filter(([, { goes }]) => goes);
  let { items } = whole;
  for (const share of [most / whole.all.length, 0.5 * (most / whole.all.length), 0]) {
    if (items.length <= most) break;
    const left = going.slice(Math.floor(going.length * share));
    const stays = { goes: false, reason: "the plan has no room for it" } as const;
    const fewer = new Map([...verdicts, ...left.map(([name]) => [name, stays] as const)]);
    ({ items } = planOf(state, begun, fewer));
  }
  return { ...whole, items: items.slice(0, most), truncated: whole.all.length > most };
}

function planOf(state: RepoState, begun: Begun, verdicts: Map<string, Verdict>): Plan {
  const { going, stays } = judgeManifests(state, verdicts, begun.manifests);
  const [plain, followers] = [verdictItems(state, verdicts), followerItems(state, verdicts, going)];
  const freed = bytesOf(state, going);
  const [first, last] = inOrder(state, going, followers).map((all) =>
    all.map((manifest): PlannedItem => {
      // A cast, because `inOrder` returns the members of `going`.
      const { rule, reason } = going.get(manifest.digest) as Going;
      return { manifest, rule, reason, bytes: freed(manifest) };
    }),
  );
  const items = [...plain, ...(first ?? []), ...followers, ...(last ?? [])];
  const tagOf = new Map(state.tags.map(({ name, digest }) => [digest, name]));
  const names = new Set(state.tags.map(({ name }) => name));
  return {
    items,
    all: items,
    truncated: false,
    whyTagStays: (name) => {
      const verdict = verdicts.get(name);
      if (verdict && !verdict.goes) return verdict.reason;
      return names.has(name) ? "its image stays" : "it is gone";
    },
    whyManifestStays: (digest) => {
      const reason = stays.get(digest);
      if (reason !== undefined) return reason;
      if (!state.manifests.has(digest)) return "it is gone";
      const tag = tagOf.get(digest);
      return tag === undefined ? "no rule is about it" : `the tag ${tag} points to it`;
    },
  };
}

/** The tags that expire by a rule. */
const verdictItems = ({ tags }: RepoState, verdicts: Map<string, Verdict>): PlannedItem[] =>
  tags.flatMap((tag) => {
    const verdict = verdicts.get(tag.name);
    return verdict?.goes ? [{ tag, rule: verdict.rule, reason: verdict.reason, bytes: 0 }] : [];
  });

/** The tags that follow an image that goes. */
const followerItems = (
  state: RepoState,
  verdicts: Map<string, Verdict>,
  going: Map<string, Going>,
): PlannedItem[] =>
  state.tags.flatMap((tag) => {
    const { name, subject = "" } = tag;
    const found = !verdicts.has(name) && follows(state, tag) && going.get(subject);
    return found ? [{ tag, rule: found.rule, reason: `it belongs to ${subject}`, bytes: 0 }] : [];
  });

/**
 * The manifests that go, each before those that belong to it, so that a deletion that is cut off breaks none that is left.
 * The second list has those that tags of signatures point to, with what belongs to them: these tags go before them.
 */
function inOrder(
  state: RepoState,
  going: Map<string, Going>,
  followers: readonly PlannedItem[],
): [ManifestState[], ManifestState[]] {
  const { manifests } = state;
  const members = [...going.keys()].flatMap((digest) => manifests.get(digest) ?? []);
  const referrersOf = Map.groupBy(members, ({ subject = "" }) => subject);
  const partsOf = ({ digest, children }: ManifestState) =>
    [
      ...children.flatMap((child) => manifests.get(child) ?? []),
      ...(referrersOf.get(digest) ?? []),
    ].filter((one) => going.has(one.digest));
  const signatures = followers.flatMap(({ tag }) => manifests.get(tag?.digest ?? "") ?? []);
  const late = new Set(
    ordered(
      signatures.filter(({ digest }) => going.has(digest)),
      partsOf,
    ),
  );
  const all = ordered(members, partsOf);
  return [all.filter((one) => !late.has(one)), all.filter((one) => late.has(one))];
}

/** The roots and all their parts, each before its own parts. */
function ordered(
  roots: ManifestState[],
  partsOf: (manifest: ManifestState) => ManifestState[],
): ManifestState[] {
  const done = new Set<string>();
  const reversed: ManifestState[] = [];
  for (const root of roots) {
    const open = [{ manifest: root, isLeft: false }];
    for (let next = open.pop(); next; next = open.pop()) {
      const { manifest, isLeft } = next;
      if (isLeft) reversed.push(manifest);
      if (isLeft || done.has(manifest.digest)) continue;
      done.add(manifest.digest);
      open.push({ manifest, isLeft: true });
      for (const part of partsOf(manifest)) open.push({ manifest: part, isLeft: false });
    }
  }
  return reversed.reverse();
}

/** The bytes that the deletion of each manifest frees. A blob of several counts for the first one that is asked. */
function bytesOf(
  { manifests, blobSizes }: RepoState,
  going: Map<string, Going>,
): (manifest: ManifestState) => number {
  const counted = new Set<number>();
  for (const { digest, blobs } of manifests.values())
    if (!going.has(digest)) for (const blob of blobs) counted.add(blob);
  return ({ bytes, blobs }) => {
    let sum = bytes;
    for (const blob of blobs) {
      if (!counted.has(blob)) sum += blobSizes.get(blob) ?? 0;
      counted.add(blob);
    }
    return sum;
  };
}
