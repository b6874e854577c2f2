/** A call with validate_only reports exactly the changes that the real call makes. */
import { expect, test } from "vitest";
import type { AccessChange } from "../../../client/index.ts";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { callRest } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { accessOf, moreIn } from "./effective_access.ts";
import { nextWrite, type RandomWrite } from "./random_writes.ts";
import { newSmallWorld, readRows, type SmallWorld } from "./small_world.ts";

const numberOf = (name: string) => Capability[name as keyof typeof Capability];

function holderOf({ identity, externalGroup, tokens }: AccessChange): string {
  if (identity) return identity.uid ?? "";
  if (tokens) return `tokens:${tokens.identityUid}:${tokens.issuer}:${tokens.subject}`;
  return `external:${externalGroup?.identityProviderUid}:${externalGroup?.externalGroupId}`;
}

/** A reported change as `holder group capability` for each group that it covers. */
function expanded(changes: AccessChange[], kind: "gained" | "lost", groups: string[]): string[] {
  const isWithin = (upper = "", uid: string) => uid === upper || uid.startsWith(`${upper}/`);
  const entries = changes.flatMap((change) => {
    const { group, unchangedGroups = [] } = change;
    const covered = groups.filter(
      (uid) => isWithin(group?.uid, uid) && !unchangedGroups.some((one) => isWithin(one.uid, uid)),
    );
    return covered.flatMap((uid) =>
      (change[kind] ?? []).map((name) => `${holderOf(change)} ${uid} ${numberOf(name)}`),
    );
  });
  expect(new Set(entries).size, "an entry is reported twice").toBe(entries.length);
  return entries.sort();
}

const isOfTokens = (entry: string) => entry.startsWith("tokens:");

const seen = { accepted: 0, refused: 0, unchangedGroups: 0, tokens: 0, external: 0, identity: 0 };

/** Makes the write with validate_only and then for real. Compares what the first one reports with the rows. */
async function expectPreviewed(world: SmallWorld, write: RandomWrite): Promise<void> {
  const { method, path, body } = write;
  const { token } = world.organization.owner;
  const before = await readRows(world);
  const asked = { method, token, ...(body ? { body } : {}) };
  const checked = await callRest(`${path}?validateOnly=true`, asked);
  expect(await readRows(world)).toEqual(before);
  const real = await callRest(path, asked);
  const what = JSON.stringify({ write, answer: checked.body }, null, 1);
  expect(checked.status, what).toEqual(real.status);
  if (real.status !== 200) {
    expect(checked.body).toEqual(real.body);
    seen.refused += 1;
    return;
  }
  const { changes = [], hasMore, hidden } = checked.body.accessChanges;
  expect([hasMore, hidden]).toEqual([false, false]);
  const [had, has] = [accessOf(before), accessOf(await readRows(world))];
  // Other writes do not change which tokens an identity accepts, and they name only the identity.
  const isRelationship = method === "PATCH" && path.includes("/identities/");
  const relevant = (entry: string) => isOfTokens(entry) === isRelationship;
  const gains = expanded(changes, "gained", before.groups);
  expect(gains, what).toEqual(moreIn(has, had).filter(relevant));
  const losses = expanded(changes, "lost", before.groups);
  expect(losses, what).toEqual(moreIn(had, has).filter(relevant));
  const count = (test: (one: AccessChange) => boolean) => (changes.some(test) ? 1 : 0);
  seen.accepted += 1;
  seen.unchangedGroups += count(({ unchangedGroups = [] }) => unchangedGroups.length > 0);
  seen.tokens += count(({ tokens }) => tokens !== undefined);
  seen.external += count(({ externalGroup }) => externalGroup !== undefined);
  seen.identity += count(({ identity }) => identity !== undefined);
}

async function expectPreviews(seed: number, writes: number): Promise<void> {
  const world = await newSmallWorld(seed);
  for (let at = 0; at < writes; at++) await expectPreviewed(world, await nextWrite(world));
}

test(
  "the gains and losses of 12 random writes are the difference of the access before and after them",
  long,
  () => expectPreviews(4, 12),
);

test("so are those of 120 random writes, which reach every kind of change", long, async () => {
  for (const seed of [1, 2, 3]) await expectPreviews(seed, 40);
  // The choices reach every kind of change.
  expect(Object.entries(seen).filter(([, number]) => number === 0)).toEqual([]);
});
