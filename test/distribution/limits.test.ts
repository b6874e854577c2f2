/** The limits that an operator can set: bytes of a request, bytes of an organization, and events of pulls. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  begin,
  digestOf,
  end,
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

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let target: Target;
beforeAll(async () => {
  registry = await startOwnRegistry({
    bindings: {
      MAX_BODY_BYTES: String(bodyLimit),
      STORAGE_LIMIT_BYTES: String(storageLimit),
      PULL_EVENTS: "0",
    },
  });
  target = await registry.newTarget();
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
  // The organization has these bytes, so another copy needs no room.
  expect(await pushBlob({ ...target, name: `${target.name}-copy` }, bytes)).toBe(digest);
  const image = newImageOf({ layers: [], annotations: { long: "x".repeat(150_000) } });
  await pushBlob(target, image.config);
  expect(await outcome(putManifest(target, "latest", image.text))).toEqual([403, "DENIED"]);
  for (const name of [target.name, `${target.name}-copy`]) {
    await send({ ...target, name }, `blobs/${digest}`, { method: "DELETE" });
  }
  expect(await pushBlob(target, more)).toBe(digestOf(more));
  expect(await outcome(putManifest(target, "latest", image.text))).toEqual([201]);
});

test("an organization can have a limit of its own", async () => {
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

test("without events of pulls, none is written", async () => {
  await send(target, "manifests/more");
  await send(target, "manifests/nothing");
  const rows = await registry.run("select 1 from events where type like '%registry.pull.v1'");
  expect(rows).toEqual([]);
});
