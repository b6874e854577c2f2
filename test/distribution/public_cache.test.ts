/** Public content in the cache: what a cached pull costs, who gets it, and when it is gone. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { costOf, registryAudience, tokenFor } from "../world/platform.ts";
import { long } from "../world/tiers.ts";
import {
  digestOf,
  type Image,
  newImageOf,
  outcome,
  pushImage,
  send,
  someBytes,
  type Target,
} from "./client.ts";
import { startOwnRegistry } from "./own_registry.ts";

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
beforeAll(async () => {
  registry = await startOwnRegistry();
  await registry.run("update groups set name = 'public' where uid = ?", registry.organization);
});
afterAll(() => registry.stop());

let owner: Target;
let anyone: Target;
let image: Image;
let number = 0;
const layer = someBytes(300_000);

/** The token that anyone gets for an image. */
async function openToken(name: string, scope = "pull") {
  const asked = await fetch(`${registry.origin}/token?scope=repository:${name}:${scope}`);
  return ((await asked.json()) as { token: string }).token;
}

beforeEach(async () => {
  number += 1;
  const name = `public/cached-${number}`;
  owner = { ...(await registry.newTarget()), name };
  image = await pushImage(owner, "latest", newImageOf({ layer, labels: { number: `${number}` } }));
  anyone = { ...owner, token: await openToken(name) };
});

const get = async (target: Target, path: string, headers = {}, method = "GET") => {
  const answer = await send(target, path, { headers, method });
  return { answer, bytes: new Uint8Array(await answer.arrayBuffer()), cost: costOf(answer) };
};
const nothing = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 };

/** The number of reads of R2 for a response. */
const readsOfR2 = ({ headers }: Response) =>
  /r2;desc="reads=(\d+)/.exec(headers.get("server-timing") ?? "")?.[1];

describe("a second pull by anyone reads no row of D1 and no object of R2:", () => {
  test.each([
    ["a manifest by its tag", () => "manifests/latest"],
    ["a manifest by its digest", () => `manifests/${image.digest}`],
    ["a blob", () => `blobs/${digestOf(layer)}`],
  ])("%s", async (_, pathOf) => {
    const path = pathOf();
    const first = await get(anyone, path);
    expect([first.cost.roundTrips, readsOfR2(first.answer)]).toEqual([
      1,
      // One read is for the cache.
      path.startsWith("blobs") ? "2" : "0",
    ]);
    await expect
      .poll(async () => {
        const { answer, cost } = await get(anyone, path);
        return [cost, readsOfR2(answer)];
      })
      .toEqual([nothing, "0"]);
    const second = await get(anyone, path);
    expect(second.bytes).toEqual(first.bytes);
    const names = ["content-type", "content-length", "docker-content-digest", "etag", "vary"];
    for (const name of [...names, "cache-control"])
      expect([name, second.answer.headers.get(name)]).toEqual([
        name,
        first.answer.headers.get(name),
      ]);
    expect(second.answer.headers.get("vary")).toBe("authorization");
    const head = await get(anyone, path, {}, "HEAD");
    expect([head.answer.status, head.cost]).toEqual([200, nothing]);
    const known = await get(anyone, path, { "if-none-match": second.answer.headers.get("etag") });
    expect([known.answer.status, known.cost]).toEqual([304, nothing]);
  });
});

test("a range of a cached blob has exactly its bytes, and a wrong one is refused", async () => {
  const path = `blobs/${digestOf(layer)}`;
  await get(anyone, path);
  await expect.poll(async () => readsOfR2((await get(anyone, path)).answer)).toBe("0");
  for (const [range, first, last] of [
    ["bytes=0-9", 0, 9],
    ["bytes=100000-", 100_000, 299_999],
    ["bytes=-5", 299_995, 299_999],
  ] as const) {
    const { answer, bytes, cost } = await get(anyone, path, { range });
    expect([answer.status, cost]).toEqual([206, nothing]);
    expect(answer.headers.get("content-range")).toBe(`bytes ${first}-${last}/300000`);
    expect(bytes).toEqual(new Uint8Array(layer.subarray(first, last + 1)));
  }
  expect((await get(anyone, path, { range: "bytes=300000-" })).answer.status).toBe(416);
  const other = await get(anyone, path, { range: "bytes=0-9", "if-range": '"other"' });
  expect([other.answer.status, other.bytes.length]).toEqual([200, 300_000]);
});

test("a cached pull is counted like any other", async () => {
  for (let i = 0; i < 4; i += 1) await get(anyone, "manifests/latest");
  await get(anyone, `manifests/${image.digest}`);
  const pulls = () =>
    registry.run(
      "select reference, identity, pulls from tag_pulls join repo_storage on id = repo_id join repos using (uid) where name = ?",
      owner.name.slice("public/".length),
    );
  await expect.poll(pulls).toEqual([{ reference: "latest", identity: "", pulls: 4 }]);
});

