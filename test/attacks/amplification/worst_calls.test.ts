/**
 * The worst calls of a person, over and over: what they fill is bounded by the quotas of the person.
 * @module-tag long
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { largePushes, preparedPush } from "./large_pushes.ts";
import { largeRequests } from "./large_requests.ts";
import {
  measured,
  measuredRpc,
  type Owner,
  type Registry,
  startMeasuring,
  type Written,
} from "./own_writes.ts";

/** The quotas of the test are the defaults divided by this, so that the calls reach them soon. */
const share = 50;

/** The history of tags has no quota. The rate limits bound how fast it grows. */
const withoutQuota = /tag moves/;

/** The defaults, and the bytes of one, as the guide says. */
const defaults = [
  ...readFileSync(
    new URL("../../../docs/guides/clean-up-and-cost.md", import.meta.url),
    "utf8",
  ).matchAll(/^\| `(\w+)` \| ([\d,]+) \| ([\d,]+) \|/gm),
].map(([, kind = "", limit = "", bytes = ""]) => ({
  kind,
  limit: Number(limit.replaceAll(",", "")),
  bytes: Number(bytes.replaceAll(",", "")),
}));

let registry: Registry;
beforeAll(async () => {
  registry = await startMeasuring();
  for (const { kind, limit } of defaults)
    await registry.run(
      "update quotas set quota_limit = ? where organization = '' and kind = ?",
      Math.ceil(limit / share),
      kind,
    );
});
afterAll(() => registry.stop());

// It makes some 600 of the largest calls, which take two minutes together.
test("the organizations of a person stay below their quotas, however often each of the worst calls is made", {
  timeout: 600_000,
}, async () => {
  expect(defaults.length).toBeGreaterThan(20);
  const quota = defaults.reduce((sum, { limit, bytes }) => sum + (limit / share) * bytes, 0);
  const sizeOf = async () => (await registry.db.prepare("select 1").all()).meta.size_after;
  const before = await sizeOf();
  const statuses: number[] = [];
  for (const owner of [await registry.newOwner(), await registry.newOwner()])
    for (let turn = 0; turn < 6; turn += 1)
      for (const { status } of await worstCalls(owner, turn)) statuses.push(status);
  const grown = (await sizeOf()) - before;
  expect(grown).toBeLessThan(2 * quota);
  const countOf = (isWanted: (status: number) => boolean) => statuses.filter(isWanted).length;
  expect(countOf((status) => status < 300)).toBeGreaterThan(10);
  expect(countOf((status) => status === 429)).toBeGreaterThan(10);
  expect(countOf((status) => status >= 500)).toBe(0);
});

/** Makes each of the worst calls once. */
async function worstCalls(owner: Owner, turn: number): Promise<Written[]> {
  const all: Written[] = [];
  for (const { name, rpc, request } of largeRequests) {
    if (withoutQuota.test(name)) continue;
    const asked = await request(registry, owner);
    all.push(await measuredRpc(registry, owner.apiToken, rpc, asked));
  }
  for (const push of largePushes) {
    const token = owner.registryToken;
    const target = { origin: registry.origin, name: `${owner.uid}/image-${turn}`, token };
    const { path, body } = await preparedPush(target, push);
    all.push(await measured(registry, path, token, { method: "PUT", body, type: push.type }));
  }
  return all;
}
