/** Reads of blobs that begin while access is checked. */
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { randomUid } from "../../world/personas.ts";
import { registryAudience, tokenFor } from "../../world/platform.ts";
import {
  digestOf,
  newImageOf,
  outcome,
  pushImage,
  send,
  someBytes,
  type Target,
} from "../client.ts";
import { startUpstream } from "../mirror/upstream.ts";
import { startOwnRegistry } from "../own_registry.ts";

/** Returns in `x-order` in which order R2 was asked and D1 has answered. `/dropped` counts the bodies that were canceled. */
const wrapper = `import platform from "./platform.js";
let dropped = 0;
const counted = (object) => object && new Proxy(object, { get(of, name) {
  if (name !== "body") return typeof of[name] === "function" ? of[name].bind(of) : of[name];
  return new Proxy(of.body, { get(body, own) {
    if (own === "cancel") return () => { dropped += 1; return body.cancel(); };
    return typeof body[own] === "function" ? body[own].bind(body) : body[own];
  } });
} });
export default { ...platform, async fetch(request, env, execution) {
  if (request.url.endsWith("/dropped")) return new Response(String(dropped));
  const order = [];
  const session = (target) => ({
    prepare: (text) => target.prepare(text),
    async batch(all) { const rows = await target.batch(all); order.push("d1"); return rows; },
  });
  const DB = { ...session(env.DB), withSession: (at) => session(env.DB.withSession(at)) };
  const BLOBS = new Proxy(env.BLOBS, { get(bucket, name) {
    if (name === "get") return async (...given) => { order.push("r2"); return counted(await bucket.get(...given)); };
    return typeof bucket[name] === "function" ? bucket[name].bind(bucket) : bucket[name];
  } });
  const answer = await platform.fetch(request, { ...env, DB, BLOBS }, execution);
  const headers = new Headers(answer.headers);
  headers.set("x-order", order.join(" "));
  return new Response(answer.body, { status: answer.status, headers });
} };`;

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
beforeAll(async () => {
  registry = await startOwnRegistry({ wrapper });
});
afterAll(() => registry.stop());

let target: Target;
let path: string;
let layer: Uint8Array;
beforeEach(async () => {
  layer = someBytes(50_000);
  target = await registry.newTarget(`early-${randomUid().slice(0, 8)}`);
  await pushImage(target, "latest", newImageOf({ layer }));
  path = `blobs/${digestOf(layer)}`;
});

const get = async (by: Target, headers = {}, method = "GET") => {
  const answer = await send(by, path, { headers, method });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return { status: answer.status, bytes, order: answer.headers.get("x-order") };
};

/** Another identity of the organization with the role owner. */
async function newOwner() {
  const [uid = "", binding = ""] = [1, 2].map(
    () => `${registry.organization}/${randomUid().slice(0, 16)}`,
  );
  await registry.run(
    "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'reader', 1, 1, 1)",
    uid,
  );
  await registry.run(
    `insert into role_bindings (uid, identity_uid, role_uid, accepted, create_time, update_time)
      values (?, ?, (select uid from roles where name = 'owner' and length(uid) = 40), 1, 1, 1)`,
    binding,
    uid,
  );
  return { ...target, binding, token: await tokenFor(uid, { aud: registryAudience }) };
}

test("the second GET of a caller asks R2 before D1 has answered, and has the same bytes", async () => {
  expect(await get(target)).toMatchObject({ status: 200, order: "d1 r2" });
  const second = await get(target);
  expect([second.status, second.order]).toEqual([200, "r2 d1"]);
  expect(second.bytes).toEqual(new Uint8Array(layer));
  const part = await get(target, { range: "bytes=10-19" });
  expect([part.status, part.order]).toEqual([206, "r2 d1"]);
  expect(part.bytes).toEqual(new Uint8Array(layer.subarray(10, 20)));
});

test("a HEAD, a client that has the blob, a wrong range and another caller do not begin early", async () => {
  await get(target);
  const etag = `"${digestOf(layer)}"`;
  expect((await get(target, {}, "HEAD")).order).toBe("d1");
  expect(await get(target, { "if-none-match": etag })).toMatchObject({ status: 304, order: "d1" });
  expect(await get(target, { range: "bytes=50000-" })).toMatchObject({ status: 416, order: "d1" });
  expect((await get(await newOwner())).order).toBe("d1 r2");
});

test("a caller who has lost access gets none of the bytes, although the read has begun", async () => {
  const reader = await newOwner();
  await get(reader);
  expect((await get(reader)).order).toBe("r2 d1");
  await registry.run("delete from role_bindings where uid = ?", reader.binding);
  const refused = await get(reader);
  expect([refused.status, refused.order]).toEqual([403, "r2 d1"]);
  expect(Buffer.from(refused.bytes).includes(Buffer.from(layer.subarray(0, 16)))).toBe(false);
  expect(await outcome(send(reader, path))).toEqual([403, "DENIED"]);
});

test("a read that has begun is dropped if the upstream of a mirror has the bytes", async () => {
  const upstream = await startUpstream();
  onTestFinished(async () => void (await upstream.close()));
  const image = upstream.put("library/app", "1", newImageOf({ layer }));
  const { uid, registryToken: token, apiToken } = await registry.newOwner();
  const made = await fetch(`${registry.origin}/registry/v2/repos/${uid}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiToken}`, "content-type": "application/json" },
    body: JSON.stringify({
      name: "app",
      upstream: { address: `${upstream.host}/library/app` },
    }),
  });
  expect(made.status).toBe(200);
  const mirror = { ...target, token, name: `${uid}/app` };
  expect((await send(mirror, "manifests/1")).status).toBe(200);
  await expect.poll(async () => (await get(mirror)).order).toBe("r2 d1");
  const dropped = async () => Number(await (await fetch(`${registry.origin}/dropped`)).text());
  const before = await dropped();
  await registry.run(
    "update blobs set fault = 'missing' where digest = unhex(?)",
    digestOf(image.layer).slice(7),
  );
  const fetched = await get(mirror);
  expect([fetched.status, fetched.bytes]).toEqual([200, new Uint8Array(layer)]);
  await expect.poll(dropped).toBe(before + 1);
});

test("a blob whose row names another object is read from there, and one that is gone is unknown", async () => {
  await get(target);
  const id = "(select id from blobs where digest = unhex(?))";
  const hex = digestOf(layer).slice(7);
  await registry.run(`update objects set key = 'elsewhere' where blob_id = ${id}`, hex);
  const moved = await get(target);
  expect([moved.order, moved.status === 200]).toEqual(["r2 d1 r2", false]);
  await registry.run(`delete from blob_links where blob_id = ${id}`, hex);
  expect(await get(target)).toMatchObject({ status: 404, order: "r2 d1" });
});
