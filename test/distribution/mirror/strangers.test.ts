/** Callers of a mirror who leave or fail, and what the others get. */
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { digestOf, newImageOf, outcome, pullImage, send, someBytes } from "../client.ts";
import { startOwnRegistry } from "../own_registry.ts";
import { mirrorIn, type OwnMirror } from "./mirrors.ts";
import { type Script, startUpstream, type TestUpstream } from "./upstream.ts";

let upstream: TestUpstream;
let registry: Awaited<ReturnType<typeof startOwnRegistry>>;

beforeAll(async () => {
  upstream = await startUpstream();
  registry = await startOwnRegistry();
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

const slow: Script = async () => {
  await pause(300);
  return false;
};

function* pieces(size: number) {
  const piece = new Uint8Array(100_000);
  for (let sent = 0; sent < size; sent += piece.length) yield piece;
}

const limitBytes = ({ organization }: OwnMirror, limit: number) =>
  registry.run(
    `insert into organization_storage (uid, byte_limit) values (?, ?)
      on conflict (uid) do update set byte_limit = excluded.byte_limit`,
    ...[organization, limit],
  );

const takeTurn = ({ uid }: OwnMirror, reference: string, until: number) =>
  registry.run(
    "insert into mirror_fetches (repo_uid, reference, holder, expire_time) values (?, ?, 'other', ?)",
    ...[uid, reference, until],
  );

test("callers who wait for one that fails get its reason, and not that there is no such tag", async () => {
  upstream.put("wait/app", "v1");
  const mirror = await newMirror("wait/app");
  await limitBytes(mirror, 1);
  upstream.behave(slow);
  const all = Array.from({ length: 5 }, () => outcome(send(mirror, "manifests/v1")));
  for (const one of await Promise.all(all)) expect(one).toEqual([403, "DENIED"]);
});

test("a mirror that is full serves what it has", async () => {
  const image = upstream.put("full/app", "latest");
  const mirror = await newMirror("full/app");
  await pullImage(mirror, "latest");
  await limitBytes(mirror, 1);
  upstream.put("full/app", "latest");
  const answer = await send(mirror, "manifests/latest");
  expect(answer.headers.get("docker-content-digest")).toBe(image.digest);
  expect(answer.headers.get("warning")).toMatch(/^111 - "Revalidation failed: .* bytes/);
});

test("an organization with too many fetches gets what its mirrors have, and no false answer", async () => {
  const image = upstream.put("many/app", "latest");
  const mirror = await newMirror("many/app");
  await pullImage(mirror, "latest");
  for (let index = 0; index < 40; index += 1)
    await takeTurn(mirror, `other/image v${index}`, Date.now() + 60_000);
  const answer = await send(mirror, "manifests/latest");
  expect(answer.headers.get("docker-content-digest")).toBe(image.digest);
  expect(answer.headers.get("warning")).toContain("fetches from upstreams in progress");
  // The request that had this turn was cut off.
  await takeTurn(mirror, "many/app v1", Date.now() - 1);
  expect(await outcome(send(mirror, "manifests/v1"))).toEqual([503, "UNAVAILABLE"]);
});

test("what the upstream does not have is asked for once, however often someone asks here", async () => {
  const mirror = await newMirror("none/app");
  upstream.put("none/app", "v1");
  await send(mirror, "manifests/v1");
  upstream.forget();
  const digest = digestOf(someBytes(10));
  for (let time = 0; time < 3; time += 1) {
    expect((await send(mirror, "manifests/none")).status).toBe(404);
    expect(await outcome(send(mirror, `blobs/${digest}`))).toEqual([404, "BLOB_UNKNOWN"]);
    expect((await send(mirror, `blobs/${digest}`, { method: "HEAD" })).status).toBe(404);
  }
  expect(upstream.asked()).toEqual([
    "GET /v2/none/app/manifests/none",
    `GET /v2/none/app/blobs/${digest}`,
  ]);
});

test("a tag that a rule holds back is not fetched by every pull", async () => {
  upstream.put("held/app", "v1");
  const mirror = await newMirror("held/app", { revalidateAfter: "3600s" });
  const rule = await fetch(`${registry.origin}/registry/v2/tagRules/${mirror.uid}`, {
    method: "POST",
    headers: { authorization: `Bearer ${mirror.apiToken}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ name: "gold", includeTags: ["v*"] },
      keep: { requirement: { label: { name: "tier", value: "gold" } } },
    }),
  });
  expect(await rule.text()).toContain('"gold"');
  for (let pull = 0; pull < 3; pull += 1) {
    const answer = await send(mirror, "manifests/v1");
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("tier")]);
  }
  expect(upstream.asked("manifests")).toHaveLength(1);
  upstream.behave(slow);
  await registry.run("update mirrored_tags set check_time = 1 where repo_uid = ?", mirror.uid);
  upstream.forget();
  await Promise.all(Array.from({ length: 5 }, () => send(mirror, "manifests/v1")));
  expect(upstream.asked("manifests")).toHaveLength(1);
});

test("a layer that no one takes is not read to its end", async () => {
  const size = 60_000_000;
  const image = upstream.put("left/app", "v1");
  const mirror = await newMirror("left/app");
  await send(mirror, "manifests/v1");
  const digest = digestOf(image.layer);
  // It begins to be stored, and is then too large.
  await limitBytes(mirror, 9_000_000);
  let state = "";
  upstream.behave(({ path }, response) => {
    if (!path.includes(digest)) return false;
    response.once("close", () => {
      state = response.writableFinished ? "read to the end" : "left";
    });
    response.writeHead(200);
    Readable.from(pieces(size)).pipe(response);
    return true;
  });
  const leaving = new AbortController();
  const answer = await fetch(`${mirror.origin}/v2/${mirror.name}/blobs/${digest}`, {
    headers: { authorization: `Bearer ${mirror.token}` },
    signal: leaving.signal,
  });
  await answer.body?.getReader().read();
  leaving.abort();
  await expect.poll(() => state).toBe("left");
});

test("a layer of a repository that is deleted meanwhile leaves no bytes behind", async () => {
  const image = upstream.put("gone/app", "v1", newImageOf({ layer: someBytes(1_000_000) }));
  const mirror = await newMirror("gone/app");
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
  await fetch(`${registry.origin}/registry/v2/repos/${mirror.uid}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${mirror.apiToken}` },
  });
  finish();
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(image.layer);
  const left = () => registry.run("select key from objects where size = 1000000");
  await expect.poll(left).toEqual([]);
});

test("an upstream that names a blob of another organization does not get it for its mirror", async () => {
  const image = upstream.put("private/app", "v1");
  await pullImage(await newMirror("private/app"), "v1");
  const rogue = await startUpstream();
  rogue.put("rogue/app", "v1", image);
  rogue.behave(({ path, method }, response) => {
    if (!path.includes("/blobs/")) return false;
    response.writeHead(method === "HEAD" ? 200 : 404).end();
    return true;
  });
  const other = await mirrorIn(registry, { address: `${rogue.host}/rogue/app` });
  expect((await send(other, "manifests/v1")).status).toBe(200);
  const digest = digestOf(image.layer);
  expect(await outcome(send(other, `blobs/${digest}`))).toEqual([404, "BLOB_UNKNOWN"]);
  const own = { ...other, name: `${other.organization}/own` };
  const mounted = await send(own, `blobs/uploads/?mount=${digest}&from=${other.name}`, {
    method: "POST",
  });
  expect(mounted.status).toBe(202);
  await rogue.close();
});
