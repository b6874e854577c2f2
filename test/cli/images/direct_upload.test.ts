/** Pushes of layers that go to R2 directly, and pulls from there. Two proxies see and change the requests. */
import { rm } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { digestOf, pullImage, send, someBytes } from "../../distribution/client.ts";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { type Organization, randomName } from "../../world/personas.ts";
import { long } from "../../world/tiers.ts";
import { commandsOf, newFolder, newStateFolder } from "../command.ts";
import { newLayout } from "./layouts.ts";
import { type Seen, startProxy } from "./proxy.ts";

const partSize = 64 * 1024 * 1024;
/** Each test sends the layer through two proxies, in seconds of processor time. */
const slow = { timeout: 120_000 };

/** Two parts. */
const layer = someBytes(partSize + 5_000_000);

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let front: Awaited<ReturnType<typeof startProxy>>;
let bucket: Awaited<ReturnType<typeof startProxy>>;
let platformctl: Awaited<ReturnType<typeof commandsOf>>;
let env: NodeJS.ProcessEnv = {};
let layout = "";
beforeAll(async () => {
  // The S3 API checks the host of a signed request, so the URLs must name the proxy.
  let upstream = "";
  bucket = await startProxy(() => upstream);
  registry = await startOwnRegistry({
    hasS3: true,
    bindings: {
      S3_URL: `${bucket.url}/cdn-cgi/local/r2/s3/platform-blobs`,
      REDIRECT_PULLS: "true",
    },
  });
  upstream = registry.s3Origin;
  front = await startProxy(registry.origin);
  const { uid, name } = { uid: registry.organization, name: "own" };
  const organization = { uid, name, owner: { uid: registry.owner, token: "" } } as Organization;
  platformctl = await commandsOf(organization);
  env = {
    PLATFORM_STATE: await newStateFolder(organization, { registryUrl: front.url }),
    XDG_STATE_HOME: await newFolder(),
  };
  ({ folder: layout } = await newLayout([layer]));
});
afterAll(async () => {
  front.stop();
  bucket.stop();
  await registry.stop();
  await rm(layout, { recursive: true });
});
afterEach(() => {
  for (const proxy of [front, bucket]) {
    proxy.seen.length = 0;
    proxy.change = () => undefined;
  }
});

/** Pushes the layer to a new image, whose repository has nothing yet. */
async function push(name = randomName("image")) {
  const image = `${registry.organization}/${name}`;
  // Otherwise the registry would mount the layer of an earlier test.
  await registry.run("delete from blob_links");
  const args = ["push", layout, image, "--chunk-size", "8", "--json"];
  const { code, out, err } = await platformctl(args, { env });
  return { code, err, name, target: { ...(await registry.newTarget(name)), image }, out };
}

const partOf = ({ path }: Seen) =>
  Number(new URL(path, "http://x").searchParams.get("partNumber") ?? 0);
const partsSent = () =>
  bucket.seen.filter(({ method }) => method === "PUT").map((one) => [partOf(one), one.status]);
const chunks = () => front.seen.filter(({ method }) => method === "PATCH").length;

test("a layer goes to R2 in parts and not through the registry, and is pulled from there", {
  ...slow,
  ...long,
}, async () => {
  const { code, err, target } = await push();
  expect([code, err]).toEqual([0, ""]);
  expect(partsSent()).toEqual([
    [1, 200],
    [2, 200],
  ]);
  expect(chunks()).toBe(0);
  for (const { headers } of bucket.seen) expect(headers.authorization).toBeUndefined();
  expect(digestOf((await pullImage(target, "latest")).layer)).toBe(digestOf(layer));
  bucket.seen.length = 0;
  const folder = `${await newFolder()}/pulled`;
  const pulled = await platformctl(["pull", target.image, folder], { env });
  expect(pulled.code).toBe(0);
  expect(bucket.seen.map(({ method }) => method)).toContain("GET");
});

test("after a cut, only the part that was cut is sent again", { ...slow, ...long }, async () => {
  let cuts = 0;
  bucket.change = (one) =>
    partOf(one) === 2 && cuts++ === 0 ? { cutRequestAfter: 1_000_000 } : undefined;
  const { code, target } = await push();
  expect(code).toBe(0);
  expect(partsSent().map(([part]) => part)).toEqual([1, 2, 2]);
  expect((await send(target, `blobs/${digestOf(layer)}`, { method: "HEAD" })).status).toBe(200);
});

test("the next run continues after the last part of the run that failed", {
  ...slow,
  ...long,
}, async () => {
  bucket.change = (one) => (partOf(one) === 2 ? { status: 503 } : undefined);
  const failed = await push();
  expect([failed.code, failed.err]).toEqual([3, expect.stringContaining("503")]);
  bucket.seen.length = 0;
  bucket.change = () => undefined;
  const image = `${registry.organization}/${failed.name}`;
  const again = await platformctl(["push", layout, image, "--chunk-size", "8"], { env });
  expect(again.code).toBe(0);
  expect(partsSent()).toEqual([[2, 200]]);
});

test("new URLs are used when the old ones have expired", { ...slow, ...long }, async () => {
  let refused = 0;
  bucket.change = (one) => (partOf(one) === 2 && refused++ === 0 ? { status: 403 } : undefined);
  expect((await push()).code).toBe(0);
  const plans = front.seen.filter(({ path, method }) => method === "POST" && /_vendor/.test(path));
  expect(plans).toHaveLength(2);
});

test("the layer goes through the registry if R2 cannot be reached", {
  ...slow,
  ...long,
}, async () => {
  bucket.change = () => ({ cutRequestAfter: 0 });
  const { code, target } = await push();
  expect(code).toBe(0);
  expect(chunks()).toBeGreaterThan(5);
  expect((await send(target, `blobs/${digestOf(layer)}`, { method: "HEAD" })).status).toBe(200);
});

test("parts that R2 has lost are sent again", { ...slow, ...long }, async () => {
  let ended = 0;
  front.change = ({ method, path }) => {
    const isEnd = method === "PUT" && /_vendor\/uploads/.test(path) && ended++ === 0;
    const body = Buffer.from('{"errors":[{"code":"BLOB_UPLOAD_INVALID","message":"lost"}]}');
    return isEnd ? { status: 400, body } : undefined;
  };
  expect((await push()).code).toBe(0);
  expect(partsSent().map(([part]) => part)).toEqual([1, 2, 1, 2]);
});
