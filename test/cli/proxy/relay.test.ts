/** Pulls, lists and deletions through `platformctl proxy`, and its login. */
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  begin,
  digestOf,
  end,
  type Image,
  newImageOf,
  pushImage,
  send,
  someBytes,
  type Target,
} from "../../distribution/client.ts";
import { newVerified, publicImage, registryToken } from "../../distribution/stored_images.ts";
import { type Organization, randomName } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import { startAnonymous } from "../anonymous.ts";
import { newFolder, newStateFolder } from "../command.ts";
import { startProxy } from "../images/proxy.ts";
import { ask, startRunning } from "./running.ts";

let organization: Organization;
let front: Awaited<ReturnType<typeof startProxy>>;
let running: Awaited<ReturnType<typeof startRunning>>;
let image: Image;
let target: Target;
let direct: Target;
beforeAll(async () => {
  organization = await newVerified();
  front = await startProxy(baseUrl());
  running = await startRunning([], await newEnv());
  const name = `${organization.name}/${randomName("image")}`;
  direct = { name, token: await registryToken(organization.owner.uid) };
  target = { name, token: "of the client", origin: running.url };
  image = await pushImage(direct, "1.0", newImageOf({ layer: someBytes(3_000_000) }));
});
afterAll(async () => {
  await running.stop();
  front.stop();
});
beforeEach(() => {
  front.seen.length = 0;
  front.change = () => undefined;
});

const newEnv = async (): Promise<NodeJS.ProcessEnv> => ({
  PLATFORM_STATE: await newStateFolder(organization, { registryUrl: front.url }),
  XDG_STATE_HOME: await newFolder(),
});

const layerPath = () => `blobs/${JSON.parse(image.text).layers[0].digest}`;
const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer());

test("a pull whose connection is cut continues, and the client gets each byte once", async () => {
  let reads = 0;
  front.change = ({ path, method }) =>
    method === "GET" && path.endsWith(layerPath()) && ++reads <= 2
      ? { cutResponseAfter: 1_000_000 }
      : undefined;
  expect(await bytesOf(await send(target, layerPath()))).toEqual(image.layer);
  expect(reads).toBe(3);
  reads = 0;
  const headers = { range: "bytes=100-2500000" };
  const part = await send(target, layerPath(), { headers });
  expect([part.status, part.headers.get("content-range")]).toEqual([
    206,
    `bytes 100-2500000/${image.layer.length}`,
  ]);
  expect(await bytesOf(part)).toEqual(image.layer.subarray(100, 2_500_001));
});

test("a rest that is shorter than it was asked for is asked for again", async () => {
  let reads = 0;
  front.change = ({ path, method, headers }) => {
    if (method !== "GET" || !path.endsWith(layerPath())) return undefined;
    if (++reads === 1) return { cutResponseAfter: 1_000_000 };
    const start = Number(/\d+/.exec(headers.range ?? "")?.[0]);
    const range = { "content-range": `bytes ${start}-${start + 99_999}/${image.layer.length}` };
    const body = Buffer.from(image.layer.subarray(start, start + 100_000));
    return reads === 2 ? { status: 206, headers: range, body } : undefined;
  };
  expect(await bytesOf(await send(target, layerPath()))).toEqual(image.layer);
});

test("a read whose If-Range did not match continues with the bytes that it lacks", async () => {
  let reads = 0;
  front.change = ({ path, method }) =>
    method === "GET" && path.endsWith(layerPath()) && ++reads === 1
      ? { cutResponseAfter: 1_000_000 }
      : undefined;
  const headers = { range: "bytes=100-", "if-range": '"other"' };
  const whole = await send(target, layerPath(), { headers });
  expect(whole.status).toBe(200);
  expect(await bytesOf(whole)).toEqual(image.layer);
});

test.each([
  ["other bytes than it was asked for", 206, { "content-range": "bytes 0-9/10" }],
  ["more bytes than it was asked for", 206, undefined],
  ["the whole layer again", 200, {}],
])("if the registry returns %s after a cut, the client sees the cut", async (_, status, own) => {
  let reads = 0;
  front.change = ({ path, method, headers }) => {
    if (method !== "GET" || !path.endsWith(layerPath())) return undefined;
    if (++reads === 1) return { cutResponseAfter: 1_000_000 };
    const [start, last] = headers.range?.match(/\d+/g) ?? [];
    const more = { "content-range": `bytes ${start}-${Number(last) + 10}/4000000` };
    const body = Buffer.alloc(own ? 10 : Number(last) - Number(start) + 11);
    return { status, headers: own ?? more, body };
  };
  await expect(send(target, layerPath()).then(bytesOf)).rejects.toThrow();
  expect(reads).toBe(2);
});

test("a client that gets only a part of a layer sees the cut", async () => {
  front.change = ({ path, method }) =>
    method === "GET" && path.endsWith(layerPath()) ? { cutResponseAfter: 0 } : undefined;
  await expect(send(target, layerPath()).then(bytesOf)).rejects.toThrow();
});

