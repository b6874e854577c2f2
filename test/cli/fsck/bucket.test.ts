/** fsck compares a local bucket, which a registry has filled, with the rows of its databases. */
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { R2Bucket, R2GetOptions } from "@cloudflare/workers-types";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { bucketOf, openBindings } from "../../../cli/cloudflare/bindings.ts";
import { noDatabase } from "../../../cli/cloudflare/wrangler_toml.ts";
import { quarantine, readBlob } from "../../../cli/fsck/bucket/blobs.ts";
import { compareBucket } from "../../../cli/fsck/bucket/compare.ts";
import { run, type Sql } from "../../../cli/move/sql.ts";
import {
  begin,
  digestOf,
  end,
  type Image,
  newImageOf,
  pullImage,
  pushBlob,
  pushImage,
  send,
  sendChunk,
  someBytes,
  type Target,
} from "../../distribution/client.ts";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { copyDatabase, startOwnPlatform } from "../../world/own_platform.ts";
import { long } from "../../world/tiers.ts";
import { newFolder, platformctl } from "../command.ts";

const part = 8 * 1024 * 1024;
const layer = someBytes(part + 100);
const other = someBytes(300);

let filled: string;
let state: string;
let target: Target;
let image: Image;

const databasesIn = (folder: string) => join(folder, "d1/v3");

/** Fills a folder: an image with a layer of two pieces and a large manifest, and another blob. */
beforeAll(async () => {
  filled = await newFolder();
  await copyDatabase(databasesIn(filled), ["DB_2"]);
  const registry = await startOwnRegistry({ folder: databasesIn(filled), isNew: false });
  target = await registry.newTarget();
  const location = await begin(target);
  await sendChunk(target, location, layer.subarray(0, part), 0);
  await end(target, location, digestOf(layer), layer.subarray(part));
  image = newImageOf({ layer, annotations: { long: "x".repeat(70_000) } });
  await pushImage(target, "latest", image);
  await pushBlob(target, other);
  await registry.stop();
});
afterAll(() => rm(filled, { recursive: true }));

beforeEach(async () => {
  state = await newFolder();
  await cp(filled, state, { recursive: true });
  ({ databases, bucket, close } = await openBindings(
    [
      { binding: "DB", database_name: "platform", database_id: noDatabase },
      { binding: "DB_2", database_name: "two", database_id: "DB_2" },
    ],
    { folder: join(state, "d1") },
    bucketOf(undefined),
  ));
  db = databases.get("DB") as Sql;
});
afterEach(async () => {
  await close();
  await rm(state, { recursive: true });
});

let databases: Map<string, Sql>;
let db: Sql;
let bucket: R2Bucket;
let close: () => Promise<void>;

const compare = (isRepairing = false, sample = 20) =>
  compareBucket({ databases, bucket, sample, isRepairing });

const nothing = { count: 0, bytes: 0, first: [] };

const intact = {
  ...{
    unneeded: nothing,
    strays: nothing,
    quarantined: nothing,
    damaged: nothing,
    unread: nothing,
  },
  blobs: { count: 4, read: 4 },
};

/** The keys of the objects of a blob, in their order. */
const keysOf = async (digest: string) =>
  (
    await run(
      db,
      "SELECT key FROM objects JOIN blobs ON blobs.id = blob_id WHERE digest = unhex(?) ORDER BY first_byte",
      digest.slice(7),
    )
  ).map(({ key }) => String(key));

const faults = () =>
  run(db, "SELECT lower(hex(digest)) AS hex, fault FROM blobs WHERE fault IS NOT NULL");

/** Runs the registry on the same folder. */
async function withRegistry(
  work: (target: Target, platform: Awaited<ReturnType<typeof startOwnPlatform>>) => Promise<void>,
): Promise<void> {
  await close();
  close = async () => {};
  const platform = await startOwnPlatform({
    folder: databasesIn(state),
    isNew: false,
    log: () => {},
  });
  await work({ ...target, origin: platform.origin }, platform);
  await platform.stop();
}

