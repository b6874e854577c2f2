/** Pulls from a mirror: what is fetched, stored, compared and recorded. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createResource } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { digestOf, newImageOf, outcome, pullImage, pushBlob, send, someBytes } from "../client.ts";
import { hourMs } from "../stored_images.ts";
import { changeRepo, movesOf, newMirror } from "./mirrors.ts";
import { startUpstream, type TestUpstream } from "./upstream.ts";

let upstream: TestUpstream;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
beforeEach(() => {
  upstream.behave();
  upstream.forget();
});

/** Comes after the methods that a client can see. */
const MIRROR = 5;

test("a pull gets the image of the upstream, and the next one asks no one", async () => {
  const image = upstream.put("acme/app", "v1", newImageOf({ layer: someBytes(300_000) }));
  const mirror = await newMirror({ address: `${upstream.host}/acme/app` });
  expect(await pullImage(mirror, "v1")).toEqual(image);
  upstream.forget();
  expect(await pullImage(mirror, "v1")).toEqual(image);
  expect(await pullImage(mirror, image.digest)).toEqual(image);
  expect(upstream.asked()).toEqual([]);
  expect(await movesOf(mirror.repo.uid, "v1")).toEqual([{ digest: image.digest, method: MIRROR }]);
});

test("a HEAD of what the mirror does not have says what a GET would", async () => {
  const image = upstream.put("acme/head", "v1");
  const mirror = await newMirror({ address: `${upstream.host}/acme/head` });
  const manifest = await send(mirror, "manifests/v1", { method: "HEAD" });
  expect([manifest.status, manifest.headers.get("docker-content-digest")]).toEqual([
    200,
    image.digest,
  ]);
  const layer = await send(mirror, `blobs/${digestOf(image.layer)}`, { method: "HEAD" });
  expect([layer.status, layer.headers.get("content-length")]).toEqual([200, "100"]);
});

test("a tag that moves at the upstream moves here, and the history says so", async () => {
  const first = upstream.put("acme/moves", "latest");
  const mirror = await newMirror({ address: `${upstream.host}/acme/moves`, revalidateAfter: "0s" });
  await pullImage(mirror, "latest");
  const second = upstream.put("acme/moves", "latest");
  upstream.forget();
  expect((await pullImage(mirror, "latest")).digest).toBe(second.digest);
  expect(upstream.asked("manifests")).toEqual([
    "HEAD /v2/acme/moves/manifests/latest",
    `GET /v2/acme/moves/manifests/${second.digest}`,
  ]);
  upstream.put("acme/moves", "latest", first);
  upstream.forget();
  expect((await pullImage(mirror, "latest")).digest).toBe(first.digest);
  // The manifest is here, so only the tag moves.
  expect(upstream.asked("manifests")).toEqual(["HEAD /v2/acme/moves/manifests/latest"]);
  expect(await movesOf(mirror.repo.uid, "latest")).toEqual(
    [first, second, first].map(({ digest }) => ({ digest, method: MIRROR })),
  );
});

test("a tag is compared again only after the time that is set", async () => {
  const first = upstream.put("acme/age", "latest");
  const mirror = await newMirror({
    address: `${upstream.host}/acme/age`,
    revalidateAfter: "3600s",
  });
  await pullImage(mirror, "latest");
  const second = upstream.put("acme/age", "latest");
  expect((await pullImage(mirror, "latest")).digest).toBe(first.digest);
  await changeRepo(mirror, {
    upstream: { address: `${upstream.host}/acme/age`, revalidateAfter: "0s" },
  });
  expect((await pullImage(mirror, "latest")).digest).toBe(second.digest);
});

