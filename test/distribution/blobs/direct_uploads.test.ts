/** Blobs that clients send to R2 and read from R2 themselves, over the S3 API of the local bucket. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectLog } from "../../world/logs.ts";
import {
  begin,
  digestOf,
  newImageOf,
  outcome,
  pushBlob,
  pushImage,
  send,
  sendChunk,
  someBytes,
  type Target,
} from "../client.ts";
import { startOwnRegistry } from "../own_registry.ts";

const partSize = 64 * 1024 * 1024;
const storageLimit = 10 * partSize;

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let target: Target;
beforeAll(async () => {
  registry = await startOwnRegistry({
    hasS3: true,
    bindings: {
      MAX_BODY_BYTES: "4000000",
      STORAGE_LIMIT_BYTES: String(storageLimit),
      REDIRECT_PULLS: "true",
    },
  });
  target = await registry.newTarget();
});
afterAll(() => registry.stop());

const idOf = (location: string) => location.slice(location.lastIndexOf("/") + 1);

const ask = (method: string, id: string, body: unknown, query = "", from = target) =>
  send(from, `_vendor/uploads/${id}${query}`, {
    method,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

interface Plan {
  partSize: number;
  parts: { url: string }[];
  expireTime: string;
}

async function planFor(size: number) {
  const id = idOf(await begin(target));
  const answer = await ask("POST", id, { size });
  expect(answer.status).toBe(200);
  return { id, plan: (await answer.json()) as Plan };
}

/** The key of the object that the URLs write. */
const keyOf = ({ parts }: Plan) => new URL(parts[0]?.url ?? "").pathname.split("/").at(-1);

/** Sends each part to its URL. Returns the ETags. */
const sendParts = ({ parts }: Plan, bytes: Uint8Array<ArrayBuffer>) =>
  Promise.all(
    parts.map(async ({ url }, index) => {
      const body = bytes.subarray(index * partSize, (index + 1) * partSize);
      const answer = await fetch(url, { method: "PUT", body });
      expect(answer.status).toBe(200);
      return answer.headers.get("etag") ?? "";
    }),
  );