/** The status, and the message of the error. */
async function refusal(answer: Response): Promise<[number, string]> {
  return [answer.status, (await answer.json()).errors[0].message];
}

test("an intact store has nothing to report", async () => {
  expect(await compare()).toMatchObject({ ...intact, objects: { count: 5 } });
});

test("the number of blobs that are read is the one that was asked for", long, async () => {
  expect((await compare(false, 0)).blobs).toEqual({ count: 4, read: 0 });
  expect((await compare(false, 2)).blobs).toEqual({ count: 4, read: 2 });
  expect((await compare(false, Number.POSITIVE_INFINITY)).blobs).toEqual({ count: 4, read: 4 });
});

test("objects that the clean-up deletes are listed: those without a row, and those that nothing needs", async () => {
  await bucket.put("stray", "abc");
  const [key = ""] = await keysOf(digestOf(other));
  await run(db, "UPDATE objects SET blob_id = NULL, idle_time = 1700000000000 WHERE key = ?", key);
  await run(
    db,
    "INSERT INTO objects (key, size, upload_id, idle_time) VALUES ('new', 5, 'u', 9e15)",
  );
  const before = await run(db, "SELECT * FROM objects ORDER BY key");
  const { strays, unneeded, damaged } = await compare(true);
  expect(strays).toMatchObject({ count: 1, bytes: 3, first: [{ key: "stray", size: 3 }] });
  const idle = { key, size: 300, database: "DB", idleTime: 1_700_000_000_000 };
  expect(unneeded).toEqual({ count: 1, bytes: 300, first: [idle] });
  expect(damaged).toEqual(nothing);
  expect(await run(db, "SELECT * FROM objects ORDER BY key")).toEqual(before);
  expect(await bucket.head("stray")).not.toBeNull();
});

test("an object that another database needs is neither stray nor unneeded", long, async () => {
  const two = databases.get("DB_2") as Sql;
  const [key = ""] = await keysOf(digestOf(other));
  const [row] = await run(db, "SELECT size, etag FROM objects WHERE key = ?", key);
  await run(
    two,
    "INSERT INTO blobs (id, digest, size) VALUES (7, unhex(?), 300)",
    digestOf(other).slice(7),
  );
  await run(
    two,
    "INSERT INTO objects (key, blob_id, size, etag) VALUES (?, 7, ?, ?)",
    ...[key, row?.size, row?.etag],
  );
  await run(db, "UPDATE objects SET blob_id = NULL, idle_time = 1 WHERE key = ?", key);
  expect(await compare()).toMatchObject(intact);
  await run(db, "DELETE FROM objects WHERE key = ?", key);
  expect(await compare()).toMatchObject(intact);
});

test("a missing object is found, and a blob with several of them once. Only a repair quarantines it", async () => {
  await bucket.delete(await keysOf(digestOf(layer)));
  const blob = { database: "DB", digest: digestOf(layer), fault: "missing" };
  const { damaged } = await compare();
  expect(damaged).toMatchObject({ count: 1, bytes: layer.length, first: [blob] });
  expect(await faults()).toEqual([]);
  expect((await compare(true)).damaged).toEqual(damaged);
  expect(await faults()).toEqual([{ hex: digestOf(layer).slice(7), fault: "missing" }]);
  expect(await compare(true)).toMatchObject({
    damaged: nothing,
    quarantined: { count: 1, first: [blob] },
  });
});

test("bytes with another digest are found by reading them, also in the second piece of a blob", async () => {
  const [, key = ""] = await keysOf(digestOf(layer));
  const written = await bucket.put(key, someBytes(100));
  await run(db, "UPDATE objects SET etag = ? WHERE key = ?", written?.etag, key);
  expect((await compare(true, 0)).damaged).toEqual(nothing);
  expect((await compare(true)).damaged).toMatchObject({
    count: 1,
    first: [
      {
        digest: digestOf(layer),
        fault: "changed",
        wrong: expect.stringMatching(/^its bytes have the digest sha256:/),
      },
    ],
  });
  expect(await faults()).toMatchObject([{ fault: "changed" }]);
});

