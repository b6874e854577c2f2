/** Many callers of a mirror at once, callers that leave, and upstreams that hang. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { expectLog } from "../../world/logs.ts";
import {
  digestOf,
  newImageOf,
  outcome,
  pullImage,
  send,
  someBytes,
  type Target,
} from "../client.ts";
import { startOwnRegistry } from "../own_registry.ts";
import { mirrorIn } from "./mirrors.ts";
import { startUpstream, type TestUpstream } from "./upstream.ts";

let upstream: TestUpstream;
let registry: Awaited<ReturnType<typeof startOwnRegistry>>;

beforeAll(async () => {
  upstream = await startUpstream();
  registry = await startOwnRegistry({ bindings: { UPLOAD_STALL_SECONDS: "2" } });
});
afterAll(async () => {
  await Promise.all([upstream.close(), registry.stop()]);
});
beforeEach(() => {
  upstream.behave();
  upstream.forget();
});

const newMirror = (path: string, more: object = {}) =>
  mirrorIn(registry, { address: `${upstream.host}/${path}`, revalidateAfter: "0s", ...more });

const bytesOf = async (target: Target, digest: string) => {
  const answer = await send(target, `blobs/${digest}`);
  return new Uint8Array(await answer.arrayBuffer());
};

test("many callers at once get a manifest and a layer with one fetch of each", async () => {
  const image = upstream.put("busy/app", "v1", newImageOf({ layer: someBytes(2_000_000) }));
  const mirror = await newMirror("busy/app", { revalidateAfter: "60s" });
  upstream.behave(async () => {
    await pause(200);
    return false;
  });
  const all = Array.from({ length: 30 }, () => send(mirror, "manifests/v1"));
  for (const answer of await Promise.all(all)) {
    expect([answer.status, await answer.text()]).toEqual([200, image.text]);
  }
  expect(upstream.asked("manifests/v1")).toEqual(["GET /v2/busy/app/manifests/v1"]);
  const digest = digestOf(image.layer);
  const layers = await Promise.all(Array.from({ length: 20 }, () => bytesOf(mirror, digest)));
  for (const layer of layers) expect(layer).toEqual(image.layer);
  expect(upstream.asked(digest)).toEqual([`GET /v2/busy/app/blobs/${digest}`]);
});

test("a lease of another isolate holds up a pull until it runs out", async () => {
  const image = upstream.put("lease/app", "v1");
  const mirror = await newMirror("lease/app");
  const until = Date.now() + 1_500;
  await registry.run(
    "insert into mirror_fetches (repo_uid, reference, holder, expire_time) values (?, ?, 'other', ?)",
    ...[mirror.uid, "lease/app v1", until],
  );
  // It waits for the other one, finds that nothing was stored, and fetches itself.
  expect((await send(mirror, "manifests/v1")).status).toBe(200);
  expect(Date.now()).toBeGreaterThanOrEqual(until);
  expect(await pullImage(mirror, "v1")).toEqual(image);
});

test("an organization has a bound of fetches at once", async () => {
  upstream.put("bound/app", "v1");
  const mirror = await newMirror("bound/app");
  for (let index = 0; index < 40; index += 1) {
    await registry.run(
      "insert into mirror_fetches (repo_uid, reference, holder, expire_time) values (?, ?, 'other', ?)",
      ...[mirror.uid, `other/image v${index}`, Date.now() + 60_000],
    );
  }
  const answer = await send(mirror, "manifests/v1");
  expect(await outcome(answer)).toEqual([503, "UNAVAILABLE"]);
  expect(answer.headers.get("retry-after")).toBe("5");
  expect(upstream.asked()).toEqual([]);
});

test("a caller that leaves does not cut the layer for the others", async () => {
  const image = upstream.put("leave/app", "v1", newImageOf({ layer: someBytes(4_000_000) }));
  const mirror = await newMirror("leave/app");
  await send(mirror, "manifests/v1");
  const digest = digestOf(image.layer);
  upstream.behave(({ path }, response) => {
    if (!path.includes(digest)) return false;
    response.writeHead(200, { "content-length": image.layer.length });
    void (async () => {
      for (let start = 0; start < image.layer.length; start += 400_000) {
        response.write(image.layer.subarray(start, start + 400_000));
        await pause(50);
      }
      response.end();
    })();
    return true;
  });
  const leaving = new AbortController();
  const answer = await fetch(`${mirror.origin}/v2/${mirror.name}/blobs/${digest}`, {
    headers: { authorization: `Bearer ${mirror.token}` },
    signal: leaving.signal,
  });
  await answer.body?.getReader().read();
  leaving.abort();
  expect(await bytesOf(mirror, digest)).toEqual(image.layer);
  expect(upstream.asked(digest)).toHaveLength(1);
});

test("a layer arrives while it is fetched, and not only after it", async () => {
  const image = upstream.put("stream/app", "v1", newImageOf({ layer: someBytes(1_000_000) }));
  const mirror = await newMirror("stream/app");
  await send(mirror, "manifests/v1");
  const digest = digestOf(image.layer);
  let finish = () => {};
  upstream.behave(({ path }, response) => {
    if (!path.includes(digest)) return false;
    response.writeHead(200, { "content-length": image.layer.length });
    response.write(image.layer.subarray(0, 900_000));
    finish = () => void response.end(image.layer.subarray(900_000));
    return true;
  });
  const answer = await send(mirror, `blobs/${digest}`);
  const reader = answer.body?.getReader();
  let taken = 0;
  while (taken < 500_000) taken += (await reader?.read())?.value?.byteLength ?? 0;
  finish();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    taken += value?.byteLength ?? 0;
  }
  expect(taken).toBe(image.layer.length);
});

test("an upstream that hangs is given up, and what is here is served", async () => {
  const image = upstream.put("hang/app", "latest");
  const mirror = await newMirror("hang/app");
  await pullImage(mirror, "latest");
  upstream.behave(() => true);
  const start = Date.now();
  const answer = await send(mirror, "manifests/latest");
  expect(Date.now() - start).toBeLessThan(6_000);
  expect(answer.headers.get("docker-content-digest")).toBe(image.digest);
  expect(answer.headers.get("warning")).toContain("does not answer");
  const again = Date.now();
  expect((await send(mirror, "manifests/latest")).status).toBe(200);
  expect(Date.now() - again).toBeLessThan(1_500);
});

test("an upstream that hangs in the middle of a layer ends the stream", async () => {
  const image = upstream.put("hang/layer", "v1", newImageOf({ layer: someBytes(500_000) }));
  const mirror = await newMirror("hang/layer");
  await send(mirror, "manifests/v1");
  const digest = digestOf(image.layer);
  upstream.behave(({ path }, response) => {
    if (!path.includes(digest)) return false;
    response.writeHead(200, { "content-length": image.layer.length });
    return response.write(image.layer.subarray(0, 100_000)) || true;
  });
  await expectLog("a mirror ended a blob early");
  const answer = await send(mirror, `blobs/${digest}`);
  await expect(answer.arrayBuffer()).rejects.toThrow();
  expect(
    await registry.run("select count(*) as n from mirror_fetches where repo_uid = ?", mirror.uid),
  ).toEqual([{ n: 0 }]);
});

test("a mirror stores no more than its organization may", async () => {
  const image = upstream.put("full/app", "v1", newImageOf({ layer: someBytes(300_000) }));
  const mirror = await newMirror("full/app");
  await send(mirror, "manifests/v1");
  await registry.run(
    "update organization_storage set byte_limit = 100000 where uid = ?",
    mirror.name.slice(0, 40),
  );
  const answer = await send(mirror, `blobs/${digestOf(image.layer)}`);
  expect(await outcome(answer)).toEqual([403, "DENIED"]);
});

test("damaged bytes of a mirror are fetched again", async () => {
  const image = upstream.put("damage/app", "v1", newImageOf({ layer: someBytes(1_000) }));
  const mirror = await newMirror("damage/app");
  await pullImage(mirror, "v1");
  const digest = digestOf(image.layer);
  await registry.run("update blobs set fault = 'missing' where digest = unhex(?)", digest.slice(7));
  expect(await bytesOf(mirror, digest)).toEqual(image.layer);
  upstream.forget();
  expect(await bytesOf(mirror, digest)).toEqual(image.layer);
  expect(upstream.asked()).toEqual([]);
});