describe("a blob whose parts go to R2", () => {
  test("is stored, can be pulled, and leaves nothing else in the bucket", async () => {
    const bytes = someBytes(partSize + 1000) as Uint8Array<ArrayBuffer>;
    const digest = digestOf(bytes);
    const { id, plan } = await planFor(bytes.length);
    expect(plan.partSize).toBe(partSize);
    expect(plan.parts).toHaveLength(2);
    const minutes = (Date.parse(plan.expireTime) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(55);
    expect(minutes).toBeLessThanOrEqual(60);
    const parts = await sendParts(plan, bytes);
    const ended = await ask("PUT", id, { parts }, `?digest=${digest}`);
    expect(ended.status).toBe(201);
    expect(ended.headers.get("docker-content-digest")).toBe(digest);
    // The client repeats the request if it did not get the response.
    expect(await outcome(ask("PUT", id, { parts }, `?digest=${digest}`))).toEqual([201]);
    const pulled = await send(target, `blobs/${digest}`);
    expect(digestOf(new Uint8Array(await pulled.arrayBuffer()))).toBe(digest);
    await registry.runSchedule();
    expect(await registry.listObjects()).toContain(keyOf(plan));
    expect(await registry.run("select * from uploads where id = ?", id)).toEqual([]);
  });

  test("is planned again after an interruption, with the parts that R2 has", async () => {
    const bytes = someBytes(3000) as Uint8Array<ArrayBuffer>;
    const { id, plan } = await planFor(bytes.length);
    const parts = await sendParts(plan, bytes);
    const again = await ask("POST", id, { size: bytes.length });
    const { parts: urls } = (await again.json()) as Plan;
    const uploadId = (url: string) => new URL(url).searchParams.get("uploadId");
    expect(uploadId(urls[0]?.url ?? "")).toBe(uploadId(plan.parts[0]?.url ?? "?"));
    const ended = ask("PUT", id, { parts }, `?digest=${digestOf(bytes)}`);
    expect(await outcome(ended)).toEqual([201]);
  });

  test("with another digest is refused, and nothing is visible or left", async () => {
    const bytes = someBytes(2000) as Uint8Array<ArrayBuffer>;
    const { id, plan } = await planFor(bytes.length);
    const parts = await sendParts(plan, bytes);
    const wrong = digestOf("other");
    expect(await outcome(ask("PUT", id, { parts }, `?digest=${wrong}`))).toEqual([
      400,
      "DIGEST_INVALID",
    ]);
    for (const digest of [wrong, digestOf(bytes)]) {
      expect((await send(target, `blobs/${digest}`)).status).toBe(404);
    }
    expect(await registry.listObjects()).not.toContain(keyOf(plan));
  });

  test("is stored once, whichever of two lists of parts ends it first", async () => {
    const bytes = someBytes(2000) as Uint8Array<ArrayBuffer>;
    const { id, plan } = await planFor(bytes.length);
    const first = await sendParts(plan, bytes);
    const second = await sendParts(plan, someBytes(2000) as Uint8Array<ArrayBuffer>);
    const digest = digestOf(bytes);
    const ends = [first, second, second].map((parts) =>
      outcome(ask("PUT", id, { parts }, `?digest=${digest}`)),
    );
    const outcomes = await Promise.all(ends);
    // A list with the bytes of another digest ends the upload, if it comes first.
    for (const [status] of outcomes) expect([201, 400, 404]).toContain(status);
    const pulled = await send(target, `blobs/${digest}`);
    const isStored = outcomes.some(([status]) => status === 201);
    expect(pulled.status).toBe(isStored ? 200 : 404);
    if (isStored) expect(digestOf(new Uint8Array(await pulled.arrayBuffer()))).toBe(digest);
    expect((await fetch(plan.parts[0]?.url ?? "", { method: "PUT", body: bytes })).ok).toBe(false);
  });

  test("is stored if the response of R2 to its completion was lost", async () => {
    const bytes = someBytes(2500) as Uint8Array<ArrayBuffer>;
    const digest = digestOf(bytes);
    const { id, plan } = await planFor(bytes.length);
    const parts = await sendParts(plan, bytes);
    await registry.run(
      `create trigger failing before insert on blobs begin select raise(abort, 'these blobs are refused'); end`,
    );
    const logged = await expectLog("these blobs are refused");
    expect((await ask("PUT", id, { parts }, `?digest=${digest}`)).status).toBe(500);
    await logged();
    await registry.run("drop trigger failing");
    expect(await outcome(ask("PUT", id, { parts }, `?digest=${digest}`))).toEqual([201]);
  });
});

describe("a direct upload is refused", () => {
  test.for([
    [{}, 400, "SIZE_INVALID"],
    [{ size: 0 }, 400, "SIZE_INVALID"],
    [{ size: 1.5 }, 400, "SIZE_INVALID"],
    [{ size: "5" }, 400, "SIZE_INVALID"],
    [{ size: 2 ** 50 }, 400, "SIZE_INVALID"],
    [{ size: storageLimit + 1 }, 403, "DENIED"],
    ["[]", 400, "BLOB_UPLOAD_INVALID"],
    ["{", 400, "BLOB_UPLOAD_INVALID"],
    [" ".repeat(300_000), 413, "SIZE_INVALID"],
  ] as const)("if its plan is %j", async ([body, status, code]) => {
    const id = idOf(await begin(target));
    expect(await outcome(ask("POST", id, body))).toEqual([status, code]);
  });

  test.for([
    [{ parts: [] }, 400, "BLOB_UPLOAD_INVALID"],
    [{ parts: [1] }, 400, "BLOB_UPLOAD_INVALID"],
    [{ parts: ["0".repeat(32)] }, 400, "BLOB_UPLOAD_INVALID"],
    [{}, 400, "BLOB_UPLOAD_INVALID"],
  ] as const)("if it ends with %j", async ([body, status, code]) => {
    const { id, plan } = await planFor(10);
    await sendParts(plan, someBytes(10) as Uint8Array<ArrayBuffer>);
    const query = `?digest=${digestOf("x")}`;
    expect(await outcome(ask("PUT", id, body, query))).toEqual([status, code]);
  });

  test("if it has no parts, no digest, chunks, or another caller", async () => {
    const id = idOf(await begin(target));
    const query = `?digest=${digestOf("x")}`;
    expect(await outcome(ask("PUT", id, { parts: ["a"] }, query))).toEqual([
      400,
      "BLOB_UPLOAD_INVALID",
    ]);
    expect(await outcome(ask("PUT", id, { parts: ["a"] }))).toEqual([400, "QUERY_INVALID"]);
    expect(await outcome(ask("PUT", id, { parts: ["a"] }, "?digest=x"))).toEqual([
      400,
      "DIGEST_INVALID",
    ]);
    const location = await begin(target);
    await sendChunk(target, location, someBytes(10), 0);
    expect(await outcome(ask("POST", idOf(location), { size: 10 }))).toEqual([
      400,
      "BLOB_UPLOAD_INVALID",
    ]);
    const other = await registry.newTarget("other");
    await pushBlob(other, "x");
    expect(await outcome(ask("POST", id, { size: 10 }, "", other))).toEqual([
      404,
      "BLOB_UPLOAD_UNKNOWN",
    ]);
  });

  test("if a part has another number of bytes than the plan says", async () => {
    const { id, plan } = await planFor(10);
    const url = plan.parts[0]?.url ?? "";
    const part = await fetch(url, {
      method: "PUT",
      body: someBytes(11) as Uint8Array<ArrayBuffer>,
    });
    expect(part.status).toBe(403);
    const short = await fetch(url, {
      method: "PUT",
      body: someBytes(9) as Uint8Array<ArrayBuffer>,
    });
    expect(short.status).toBe(403);
    expect(await outcome(ask("POST", id, { size: 11 }))).toEqual([400, "BLOB_UPLOAD_INVALID"]);
  });

  test("if the URL is used for another object, another part or another method", async () => {
    const { plan } = await planFor(10);
    const url = new URL(plan.parts[0]?.url ?? "");
    const body = someBytes(10) as Uint8Array<ArrayBuffer>;
    const other = new URL(url);
    other.pathname = other.pathname.replace(/[0-9a-f]{32}$/, "0".repeat(32));
    expect((await fetch(other, { method: "PUT", body })).status).toBe(403);
    const part = new URL(url);
    part.searchParams.set("partNumber", "2");
    expect((await fetch(part, { method: "PUT", body })).status).toBe(403);
    expect((await fetch(url)).status).toBe(403);
  });
});

describe("a pull", () => {
  test("of a large blob is redirected to R2, also for a range, and only after the check of access", async () => {
    const layer = someBytes(1_500_000);
    const image = newImageOf({ layer });
    await pushImage(target, "latest", image);
    const path = `${target.origin}/v2/${target.name}/blobs/${digestOf(layer)}`;
    const ask = (headers: Record<string, string>, method = "GET") =>
      fetch(path, { method, headers, redirect: "manual" });
    const own = { authorization: `Bearer ${target.token}` };
    const answer = await ask(own);
    expect(answer.status).toBe(307);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const location = answer.headers.get("location") ?? "";
    const part = await fetch(location, { headers: { range: "bytes=100-199" } });
    expect(part.status).toBe(206);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(layer.subarray(100, 200));
    const whole = await fetch(location);
    expect(digestOf(new Uint8Array(await whole.arrayBuffer()))).toBe(digestOf(layer));
    expect((await ask({})).status).toBe(401);
    const head = await ask(own, "HEAD");
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "1500000"]);
    const known = await ask({ ...own, "if-none-match": `"${digestOf(layer)}"` });
    expect(known.status).toBe(304);
  });

  test("with If-Range is not redirected, because R2 has another entity tag for the blob", async () => {
    const layer = someBytes(1_500_000);
    await pushImage(target, "latest", newImageOf({ layer }));
    const read = async (headers: Record<string, string>) => {
      const answer = await fetch(`${target.origin}/v2/${target.name}/blobs/${digestOf(layer)}`, {
        headers: { authorization: `Bearer ${target.token}`, ...headers },
        redirect: "manual",
      });
      return [answer.status, (await answer.arrayBuffer()).byteLength];
    };
    const range = "bytes=100-199";
    expect(await read({ range, "if-range": `"${digestOf(layer)}"` })).toEqual([206, 100]);
    expect(await read({ range, "if-range": '"other"' })).toEqual([200, 1_500_000]);
    expect(await read({ "if-range": '"other"' })).toEqual([307, 0]);
  });

  test("of a small blob is not redirected", async () => {
    await pushBlob(target, "small");
    const answer = await fetch(`${target.origin}/v2/${target.name}/blobs/${digestOf("small")}`, {
      headers: { authorization: `Bearer ${target.token}` },
      redirect: "manual",
    });
    expect([answer.status, await answer.text()]).toEqual([200, "small"]);
  });
});
