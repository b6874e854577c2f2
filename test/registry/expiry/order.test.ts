/** The order of a plan, in random repositories: it can be cut off after any item. */
import { expect, test } from "vitest";
import type { Begun } from "../../../src/registry/expiry/manifest_verdicts.ts";
import { type PlannedItem, planExpiry } from "../../../src/registry/expiry/plan.ts";
import type { RepoState } from "../../../src/registry/expiry/repo_state.ts";
import { randomRepos } from "./random_repos.ts";

/** The repository after the deletion of some items. */
function without(state: RepoState, gone: readonly PlannedItem[]): RepoState {
  const tags = new Set(gone.map(({ tag }) => tag?.name));
  const digests = new Set(gone.map(({ manifest }) => manifest?.digest));
  const left = [...state.manifests].filter(([digest]) => !digests.has(digest));
  return {
    ...state,
    tags: state.tags.filter(({ name }) => !tags.has(name)),
    manifests: new Map(left),
  };
}

/** The parts that are broken in `after`, and were not in `before`. */
function broken(before: RepoState, after: RepoState): string[] {
  const isGone = (digest: string) => before.manifests.has(digest) && !after.manifests.has(digest);
  const lost = [...before.manifests.values()].filter(({ digest }) => isGone(digest));
  return [
    ...after.tags.filter(({ digest }) => isGone(digest)).map(({ name }) => `${name} has no image`),
    ...[...after.manifests.values()]
      .filter(({ children }) => children.some(isGone))
      .map(({ digest }) => `${digest} has lost an image`),
    ...lost
      .filter(({ subject = "" }) => after.manifests.has(subject))
      .map(({ subject }) => `${subject} has lost a referrer`),
  ];
}

test("a plan that is cut off after any item leaves no tag without its image, no index without its images, and no image without its referrers", () => {
  let prefixes = 0;
  for (const state of randomRepos(2, 5_000)) {
    const { items } = planExpiry(state);
    for (let count = 1; count <= items.length; count++) {
      const found = broken(state, without(state, items.slice(0, count)));
      if (found.length > 0) expect.fail(JSON.stringify({ found, count, items }, null, 1));
      prefixes++;
    }
  }
  expect(prefixes).toBeGreaterThan(8_000);
});

test("the tag of a signature goes after the image, and before the signature", () => {
  let followers = 0;
  for (const state of randomRepos(3, 5_000)) {
    const { items } = planExpiry(state);
    const places = new Map(items.map(({ manifest }, place) => [manifest?.digest ?? "", place]));
    const lastTag = items.findLastIndex(({ tag }) => tag);
    for (const [place, { tag }] of items.entries()) {
      const subject = places.get(tag?.subject ?? "none");
      const own = places.get(tag?.digest || "none");
      if (subject === undefined || own === undefined || subject === own) continue;
      // A subject after all tags is itself a signature.
      expect([subject < place || subject > lastTag, place < own || own < subject]).toEqual([
        true,
        true,
      ]);
      followers += Number(subject < place);
    }
  }
  expect(followers).toBeGreaterThan(100);
});

test("a plan that is cut off after any item deletes the same when it continues", () => {
  let cuts = 0;
  for (const state of randomRepos(4, 5_000)) {
    const { items } = planExpiry(state);
    for (let count = 1; count <= items.length; count++) {
      const gone = items.slice(0, count);
      const next = planExpiry(untaggedNow(state, gone), begunOf(gone, items.slice(count)));
      // A tag that is gone does not count among the newest, so another one can stay.
      if (state.rules.some(({ expire }) => expire?.beyondNewest)) continue;
      const names = (some: PlannedItem[]) =>
        some.map(({ tag, manifest }) => tag?.name ?? manifest?.digest ?? "").sort();
      expect(names(next.items)).toEqual(names(items.slice(count)));
      cuts++;
    }
  }
  expect(cuts).toBeGreaterThan(3_000);
});

/** The manifests that are left, and the tags whose subjects are gone. */
const begunOf = (gone: PlannedItem[], left: PlannedItem[]): Begun => ({
  manifests: new Map(
    left.flatMap(({ manifest, rule, reason }) =>
      manifest ? [[manifest.digest, { rule, reason }]] : [],
    ),
  ),
  tags: new Map(
    left
      .filter((one) => gone.some(({ manifest }) => manifest?.digest === (one.tag?.subject ?? "")))
      .map(({ tag, rule, reason }) => [`${tag?.name}`, { rule, reason }]),
  ),
});

/** The timers of their images start when the tags are deleted. */
function untaggedNow(state: RepoState, gone: PlannedItem[]): RepoState {
  const after = without(state, gone);
  const pointed = new Set(gone.map(({ tag }) => tag?.digest));
  const manifests = [...after.manifests].map(
    ([digest, manifest]) =>
      [digest, pointed.has(digest) ? { ...manifest, untaggedTime: state.now } : manifest] as const,
  );
  return { ...after, manifests: new Map(manifests) };
}
