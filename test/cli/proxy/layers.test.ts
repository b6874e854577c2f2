/** Layers that clients push through `platformctl proxy`, with a limit of bodies and cuts in front of the registry. */
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  begin,
  digestOf,
  end,
  newImageOf,
  pullImage,
  pushBlob,
  pushImage,
  putManifest,
  send,
  sendChunk,
  someBytes,
  type Target,
} from "../../distribution/client.ts";
import { newVerified, registryToken } from "../../distribution/stored_images.ts";
import { type Organization, randomName } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import { newFolder, newStateFolder } from "../command.ts";
import { type Seen, startProxy } from "../images/proxy.ts";
import { ask, startRunning } from "./running.ts";

const mebibyte = 1024 * 1024;
/** In bytes: the largest body of a request that reaches the registry. */
const limit = 1.5 * mebibyte;

let organization: Organization;
let front: Awaited<ReturnType<typeof startProxy>>;
let running: Awaited<ReturnType<typeof startRunning>>;
let token = "";
beforeAll(async () => {
  organization = await newVerified();
  front = await startProxy(baseUrl());
  token = await registryToken(organization.owner.uid);
  running = await startRunning(["--chunk-size", "1"], {
    PLATFORM_STATE: await newStateFolder(organization, { registryUrl: front.url }),
    XDG_STATE_HOME: await newFolder(),
  });
});
afterAll(async () => {
  expect((await running.stop()).code).toBe(0);
  front.stop();
});
beforeEach(() => {
  front.seen.length = 0;
  front.change = refuseLarge;
});
afterEach(() => {
  for (const { bytes } of front.seen) expect(bytes).toBeLessThanOrEqual(limit);
});

const sizeOf = ({ headers }: Seen) => Number(headers["content-length"] ?? 0);
const refuseLarge = (one: Seen) => (sizeOf(one) > limit ? { status: 413 } : undefined);
const patches = () => front.seen.filter(({ method }) => method === "PATCH");

/** An image that does not exist yet. Its client has no login of its own. */
const newImage = (): Target => ({
  origin: running.url,
  name: `${organization.name}/${randomName("image")}`,
  token: "of the client",
});
/** The same image at the registry. */
const stored = ({ name }: Target): Target => ({ name, token });
const bytesOf = async (target: Target, digest: string) =>
  new Uint8Array(await (await send(stored(target), `blobs/${digest}`)).arrayBuffer());

/** Sends bytes without saying how many. */
const streamed = (target: Target, location: string, bytes: Uint8Array) =>
  send(target, location, { method: "PATCH", body: new Blob([bytes as never]).stream() });

test.each<[string, (target: Target, layer: Uint8Array, digest: string) => Promise<Response>]>([
  [
    "a stream, as Docker does",
    async (target, layer, digest) => {
      const location = await begin(target);
      const answer = await streamed(target, location, layer);
      expect(answer.status).toBe(202);
      expect(answer.headers.get("range")).toBe(`0-${layer.length - 1}`);
      return end(target, answer.headers.get("location") ?? "", digest);
    },
  ],
  [
    "the request that ends the upload, as BuildKit does",
    async (target, layer, digest) => end(target, await begin(target), digest, layer),
  ],
  [
    "the request that begins the upload",
    (target, layer, digest) =>
      send(target, `blobs/uploads/?digest=${digest}`, { method: "POST", body: layer }),
  ],
  [
    "two chunks",
    async (target, layer, digest) => {
      const half = layer.length / 2;
      const location = await begin(target);
      await sendChunk(target, location, layer.subarray(0, half), 0);
      await sendChunk(target, location, layer.subarray(half), half);
      return end(target, location, digest);
    },
  ],
])("a layer larger than the limit arrives whole in %s", async (_, push) => {
  const target = newImage();
  const layer = someBytes(5 * mebibyte + 2);
  const answer = await push(target, layer, digestOf(layer));
  expect(answer.status).toBe(201);
  expect(answer.headers.get("location")).toBe(`/v2/${target.name}/blobs/${digestOf(layer)}`);
  expect(answer.headers.get("docker-content-digest")).toBe(digestOf(layer));
  expect(await bytesOf(target, digestOf(layer))).toEqual(layer);
});

test("an image is pushed and pulled with the login of the proxy and not with that of the client", async () => {
  const target = newImage();
  const image = await pushImage(target, "1.0", newImageOf({ layer: someBytes(3 * mebibyte) }));
  expect(await pullImage(stored(target), "1.0")).toEqual(image);
  expect(await pullImage(target, "1.0")).toEqual(image);
  const sent = front.seen.map(({ headers }) => headers.authorization);
  expect(sent).not.toContain("Bearer of the client");
  expect(await (await send(target, "tags/list")).json()).toEqual({
    name: target.name,
    tags: ["1.0"],
  });
});

test("a small layer takes two requests", async () => {
  const target = newImage();
  const layer = someBytes(1000);
  expect((await end(target, await begin(target), digestOf(layer), layer)).status).toBe(201);
  expect(front.seen.map(({ method }) => method)).toEqual(["POST", "PUT"]);
});

test.each([
  ["in the middle of a chunk", { cutRequestAfter: 300_000 }],
  ["before the registry's answer arrives", { losesResponse: true }],
])("a connection that is cut %s continues without a lost byte", async (_, cut) => {
  const target = newImage();
  const layer = someBytes(4 * mebibyte);
  let chunks = 0;
  front.change = ({ method }) => (method === "PATCH" && ++chunks === 2 ? cut : undefined);
  const location = await begin(target);
  expect((await streamed(target, location, layer)).status).toBe(202);
  expect((await end(target, location, digestOf(layer))).status).toBe(201);
  expect(await bytesOf(target, digestOf(layer))).toEqual(layer);
  const received = patches().filter(({ status }) => status === 202 || status === 0);
  // At most the chunk that was cut is sent again.
  expect(received.length).toBeLessThanOrEqual(5);
});

