/** Requests of one upload that cross each other, are repeated, or are cut off. */
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  begin,
  digestOf,
  end,
  inHalves,
  outcome,
  pushBlob,
  pushImage,
  send,
  sendChunk,
  someBytes,
  type Target,
} from "../client.ts";
import { startOwnRegistry } from "../own_registry.ts";

const MiB = 1024 * 1024;

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let target: Target;
let stranger: Target;
beforeAll(async () => {
  registry = await startOwnRegistry();
  target = await registry.newTarget();
  const other = await registry.newOwner();
  stranger = { ...target, name: `${other.uid}/image`, token: other.registryToken };
});
afterAll(() => registry.stop());

/** Waits until so many requests write objects of the upload. */
const arriving = (location: string, requests: number) =>
  expect
    .poll(() =>
      registry.run(
        "select key from objects where upload_id = ? and idle_time is not null",
        location.split("/").at(-1),
      ),
    )
    .toHaveLength(requests);

const bytesOf = async (from: Target, digest: string) => {
  const answer = await send(from, `blobs/${digest}`);
  return { status: answer.status, digest: digestOf(new Uint8Array(await answer.arrayBuffer())) };
};

/** Runs the clean-up until everything that nothing needs is gone. */
async function cleanUp() {
  for (let run = 0; run < 3; run += 1) {
    await registry.run("update objects set idle_time = 1 where idle_time > 0");
    await registry.runSchedule();
  }
}

test.for([100, 100_000])(
  "the bytes of a request that loses never become the blob of the one that wins (%i bytes)",
  async (size) => {
    const [good, evil] = [someBytes(size), someBytes(size)];
    const location = await begin(target);
    const slow = inHalves(evil);
    const late = outcome(
      send(target, `${location}?digest=${digestOf(evil)}`, { method: "PUT", body: slow.body }),
    );
    expect(await outcome(end(target, location, digestOf(good), good))).toEqual([201]);
    slow.release();
    expect(await late).toEqual([404, "BLOB_UPLOAD_UNKNOWN"]);
    await cleanUp();
    const expected = { status: 200, digest: digestOf(good) };
    expect(await bytesOf(target, digestOf(good))).toEqual(expected);
    await pushBlob(stranger, good);
    expect(await bytesOf(stranger, digestOf(good))).toEqual(expected);
    expect((await bytesOf(target, digestOf(evil))).status).toBe(404);
  },
);

test("the last PUT sent twice at once is accepted twice, and the blob stays", async () => {
  const pushes = Array.from({ length: 10 }, async () => {
    const bytes = someBytes(1000);
    const location = await begin(target);
    expect((await sendChunk(target, location, bytes)).status).toBe(202);
    const twice = [1, 2].map(() => outcome(end(target, location, digestOf(bytes))));
    expect(await Promise.all(twice)).toEqual([[201], [201]]);
    return digestOf(bytes);
  });
  const digests = await Promise.all(pushes);
  await cleanUp();
  for (const digest of digests) {
    expect(await bytesOf(target, digest)).toEqual({ status: 200, digest });
  }
});

test("a PUT of another digest is not taken for a repeated one", async () => {
  const location = await begin(target);
  const bytes = someBytes(10);
  expect(await outcome(end(target, location, digestOf(bytes), bytes))).toEqual([201]);
  expect(await outcome(end(target, location, digestOf("other")))).toEqual([
    404,
    "BLOB_UPLOAD_UNKNOWN",
  ]);
});

test("of two chunks at the same time, one counts, and its bytes are those of the digest", async () => {
  const [one, two] = [someBytes(500), someBytes(500)];
  const location = await begin(target);
  const slow = [one, two].map(inHalves);
  const sent = slow.map(({ body }) => send(target, location, { method: "PATCH", body }));
  await arriving(location, 2);
  for (const { release } of slow.reverse()) release();
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([202, 416]);
  const winner = digestOf(statuses[0] === 202 ? one : two);
  expect(await outcome(end(target, location, winner))).toEqual([201]);
  expect(await bytesOf(target, winner)).toEqual({ status: 200, digest: winner });
});

test("a chunk counts, even if another role of its caller is removed while it arrives", async () => {
  const grants = await registry.run<{ uid: string }>(
    `insert into role_bindings (uid, identity_uid, role_uid, accepted, create_time, update_time)
     select ?1 || '/00000000000000aa', ?2, uid, 1, 1, 1 from roles where name = 'viewer' and length(uid) = 40
     returning uid`,
    ...[registry.organization, registry.owner],
  );
  expect(grants).toHaveLength(1);
  const location = await begin(target);
  const bytes = someBytes(1000);
  const slow = inHalves(bytes);
  const sent = outcome(send(target, location, { method: "PATCH", body: slow.body }));
  await registry.run("delete from role_bindings where uid = ?", grants[0]?.uid);
  slow.release();
  expect(await sent).toEqual([202]);
  expect(await outcome(end(target, location, digestOf(bytes)))).toEqual([201]);
});

test("chunks that lose leave no object and no reserved bytes", async () => {
  await cleanUp();
  const before = await registry.listObjects();
  const location = await begin(target);
  const slow = [1, 2, 3, 4].map((n) => inHalves(Buffer.alloc(1000 * n)));
  const sent = slow.map(({ body }) => send(target, location, { method: "PATCH", body }));
  await arriving(location, 4);
  for (const { release } of slow) release();
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([202, 416, 416, 416]);
  const last = (await send(target, location)).headers.get("range")?.slice("0-".length);
  const digest = digestOf(Buffer.alloc(Number(last) + 1));
  expect(await outcome(end(target, location, digest))).toEqual([201]);
  await expect.poll(async () => (await registry.listObjects()).length).toBe(before.length + 1);
  await expect.poll(() => reserved()).toBe(0);
});

