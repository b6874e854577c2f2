/**
 * The benchmark of the registry with large blobs.
 * @module-tag long
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { newBlob } from "../../../bench/registry/blob.ts";
import { bareCarrier, registryCarrier } from "../../../bench/registry/blobs.ts";
import { countGoal } from "../../../bench/registry/counts.ts";
import { manifestServer } from "../../../bench/registry/manifests.ts";
import { memoryGoal } from "../../../bench/registry/memory.ts";
import {
  type Counted,
  type Filled,
  fillPlatform,
  openPlatform,
  type RunningPlatform,
} from "../../../bench/registry/platform.ts";
import { transfer } from "../../../bench/registry/transfer.ts";

const MiB = 1024 ** 2;
let folder = "";
let counted: Counted;
let filled: Filled;
let platform: RunningPlatform;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bench-registry-"));
  const bundle = await readFile(inject("bundle"), "utf8");
  ({ counted, filled } = await fillPlatform(bundle, join(folder, "data"), "latest", 40 * MiB));
  platform = await openPlatform(bundle, filled);
});
afterAll(async () => {
  await platform.stop();
  await rm(folder, { recursive: true, force: true });
});

test("a push of 40 MiB and the counted requests meet their goals", () => {
  expect(memoryGoal(counted.mostPending)).toMatchObject({ kept: true });
  expect(countGoal(counted.requests)).toMatchObject({ kept: true });
});

test("the platform and the bare Worker return the blob that they received", async () => {
  const carriers = [
    registryCarrier("platform", platform.target),
    bareCarrier("bare", platform.bareStorageUrl),
  ];
  const blob = newBlob(17 * MiB);
  for (const { push, pull } of carriers) {
    await push(blob);
    expect((await pull(blob, true)).digest).toBe(blob.digest);
  }
});

test("the bare Worker reads the manifest from D1 as the platform does, and only with a valid token", async () => {
  const { HEAD, GET } = platform.bareManifests("bare");
  const own = manifestServer("platform", platform.target, "latest", filled.digest);
  const { text } = await transfer(own.GET.url, own.GET);
  expect((await transfer(GET.url, GET)).text).toBe(text);
  expect((await transfer(HEAD.url, HEAD)).status).toBe(200);
  expect((await transfer(own.HEAD.url, own.HEAD)).status).toBe(200);
  const authorization = `Bearer ${platform.target.token.slice(0, -9)}AAAAAAAAA`;
  await expect(transfer(GET.url, { ...GET, headers: { authorization } })).rejects.toThrow();
});
