/** The limits that an operator can set: bytes of a request, bytes of an organization, and events of pulls. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  begin,
  digestOf,
  end,
  inHalves,
  newImageOf,
  outcome,
  pushBlob,
  pushImage,
  putManifest,
  send,
  sendChunk,
  someBytes,
  type Target,
} from "./client.ts";
import { startOwnRegistry } from "./own_registry.ts";

const bodyLimit = 1_000_000;
const storageLimit = 3_000_000;
const openUploads = 4;

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let target: Target;
beforeAll(async () => {
  registry = await startOwnRegistry({
    bindings: {
      MAX_BODY_BYTES: String(bodyLimit),
      STORAGE_LIMIT_BYTES: String(storageLimit),
    },
  });
  target = await registry.newTarget();
  await registry.run(
    "update quotas set quota_limit = ? where organization = '' and kind = 'open_uploads'",
    openUploads,
  );
});
afterAll(() => registry.stop());

test("a body over the limit is refused with 413 and a hint, and smaller chunks are accepted", async () => {
  const bytes = someBytes(2 * bodyLimit);
  const digest = digestOf(bytes);
  const path = `blobs/uploads/?digest=${digest}`;
  const posted = await send(target, path, { method: "POST", body: bytes });
  expect(await posted.clone().text()).toContain("platformctl push");
  expect(await outcome(posted)).toEqual([413, "SIZE_INVALID"]);
  const location = await begin(target);
  const stream = { method: "PATCH", body: new Blob([bytes]).stream() };
  expect(await outcome(send(target, location, stream))).toEqual([413, "SIZE_INVALID"]);
  expect((await send(target, location)).headers.get("range")).toBe("0-0");
  expect((await sendChunk(target, location, bytes.subarray(0, bodyLimit), 0)).status).toBe(202);
  expect(await outcome(end(target, location, digest, bytes.subarray(bodyLimit)))).toEqual([201]);
});

test("an organization at its limit can push nothing more, until it deletes something", async () => {
  const path = (digest: string) => `blobs/uploads/?digest=${digest}`;
  const bytes = someBytes(900_000);
  const digest = await pushBlob(target, bytes);
  const more = someBytes(200_000);
  const refused = await send(target, path(digestOf(more)), { method: "POST", body: more });
  expect(await refused.clone().text()).toContain(`${storageLimit} bytes`);
  expect(await outcome(refused)).toEqual([403, "DENIED"]);
  // The organization has these bytes, so a mount needs no room.
  const copy = { ...target, name: `${target.name}-copy` };
  const mount = `blobs/uploads/?mount=${digest}&from=${target.name}`;
  expect(await outcome(send(copy, mount, { method: "POST" }))).toEqual([201]);
  const image = newImageOf({ layers: [], annotations: { long: "x".repeat(150_000) } });
  await pushBlob(target, image.config);
  expect(await outcome(putManifest(target, "latest", image.text))).toEqual([403, "DENIED"]);
  for (const name of [target.name, `${target.name}-copy`]) {
    await send({ ...target, name }, `blobs/${digest}`, { method: "DELETE" });
  }
  // The bytes count until they are deleted from R2.
  expect(await outcome(send(target, path(digestOf(more)), { method: "POST", body: more }))).toEqual(
    [403, "DENIED"],
  );
  await deleteUnused();
  expect(await pushBlob(target, more)).toBe(digestOf(more));
  expect(await outcome(putManifest(target, "latest", image.text))).toEqual([201]);
});

/** Runs the clean-up as if days had passed. */
async function deleteUnused() {
  await registry.runSchedule();
  await registry.run("update objects set idle_time = 1 where idle_time > 0");
  await registry.runSchedule();
}

interface Stored {
  bytes: number;
  reserved: number;
}

const stored = async () => {
  const [row] = await registry.run<Stored>(
    "select bytes, reserved_bytes as reserved from organization_storage where uid = ?",
    registry.organization,
  );
  return row ?? { bytes: 0, reserved: 0 };
};