test.each<[string, string, string]>([
  ["GET", "a manifest", "manifests/1.0"],
  ["HEAD", "a manifest", "manifests/1.0"],
  ["HEAD", "a layer", "LAYER"],
  ["GET", "a list of tags", "tags/list"],
  ["GET", "the referrers", "referrers/DIGEST"],
  ["GET", "a tag that does not exist", "manifests/2.0"],
  ["HEAD", "a tag that does not exist", "manifests/2.0"],
  ["GET", "the catalog", "/v2/_catalog"],
  ["GET", "the contents", "_vendor/images/DIGEST"],
  ["GET", "a history", "_vendor/history/1.0"],
])("%s of %s is the answer of the registry", async (method, _, path) => {
  const place = path.replace("LAYER", layerPath()).replace("DIGEST", image.digest);
  const [through, own] = await Promise.all(
    [target, direct].map(async (one) => {
      const answer = await send(one, place, { method });
      const { date: _date, "x-request-id": _id, ...headers } = Object.fromEntries(answer.headers);
      const text = (await answer.text()).replace(/"requestId":"[^"]+"/, "");
      return { status: answer.status, type: headers["content-type"], headers, text };
    }),
  );
  expect(through?.text).toBe(own?.text);
  expect([through?.status, through?.type]).toEqual([own?.status, own?.type]);
  for (const name of ["docker-content-digest", "etag", "content-length", "accept-ranges"])
    expect(through?.headers[name]).toBe(own?.headers[name]);
});

test("pages of a list and uploads lead back to the proxy", async () => {
  await pushImage(direct, "2.0", image);
  const page = await send(target, "tags/list?n=1");
  expect(page.headers.get("link")).toMatch(/^<\/v2\/.*rel="next"$/);
  const begun = await send(target, "blobs/uploads/", { method: "POST" });
  expect(begun.headers.get("location")).toMatch(/^\/v2\//);
});

test("a layer of another repository is mounted without its bytes", async () => {
  const other = { ...target, name: `${organization.name}/${randomName("image")}` };
  const digest = layerPath().replace("blobs/", "");
  const query = new URLSearchParams({ mount: digest, from: target.name });
  const mounted = await send(other, `blobs/uploads/?${query}`, { method: "POST" });
  expect(mounted.status).toBe(201);
  expect(mounted.headers.get("location")).toBe(`/v2/${other.name}/blobs/${digest}`);
});

test("an image is deleted through the proxy", async () => {
  const name = `${organization.name}/${randomName("image")}`;
  const { digest } = await pushImage({ ...direct, name }, "1.0");
  const deleted = await send({ ...target, name }, `manifests/${digest}`, { method: "DELETE" });
  expect(deleted.status).toBe(202);
  expect((await send({ ...direct, name }, "manifests/1.0")).status).toBe(404);
});

test("a rate limit is waited for, so that clients do not see it", async () => {
  let refusals = 2;
  const limited = { status: 429, headers: { "retry-after": "1" } };
  front.change = () => (refusals-- > 0 ? limited : undefined);
  expect((await send(target, "tags/list")).status).toBe(200);
});

test("a registry that does not respond is an error with its address", async () => {
  front.change = () => ({ cutRequestAfter: -1, losesResponse: true });
  const answer = await ask(running.url, "/v2/");
  const [{ code, message }] = JSON.parse(answer.body).errors;
  expect([answer.status, code]).toEqual([502, "UNAVAILABLE"]);
  expect(message).toContain(front.url);
});

test("a layer that takes more than an hour holds up no other one, and arrives", async () => {
  const layer = someBytes(1_000);
  const location = await begin(target);
  const rest = Promise.withResolvers<void>();
  const body = Readable.from(
    (async function* () {
      yield Buffer.from(layer.subarray(0, 500));
      await rest.promise;
      yield Buffer.from(layer.subarray(500));
    })(),
  );
  const path = new URL(location, running.url);
  const sent = ask(running.url, path.pathname + path.search, { method: "PATCH", body });
  await vi.waitFor(() => expect(front.seen).toHaveLength(1));
  await pause(100);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61 * 60_000 });
  try {
    await begin(target);
    rest.resolve();
    expect((await sent).status).toBe(202);
    await begin(target);
    expect((await end(target, location, digestOf(layer))).status).toBe(201);
  } finally {
    rest.resolve();
    vi.useRealTimers();
  }
});

const tokens = () => front.seen.map(({ headers }) => headers.authorization);

test("the login is renewed before it expires", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_570_000 });
  const own = await startRunning([], await newEnv());
  try {
    expect((await ask(own.url, "/v2/")).status).toBe(200);
    vi.useRealTimers();
    expect((await ask(own.url, "/v2/")).status).toBe(200);
    expect(new Set(tokens()).size).toBe(2);
  } finally {
    vi.useRealTimers();
    await own.stop();
  }
});

test("a login that the registry no longer takes is renewed, and the client does not notice", async () => {
  let refusals = 1;
  front.change = () => (refusals-- > 0 ? { status: 401 } : undefined);
  expect((await send(target, "tags/list")).status).toBe(200);
  expect(new Set(tokens()).size).toBe(2);
});

test("the client is not sent to log in by itself", async () => {
  front.change = () => ({ status: 401, headers: { "www-authenticate": 'Bearer realm="x"' } });
  const answer = await send(target, "tags/list");
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, null]);
});

test("without a login, public images can be read and nothing else", async () => {
  const anonymous = await startAnonymous();
  const own = await startRunning([], anonymous.env);
  try {
    expect(own.err()).toBe("You are not logged in, so only public images work.\n");
    expect((await ask(own.url, "/v2/")).status).toBe(200);
    const { name } = await publicImage(["latest"]);
    const listed = await ask(own.url, `/v2/${name}/tags/list`);
    expect([listed.status, JSON.parse(listed.body).name]).toEqual([200, name]);
    const refused = await ask(own.url, `/v2/${target.name}/manifests/1.0`);
    expect([refused.status, JSON.parse(refused.body).errors[0].code]).toEqual([
      401,
      "UNAUTHORIZED",
    ]);
  } finally {
    await own.stop();
    anonymous.stop();
  }
});