test("a blob that R2 fails to return is listed, and the others are read and quarantined all the same", async () => {
  const [key = ""] = await keysOf(digestOf(layer));
  await bucket.delete(await keysOf(digestOf(other)));
  const failing = new Proxy(bucket, {
    get: (of, name) =>
      name === "get"
        ? (asked: string, ...more: [R2GetOptions]) =>
            asked === key ? Promise.reject(new Error("no answer")) : of.get(asked, ...more)
        : Reflect.get(of, name),
  });
  const outcome = await compareBucket({
    ...{ databases, bucket: failing, sample: 20, isRepairing: true },
  });
  expect(outcome).toMatchObject({
    unread: { count: 1, first: [{ digest: digestOf(layer), reason: "no answer" }] },
    damaged: { count: 1, first: [{ digest: digestOf(other) }] },
  });
  expect(await faults()).toMatchObject([{ hex: digestOf(other).slice(7) }]);
});

test("a blob that has got other objects since it was read is not quarantined", async () => {
  const [row] = await run(
    db,
    "SELECT id FROM blobs WHERE digest = unhex(?)",
    digestOf(other).slice(7),
  );
  const blob = await readBlob(db, Number(row?.id));
  if (!blob) throw new Error("the blob is missing");
  await run(db, "UPDATE objects SET key = 'pushed again' WHERE blob_id = ?", blob.id);
  expect(await quarantine(db, blob, "missing", true)).toBe(false);
  expect(await faults()).toEqual([]);
});

const fsck = async (...args: string[]) => {
  await close();
  close = async () => {};
  return platformctl(["fsck", "--objects", "--local", "--folder", state, ...args]);
};

test("the command finds bytes that were replaced. After a repair, an event names the blob, pulls get 404 with the reason, and a push heals it", {
  ...long,
  timeout: 120_000,
}, async () => {
  const [key = ""] = await keysOf(digestOf(other));
  await bucket.put(key, someBytes(300));
  const found = await fsck("--every-blob");
  expect({ code: found.code, err: found.err }).toEqual({ code: 1, err: "" });
  expect(found.out).toMatch(/^damaged +1 {2}300 B {2}--repair quarantines them/m);
  expect(found.out).toContain(`${digestOf(other)}  its object ${key} has another size or ETag`);
  const repaired = await fsck("--repair", "--json");
  expect(JSON.parse(repaired.out)).toMatchObject({ found: 1, repaired: 1, left: 0 });
  expect(repaired.code).toBe(0);
  await withRegistry(async (at, platform) => {
    const path = `blobs/${digestOf(other)}`;
    expect(await refusal(await send(at, path))).toEqual([
      404,
      expect.stringContaining("another length or digest"),
    ]);
    await platform.runSchedule();
    const events = await platform.db
      .prepare("SELECT data FROM events WHERE type LIKE '%registry.damage.v1'")
      .all();
    expect(events.results).toMatchObject([{ data: expect.stringContaining(digestOf(other)) }]);
    expect(await pullImage(at, "latest")).toEqual(image);
    await pushBlob(at, other);
    const pulled = await send(at, path);
    expect(digestOf(new Uint8Array(await pulled.arrayBuffer()))).toBe(digestOf(other));
  });
  const healed = await fsck("--every-blob");
  expect(healed.code).toBe(0);
  expect(healed.out).toMatch(/^No damage was found\.$/m);
});

test("the command needs --objects for --sample and --every-blob, and only one of them", async () => {
  const ask = (...args: string[]) => platformctl(["fsck", "--local", "--folder", state, ...args]);
  expect(await ask("--every-blob")).toMatchObject({
    code: 2,
    err: expect.stringContaining("need --objects"),
  });
  expect(await ask("--objects", "--every-blob", "--sample", "3")).toMatchObject({
    code: 2,
    err: expect.stringContaining("Choose --sample or --every-blob"),
  });
  expect(await ask("--objects", "--sample", "x")).toMatchObject({ code: 2 });
});