test("open uploads count, and a body over the rest of the limit is refused before it is read", async () => {
  await registry.run("delete from uploads");
  await deleteUnused();
  const before = await stored();
  const size = Math.floor((storageLimit - before.bytes) / 3);
  const chunk = someBytes(size);
  const locations = [];
  for (let upload = 0; upload < 3; upload += 1) {
    const location = await begin(target);
    expect((await sendChunk(target, location, chunk, 0)).status).toBe(202);
    locations.push(location);
  }
  expect(await stored()).toEqual({ ...before, reserved: 3 * size });
  const objects = await registry.listObjects();
  const location = await begin(target);
  expect(await outcome(sendChunk(target, location, chunk, 0))).toEqual([403, "DENIED"]);
  const stream = { method: "PATCH", body: new Blob([chunk]).stream() };
  expect(await outcome(send(target, location, stream))).toEqual([403, "DENIED"]);
  expect(await registry.listObjects()).toEqual(objects);
  for (const one of locations) await send(target, one, { method: "DELETE" });
  await expect.poll(stored).toEqual(before);
});

test("refused pushes of a large manifest leave nothing", async () => {
  const before = await stored();
  const objects = await registry.listObjects();
  const { text } = newImageOf({ annotations: { long: "x".repeat(900_000) } });
  for (let push = 0; push < 3; push += 1) {
    expect((await putManifest(target, "refused", text)).status).toBe(404);
  }
  await expect.poll(stored).toEqual(before);
  expect(await registry.listObjects()).toEqual(objects);
});

test("a push that is deleted at once is not free: its bytes count until the clean-up deletes them", async () => {
  await deleteUnused();
  const before = await stored();
  const digest = await pushBlob(target, someBytes(100_000));
  expect(await stored()).toEqual({ ...before, bytes: before.bytes + 100_000 });
  await send(target, `blobs/${digest}`, { method: "DELETE" });
  expect(await stored()).toEqual({ ...before, reserved: before.reserved + 100_000 });
  await deleteUnused();
  expect(await stored()).toEqual(before);
});

test("an organization has at most as many open uploads as the operator allows, and an idle one ends for a new one", async () => {
  await registry.run("delete from uploads");
  const locations = [];
  for (let upload = 0; upload < openUploads; upload += 1) locations.push(await begin(target));
  const refused = await send(target, "blobs/uploads/", { method: "POST" });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  const id = (locations[2] ?? "").split("/").at(-1);
  await registry.run("update uploads set update_time = update_time - 61000 where id = ?", id);
  expect((await send(target, "blobs/uploads/", { method: "POST" })).status).toBe(202);
  const statuses = await Promise.all(
    locations.map(async (one) => (await send(target, one)).status),
  );
  expect(statuses).toEqual([204, 204, 404, 204]);
});

test("an upload that gets bytes is not idle, however long a chunk takes", async () => {
  await registry.run("delete from uploads");
  const location = await begin(target);
  const slow = inHalves(someBytes(1000));
  const sent = outcome(send(target, location, { method: "PATCH", body: slow.body }));
  const writing = "select key from objects where upload_id is not null and idle_time is not null";
  await expect.poll(() => registry.run(writing)).toHaveLength(1);
  await registry.run("update uploads set update_time = update_time - 61000");
  for (let upload = 1; upload < openUploads; upload += 1) await begin(target);
  expect((await send(target, "blobs/uploads/", { method: "POST" })).status).toBe(429);
  slow.release();
  expect(await sent).toEqual([202]);
});

test("an upload cannot have many small chunks", async () => {
  await registry.run("delete from uploads");
  const location = await begin(target);
  expect((await sendChunk(target, location, someBytes(10))).status).toBe(202);
  await registry.run("update uploads set chunks = 1000");
  expect(await outcome(sendChunk(target, location, someBytes(10)))).toEqual([
    400,
    "BLOB_UPLOAD_INVALID",
  ]);
});

test("an organization can have a limit of its own", async () => {
  await registry.run("delete from uploads");
  await registry.run(
    "update organization_storage set byte_limit = 10 where uid = ?",
    registry.organization,
  );
  expect(await outcome(send(target, "blobs/uploads/", { method: "POST" }))).toEqual([
    403,
    "DENIED",
  ]);
  await registry.run("update organization_storage set byte_limit = 100000000");
  await pushImage(target, "more");
});