test("the end of an upload is repeated if its answer was lost", async () => {
  const target = newImage();
  const layer = someBytes(1000);
  let ends = 0;
  front.change = ({ method }) =>
    method === "PUT" && ++ends === 1 ? { losesResponse: true } : undefined;
  const location = await begin(target);
  expect((await end(target, location, digestOf(layer), layer)).status).toBe(201);
  expect(await bytesOf(target, digestOf(layer))).toEqual(layer);
});

test("a client that was cut off continues at the byte that the registry names", async () => {
  const target = newImage();
  const layer = someBytes(3 * mebibyte);
  const location = await begin(target);
  const part = layer.subarray(0, 1.25 * mebibyte);
  const body = Readable.from(
    (async function* () {
      yield Buffer.from(part);
      await pause(200);
      throw new Error("the client leaves");
    })(),
  );
  await expect(ask(running.url, location, { method: "PATCH", body })).rejects.toThrow();
  const state = await send(target, location);
  expect([state.status, state.headers.get("range")]).toEqual([204, `0-${part.length - 1}`]);
  const rest = await sendChunk(target, location, layer.subarray(part.length), part.length);
  expect(rest.status).toBe(202);
  expect((await end(target, location, digestOf(layer))).status).toBe(201);
  expect(await bytesOf(target, digestOf(layer))).toEqual(layer);
});

test("a chunk in the wrong place gets 416 and the place of the next one, and breaks nothing", async () => {
  const target = newImage();
  const layer = someBytes(2000);
  const location = await begin(target);
  await sendChunk(target, location, layer.subarray(0, 1000), 0);
  const wrong = await sendChunk(target, location, layer.subarray(0, 1000), 0);
  expect([wrong.status, wrong.headers.get("range")]).toEqual([416, "0-999"]);
  await sendChunk(target, location, layer.subarray(1000), 1000);
  expect((await end(target, location, digestOf(layer))).status).toBe(201);
});

test("an error of the registry reaches the client as it is", async () => {
  const target = newImage();
  const stranger = { ...target, name: `${(await newVerified()).name}/image` };
  const answers = await Promise.all(
    [stranger, { ...stranger, origin: front.url, token }].map(async (one) => {
      const answer = await send(one, "blobs/uploads/", { method: "POST" });
      const [{ detail: _, ...error }] = (await answer.json()).errors;
      return [answer.status, error];
    }),
  );
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]?.[0]).toBe(403);
  const wrong = await end(target, await begin(target), digestOf("other"), someBytes(1000));
  const [error] = (await wrong.json()).errors;
  expect([wrong.status, error.code]).toEqual([400, "DIGEST_INVALID"]);
  expect(error.detail.requestId).toMatch(/./);
  const manifest = await putManifest(target, "1.0", newImageOf().text);
  const [missing] = (await manifest.json()).errors;
  expect([manifest.status, missing.code]).toEqual([404, "MANIFEST_BLOB_UNKNOWN"]);
});

test("a registry that fails for good is an error for the client, which can then start again", async () => {
  const target = newImage();
  const layer = someBytes(3 * mebibyte);
  const body = Buffer.from('{"errors": [{"code": "DENIED", "message": "no more space"}]}');
  front.change = ({ method }) => (method === "PATCH" ? { status: 403, body } : undefined);
  const refused = await streamed(target, await begin(target), layer);
  expect([refused.status, await refused.text()]).toEqual([403, body.toString()]);
  expect(running.err()).toContain(`${target.name}: no more space`);
  front.change = refuseLarge;
  expect(await pushBlob(target, layer)).toBe(digestOf(layer));
});

test("two pushes of the same layer at once both succeed", async () => {
  const target = newImage();
  const layer = someBytes(3 * mebibyte);
  const digest = digestOf(layer);
  const push = async () => {
    const location = await begin(target);
    await streamed(target, location, layer);
    return (await end(target, location, digest)).status;
  };
  expect(await Promise.all([push(), push(), push()])).toEqual([201, 201, 201]);
  expect(await bytesOf(target, digest)).toEqual(layer);
});

test("the proxy takes at most two chunks of a client that the registry does not take", async () => {
  const target = newImage();
  const { promise: hold, resolve: release } = Promise.withResolvers<void>();
  front.change = ({ method }) => (method === "PATCH" ? { hold } : undefined);
  let taken = 0;
  const total = 60 * mebibyte;
  const piece = Buffer.from(someBytes(64 * 1024));
  const body = Readable.from(
    (async function* () {
      for (; taken < total; taken += piece.length) yield piece;
    })(),
  );
  const answered = ask(running.url, await begin(target), { method: "PATCH", body });
  await expect.poll(() => patches().length).toBe(1);
  let before = -1;
  // The buffers of the system between the client and the proxy fill up, too.
  await expect
    .poll(
      () => {
        const isStill = taken === before;
        before = taken;
        return isStill;
      },
      { interval: 300, timeout: 10_000 },
    )
    .toBe(true);
  expect(taken).toBeGreaterThan(2 * mebibyte);
  expect(taken).toBeLessThan(20 * mebibyte);
  release();
  expect((await answered).status).toBe(202);
  expect(taken).toBe(total);
});
