/**
 * Layers that `platformctl proxy` sends to R2 directly.
 * @module-tag long
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  begin,
  digestOf,
  end,
  outcome,
  send,
  sendChunk,
  someBytes,
} from "../../distribution/client.ts";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { type Organization, randomName } from "../../world/personas.ts";
import { newFolder, newStateFolder } from "../command.ts";
import { type Seen, startProxy } from "../images/proxy.ts";
import { startRunning } from "./running.ts";

const mebibyte = 1024 * 1024;
/** Three parts of 64 MiB at most. Each test sends the layer through three proxies, in seconds of processor time. */
const layer = someBytes(129 * mebibyte);
const digest = digestOf(layer);
const slow = { timeout: 120_000 };

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let front: Awaited<ReturnType<typeof startProxy>>;
let bucket: Awaited<ReturnType<typeof startProxy>>;
let running: Awaited<ReturnType<typeof startRunning>>;
let env: NodeJS.ProcessEnv = {};
beforeAll(async () => {
  // The S3 API checks the host of a signed request, so the URLs must name the proxy.
  let upstream = "";
  bucket = await startProxy(() => upstream);
  const bindings = { S3_URL: `${bucket.url}/cdn-cgi/local/r2/s3/platform-blobs` };
  registry = await startOwnRegistry({ hasS3: true, bindings });
  upstream = registry.s3Origin;
  front = await startProxy(registry.origin);
  const { uid, name } = { uid: registry.organization, name: "own" };
  const organization = { uid, name, owner: { uid: registry.owner, token: "" } } as Organization;
  env = {
    PLATFORM_STATE: await newStateFolder(organization, { registryUrl: front.url }),
    XDG_STATE_HOME: await newFolder(),
  };
});
afterAll(async () => {
  front.stop();
  bucket.stop();
  await registry.stop();
});
beforeEach(async () => {
  running = await startRunning(["--chunk-size", "8"], env);
  // Otherwise the registry would mount the layer of an earlier test.
  await registry.run("delete from blob_links");
});
afterEach(async () => {
  await running.stop();
  for (const proxy of [front, bucket]) {
    proxy.seen.length = 0;
    proxy.change = () => undefined;
  }
});

const newTarget = async (name = randomName("image")) => ({
  ...(await registry.newTarget(name)),
  origin: running.url,
});
const partOf = ({ path }: Seen) =>
  Number(new URL(path, "http://x").searchParams.get("partNumber") ?? 0);
const parts = () => bucket.seen.filter(({ method }) => method === "PUT").map(partOf);
const chunks = () => front.seen.filter(({ method }) => method === "PATCH").length;
const records = async () =>
  readdir(join(env.XDG_STATE_HOME ?? "", "platform/uploads")).catch(() => []);

async function push(target: Awaited<ReturnType<typeof newTarget>>, bytes = layer) {
  const location = await begin(target);
  const half = 65 * mebibyte;
  expect((await sendChunk(target, location, bytes.subarray(0, half), 0)).status).toBe(202);
  const state = await send(target, location);
  expect([state.status, state.headers.get("range")]).toEqual([204, `0-${half - 1}`]);
  expect((await sendChunk(target, location, bytes.subarray(half), half)).status).toBe(202);
  return end(target, location, digest);
}

test("a layer goes to R2 in parts and not through the registry", slow, async () => {
  const target = await newTarget();
  expect((await push(target)).status).toBe(201);
  expect(parts().sort()).toEqual([1, 2, 3]);
  expect(chunks()).toBe(0);
  for (const { headers } of bucket.seen) expect(headers.authorization).toBeUndefined();
  const pulled = await send(target, `blobs/${digest}`);
  expect(digestOf(new Uint8Array(await pulled.arrayBuffer()))).toBe(digest);
  expect(await records()).toEqual([]);
});

test("two pushes of the same layer at once send its bytes once", slow, async () => {
  const target = await newTarget();
  const answers = await Promise.all([push(target), push(target)]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  expect(parts().sort()).toEqual([1, 2, 3]);
  // Nothing is left of the upload that was not needed.
  expect(await registry.run("select id from uploads")).toEqual([]);
});

test(
  "a proxy that starts later continues after the last part of the one before",
  slow,
  async () => {
    const target = await newTarget();
    bucket.change = (one) => (partOf(one) === 3 ? { status: 503 } : undefined);
    expect((await push(target)).status).toBe(502);
    expect((await records()).length).toBe(1);
    await running.stop();
    running = await startRunning(["--chunk-size", "8"], env);
    bucket.seen.length = 0;
    bucket.change = () => undefined;
    expect((await push({ ...target, origin: running.url })).status).toBe(201);
    expect(parts()).toEqual([3]);
  },
);

test("bytes with another digest do not leave this machine", slow, async () => {
  const wrong = Uint8Array.from(layer);
  wrong[1000] = (wrong[1000] ?? 0) ^ 1;
  expect(await outcome(push(await newTarget(), wrong))).toEqual([400, "DIGEST_INVALID"]);
  expect(parts()).toEqual([]);
});

test("without disk space for the whole layer it goes in chunks", slow, async () => {
  await running.stop();
  running = await startRunning(["--chunk-size", "8", "--spool-size", "0.05"], env);
  const target = await newTarget();
  const location = await begin(target);
  expect((await sendChunk(target, location, layer, 0)).status).toBe(202);
  expect((await end(target, location, digest)).status).toBe(201);
  expect(parts()).toEqual([]);
  expect(chunks()).toBeGreaterThan(15);
  const sizes = front.seen.map(({ bytes }) => bytes);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(8 * mebibyte);
});

test("if R2 cannot be reached, the layer goes in chunks", slow, async () => {
  bucket.change = () => ({ cutRequestAfter: 0 });
  const target = await newTarget();
  expect((await push(target)).status).toBe(201);
  expect(chunks()).toBeGreaterThan(15);
});