test("what the upstream does not have is not found, and leaves nothing", async () => {
  upstream.put("acme/none", "v1");
  const mirror = await newMirror({ address: `${upstream.host}/acme/none` });
  expect(await outcome(send(mirror, "manifests/v2"))).toEqual([404, "MANIFEST_UNKNOWN"]);
  const digest = digestOf("nothing");
  expect(await outcome(send(mirror, `manifests/${digest}`))).toEqual([404, "MANIFEST_UNKNOWN"]);
  expect(await outcome(send(mirror, `blobs/${digest}`))).toEqual([404, "BLOB_UNKNOWN"]);
  const { body } = await callRest(`/registry/v2/tags?parent=${mirror.repo.uid}`, {
    token: mirror.owner,
  });
  expect(body.tags ?? []).toEqual([]);
});

test("a tag that is gone at the upstream stays, with a warning", async () => {
  const image = upstream.put("acme/gone", "v1");
  const mirror = await newMirror({ address: `${upstream.host}/acme/gone`, revalidateAfter: "0s" });
  await pullImage(mirror, "v1");
  upstream.remove("acme/gone", "v1");
  const answer = await send(mirror, "manifests/v1");
  expect([answer.status, answer.headers.get("docker-content-digest")]).toEqual([200, image.digest]);
  expect(answer.headers.get("warning")).toBe(
    '110 - "Response is stale: the upstream does not have the tag"',
  );
  expect(await movesOf(mirror.repo.uid, "v1")).toHaveLength(1);
});

test("a mirror takes no pushes", async () => {
  upstream.put("acme/pushed", "v1");
  const mirror = await newMirror({ address: `${upstream.host}/acme/pushed` });
  await expect(pushBlob(mirror, "bytes")).rejects.toThrow("takes no pushes");
});

test("a write-once tag that moves at the upstream stays, with a warning", async () => {
  const first = upstream.put("acme/once", "1.0");
  const address = `${upstream.host}/acme/once`;
  const mirror = await newMirror({ address, revalidateAfter: "0s" });
  await createResource(`/registry/v2/tagRules/${mirror.repo.uid}`, mirror.owner, {
    ...{ name: "releases", includeTags: ["1.*"], keep: { writeOnce: true } },
  });
  await pullImage(mirror, "1.0");
  upstream.put("acme/once", "1.0");
  const answer = await send(mirror, "manifests/1.0");
  expect(answer.headers.get("docker-content-digest")).toBe(first.digest);
  expect(answer.headers.get("warning")).toContain("it can be set only once");
  expect(await movesOf(mirror.repo.uid, "1.0")).toHaveLength(1);
});

test("a cooldown holds a new image of the upstream back", async () => {
  const first = upstream.put("acme/cool", "latest");
  const address = `${upstream.host}/acme/cool`;
  const mirror = await newMirror({ address, revalidateAfter: "0s" });
  await pullImage(mirror, "latest");
  const updateTime = new Date(Date.now() - 100 * hourMs).toISOString();
  const moves = [{ repo: mirror.repo.name, tag: "latest", digest: first.digest, updateTime }];
  await createResource(`/registry/v2/tagMoves/${mirror.organization.uid}:import`, mirror.owner, {
    moves,
  });
  await createResource(`/registry/v2/tagRules/${mirror.repo.uid}`, mirror.owner, {
    ...{ name: "cooldown", includeTags: ["latest"], serve: { cooldownHours: 24 } },
  });
  const second = upstream.put("acme/cool", "latest");
  const answer = await send(mirror, "manifests/latest");
  expect(answer.headers.get("docker-content-digest")).toBe(first.digest);
  expect(answer.headers.get("platform-tag-digest")).toBe(second.digest);
});

test("the configuration is known at once, so that rules and lists can read it", async () => {
  const image = upstream.put("acme/config", "v1", newImageOf({ labels: { tier: "gold" } }));
  const mirror = await newMirror({ address: `${upstream.host}/acme/config` });
  await send(mirror, "manifests/v1");
  const uid = `${mirror.repo.uid}/${image.digest.slice(7, 23)}`;
  const { body } = await callRest(`/registry/v2/manifests/${uid}`, { token: mirror.owner });
  expect(body).toMatchObject({ os: "linux", labels: { tier: "gold" } });
});