const reserved = async () => {
  const [row] = await registry.run<{ sum: number }>(
    "select sum(reserved_bytes) as sum from organization_storage",
  );
  return row?.sum;
};

test.each([
  ["known", { "content-length": String(20 * MiB) }],
  ["unknown", { "transfer-encoding": "chunked" }],
])(
  "a cut connection leaves no object and no reserved bytes, if the length is %s",
  async (_, length) => {
    const before = await registry.listObjects();
    const location = await begin(target);
    const headers = { authorization: `Bearer ${target.token}`, ...length };
    const cut = request(`${target.origin}${location}`, { method: "PATCH", headers });
    cut.on("error", () => {});
    cut.write(someBytes(9 * MiB));
    await expect.poll(() => reserved()).toBeGreaterThan(8 * MiB);
    await pause(200);
    cut.destroy();
    await expect.poll(() => reserved()).toBe(0);
    expect(await registry.listObjects()).toEqual(before);
  },
);

const damages: [what: string, damage: (key: string) => Promise<unknown>, fault: string][] = [
  ["is gone", (key) => registry.deleteObject(key), "missing"],
  [
    "has other bytes of the same length",
    (key) => registry.putObject(key, "x".repeat(50)),
    "changed",
  ],
  ["has fewer bytes", (key) => registry.putObject(key, "x".repeat(30)), "changed"],
  ["has more bytes", (key) => registry.putObject(key, "x".repeat(51)), "changed"],
];

test.for(damages)(
  "a blob whose object %s is 404 with a reason, an event, and healed by a push",
  async ([, damage, fault]) => {
    const bytes = someBytes(50);
    const digest = await pushBlob(target, bytes);
    const [row] = await registry.run<{ key: string }>(
      "select key from objects where blob_id = (select id from blobs where digest = unhex(?))",
      digest.slice(7),
    );
    await damage(row?.key ?? "");
    const refused = await send(target, `blobs/${digest}`, { headers: { range: "bytes=40-" } });
    expect(refused.status).toBe(404);
    expect(await refused.text()).toContain("push it again");
    await expect
      .poll(async () => (await send(target, `blobs/${digest}`, { method: "HEAD" })).status)
      .toBe(404);
    await registry.runSchedule();
    const [marked] = await registry.run<{ fault: string }>(
      "select fault from blobs where digest = unhex(?)",
      digest.slice(7),
    );
    expect(marked?.fault).toBe(fault);
    const events = await registry.run<{ digest: string }>(
      "select digest from events where type like '%registry.damage.v1' and digest = ?",
      digest,
    );
    expect(events).toHaveLength(1);
    await pushBlob(stranger, bytes);
    expect(await bytesOf(target, digest)).toEqual({ status: 200, digest });
    expect(await bytesOf(stranger, digest)).toEqual({ status: 200, digest });
  },
);

test("a push is not answered from an object that is gone, even if no one has noticed", async () => {
  const bytes = someBytes(60);
  const digest = await pushBlob(target, bytes);
  const [row] = await registry.run<{ key: string }>(
    "select key from objects where blob_id = (select id from blobs where digest = unhex(?))",
    digest.slice(7),
  );
  await registry.deleteObject(row?.key ?? "");
  const query = `?mount=${digest}&from=${target.name}`;
  const mounted = await send(target, `blobs/uploads/${query}`, { method: "POST" });
  expect(mounted.status).toBe(202);
  await pushBlob(stranger, bytes);
  expect(await bytesOf(target, digest)).toEqual({ status: 200, digest });
});

test("a blob in several pieces is read whole and in ranges", async () => {
  const part = 8 * 1024 * 1024;
  const bytes = someBytes(3 * part + 5);
  const location = await begin(target);
  await sendChunk(target, location, bytes.subarray(0, part + 1), 0);
  await sendChunk(target, location, bytes.subarray(part + 1, 2 * part), part + 1);
  const digest = digestOf(bytes);
  expect(await outcome(end(target, location, digest, bytes.subarray(2 * part)))).toEqual([201]);
  expect(await bytesOf(target, digest)).toEqual({ status: 200, digest });
  for (const [first, last] of [
    [part - 1, part + 3],
    [0, 0],
    [2 * part - 2, 3 * part + 4],
  ] as const) {
    const answer = await send(target, `blobs/${digest}`, {
      headers: { range: `bytes=${first}-${last}` },
    });
    expect(answer.status).toBe(206);
    const read = new Uint8Array(await answer.arrayBuffer());
    expect(digestOf(read)).toBe(digestOf(bytes.subarray(first, last + 1)));
  }
});

test("a manifest whose object is gone is 404 with a reason, and healed by a push", async () => {
  const image = await pushImage(target, "large", undefined);
  const text = JSON.stringify({
    ...JSON.parse(image.text),
    annotations: { a: "x".repeat(100_000) },
  });
  const put = () =>
    send(target, "manifests/large", {
      method: "PUT",
      body: text,
      headers: { "content-type": "application/vnd.oci.image.manifest.v1+json" },
    });
  expect((await put()).status).toBe(201);
  const [row] = await registry.run<{ key: string }>(
    "select key from objects where blob_id = (select id from blobs where digest = unhex(?))",
    digestOf(text).slice(7),
  );
  await registry.deleteObject(row?.key ?? "");
  const refused = await send(target, "manifests/large");
  expect([refused.status, await refused.text()]).toEqual([
    404,
    expect.stringContaining("push it again"),
  ]);
  expect((await put()).status).toBe(201);
  expect(await (await send(target, "manifests/large")).text()).toBe(text);
});