test("a token for another image, for another action or without an image gets nothing from the cache", async () => {
  const paths = ["manifests/latest", `manifests/${image.digest}`, `blobs/${digestOf(layer)}`];
  for (const path of paths) expect((await get(anyone, path)).answer.status).toBe(200);
  const others = [await openToken("public/cached-0"), await openToken(owner.name, "delete")];
  for (const token of others)
    for (const path of paths)
      expect(await outcome(send({ ...anyone, token }, path))).toEqual([401, "UNAUTHORIZED"]);
  for (const path of paths)
    expect((await fetch(`${registry.origin}/v2/${owner.name}/${path}`)).status).toBe(401);
});

test("a private image is never in the cache, and neither is the answer to a caller with an identity", async () => {
  const secret = await pushImage(owner, "1.0");
  const stranger = await registry.newStranger();
  const asStranger = { ...owner, token: await tokenFor(stranger, { aud: registryAudience }) };
  for (const target of [owner, asStranger]) {
    for (const _ of [1, 2]) {
      const { answer, cost } = await get(target, "manifests/latest");
      expect(answer.headers.get("cache-control")).toBe("private, no-cache");
      expect(cost.roundTrips).toBe(1);
    }
  }
  for (const reference of ["1.0", secret.digest]) {
    expect((await get(owner, `manifests/${reference}`)).answer.status).toBe(200);
    for (const target of [anyone, asStranger])
      expect((await get(target, `manifests/${reference}`)).answer.status).toBe(404);
  }
});

test("a damaged image that a client has already is not in the cache, so it is served once it is repaired", async () => {
  const setFault = (fault: string | null) =>
    registry.run(
      "update blobs set fault = ? where digest = unhex(?)",
      fault,
      image.digest.slice("sha256:".length),
    );
  await setFault("missing");
  const known = await get(anyone, "manifests/latest", { "if-none-match": `"${image.digest}"` });
  expect(known.answer.status).toBe(304);
  expect((await get(anyone, "manifests/latest")).answer.status).toBe(404);
  await setFault(null);
  expect((await get(anyone, "manifests/latest")).answer.status).toBe(200);
});

test("what is pushed or deleted at the registry is gone from the cache of its place at once", async () => {
  await get(anyone, "manifests/latest");
  const next = await pushImage(owner, "latest");
  const tagged = async () => (await get(anyone, "manifests/latest")).answer;
  await expect
    .poll(async () => (await tagged()).headers.get("docker-content-digest"))
    .toBe(next.digest);
  await get(anyone, `manifests/${next.digest}`);
  await send(owner, `manifests/${next.digest}`, { method: "DELETE" });
  const byDigest = async () => (await get(anyone, `manifests/${next.digest}`)).answer.status;
  await expect.poll(byDigest).toBe(404);
});

test(
  "what is deleted elsewhere is gone within half a minute, and a tag within ten seconds",
  long,
  async () => {
    const headers = { authorization: `Bearer ${await tokenFor(registry.owner)}` };
    const paths = ["manifests/latest", `manifests/${image.digest}`, `blobs/${digestOf(layer)}`];
    for (const path of paths) expect((await get(anyone, path)).answer.status).toBe(200);
    const [repo] = await registry.run<{ uid: string }>(
      "select uid from repos where name = ?",
      owner.name.slice("public/".length),
    );
    const began = Date.now();
    const deleted = await fetch(`${registry.origin}/registry/v2/repos/${repo?.uid}`, {
      method: "DELETE",
      headers,
    });
    expect(deleted.status).toBe(200);
    const gone = async (path: string) => (await get(anyone, path)).answer.status;
    await expect.poll(() => gone("manifests/latest"), { timeout: 14_000 }).toBe(404);
    for (const path of paths)
      await expect
        .poll(() => gone(path), { timeout: Math.max(1_000, began + 34_000 - Date.now()) })
        .toBe(404);
  },
);

test("the rows of a pull by digest do not depend on the history of the tag", async () => {
  const cost = async () => {
    await registry.forgetCached([
      `http://localhost:8787/_cache/rows/${owner.name}/manifests/${image.digest}`,
    ]);
    return (await get(anyone, `manifests/${image.digest}`)).cost.rowsRead;
  };
  const before = await cost();
  const [repo] = await registry.run<{ uid: string }>(
    "select uid from repos where name = ?",
    owner.name.slice("public/".length),
  );
  await registry.run(
    `insert into tag_moves (repo_uid, tag, update_time, digest, repo)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)
      select ?, 'latest', i, 'sha256:' || printf('%064x', i), 'cached' from n`,
    repo?.uid,
  );
  expect(await cost()).toBe(before);
});
