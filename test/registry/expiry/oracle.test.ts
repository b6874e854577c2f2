/** Plans of random repositories, compared with an oracle. */
import { expect, test } from "vitest";
import { planExpiry } from "../../../src/registry/expiry/plan.ts";
import { expiredOf } from "./oracle.ts";
import { randomRepos } from "./random_repos.ts";

const sorted = (some: Iterable<string>) => [...some].sort();

test("10,000 random repositories expire by the words of the documentation", async ({
  annotate,
}) => {
  const counts = { ambiguous: 0, tags: 0, digests: 0, staying: 0 };
  for (const state of randomRepos(1, 10_000)) {
    const { items } = planExpiry(state);
    const tags = sorted(items.flatMap(({ tag }) => tag?.name ?? []));
    const digests = sorted(items.flatMap(({ manifest }) => manifest?.digest ?? []));
    const [most, least] = [expiredOf(state, Math.min), expiredOf(state, Math.max)];
    const isAmbiguous = most.digests.size > least.digests.size;
    const isRight = isAmbiguous
      ? isBetween(tags, least.tags, most.tags) && isBetween(digests, least.digests, most.digests)
      : String(tags) === String(sorted(most.tags)) &&
        String(digests) === String(sorted(most.digests));
    if (!isRight) expect.fail(JSON.stringify({ tags, digests, most, least, state }, plain, 1));
    counts.ambiguous += Number(isAmbiguous);
    counts.tags += tags.length;
    counts.digests += digests.length;
    counts.staying += state.manifests.size - digests.length;
  }
  await annotate(JSON.stringify(counts));
  expect(counts.ambiguous).toBeLessThan(100);
  expect(Math.min(counts.tags, counts.digests, counts.staying)).toBeGreaterThan(5_000);
});

/** A manifest that goes by two rules with different periods: the words do not say which one counts. */
const isBetween = (some: string[], least: Set<string>, most: Set<string>) =>
  [...least].every((one) => some.includes(one)) && some.every((one) => most.has(one));

const plain = (_: string, value: unknown) =>
  value instanceof Map || value instanceof Set ? [...value] : value;
