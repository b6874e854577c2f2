/** A cluster that rolls: up to 200 nodes pull one image of 20 layers at once. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { costOf } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import {
  configType,
  descriptorOf,
  digestOf,
  layerType,
  manifestType,
  pushBlob,
  putManifest,
  send,
  someBytes,
  type Target,
} from "../client.ts";
import { startOwnRegistry } from "../own_registry.ts";

const nodesOf = { "its organization": 200, anyone: 60 };

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
beforeAll(async () => {
  registry = await startOwnRegistry({ rateLimits: {}, bindings: { RATE_LIMITS: "{}" } });
  await registry.run("update groups set name = 'public' where uid = ?", registry.organization);
});
afterAll(() => registry.stop());

/** Pushes an image of 20 layers. Returns the paths that a node reads. */
async function push(target: Target): Promise<string[]> {
  const layers = Array.from({ length: 20 }, () => someBytes(2_000));
  const config = JSON.stringify({ architecture: "amd64", os: "linux", rootfs: {} });
  for (const bytes of [...layers, config]) await pushBlob(target, bytes);
  const text = JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config: descriptorOf(config, configType),
    layers: layers.map((bytes) => descriptorOf(bytes, layerType)),
  });
  expect((await putManifest(target, "latest", text)).status).toBe(201);
  return [
    "manifests/latest",
    `manifests/${digestOf(text)}`,
    ...[config, ...layers].map((bytes) => `blobs/${digestOf(bytes)}`),
  ];
}

test.for(["its organization", "anyone"] as const)(
  "all get everything, each request reads D1 at most once, and the pulls are a few rows: as %s",
  { ...long, timeout: 300_000 },
  async (who) => {
    const nodes = nodesOf[who];
    const owner = await registry.newTarget("rolling");
    const paths = await push(owner);
    const node = async (): Promise<Target> => {
      if (who === "its organization") return owner;
      const path = "/token?scope=repository:public/rolling:pull";
      const asked = await fetch(`${registry.origin}${path}`);
      return {
        ...owner,
        name: "public/rolling",
        token: ((await asked.json()) as { token: string }).token,
      };
    };
    const statuses = new Map<number, number>();
    let roundTrips = 0;
    let most = 0;
    const run = async () => {
      const target = await node();
      for (const path of paths) {
        const answer = await send(target, path);
        await answer.arrayBuffer();
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const { roundTrips: own } = costOf(answer);
        roundTrips += own;
        most = Math.max(most, own);
      }
    };
    await Promise.all(Array.from({ length: nodes }, run));
    expect([...statuses]).toEqual([[200, nodes * paths.length]]);
    expect(most).toBeLessThanOrEqual(1);
    // From the cache, a path reads D1 only until its first answer is there, and again when its time has passed.
    if (who === "anyone") expect(roundTrips).toBeLessThan((nodes * paths.length) / 2);
    const pulls = () =>
      registry.run<{ pulls: number }>(
        "select sum(pulls) as pulls, count(*) < 3 as few from tag_pulls where identity = ?",
        who === "anyone" ? "" : registry.owner,
      );
    await expect.poll(pulls, { timeout: 20_000 }).toEqual([{ pulls: nodes, few: 1 }]);
  },
);
