/** The clean-up deletes what no one needs, and nothing else, at whatever moment it runs. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  begin,
  digestOf,
  end,
  type Image,
  newImageOf,
  outcome,
  pullImage,
  pushBlob,
  pushImage,
  putManifest,
  send,
  sendChunk,
  someBytes,
  type Target,
} from "./client.ts";
import { startOwnRegistry } from "./own_registry.ts";

const hour = 3_600_000;
const part = 8 * 1024 * 1024;

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
beforeAll(async () => {
  registry = await startOwnRegistry();
});
afterAll(() => registry.stop());

let target: Target;
let repositories = 0;
beforeEach(async () => {
  repositories += 1;
  target = await registry.newTarget(`image-${repositories}`);
});

/** Moves all times of the clean-up into the past. */
async function pass(hours: number): Promise<void> {
  const ms = hours * hour;
  await registry.run("update blob_links set idle_time = idle_time - ?", ms);
  await registry.run("update blobs set idle_time = idle_time - ?", ms);
  await registry.run(
    "update uploads set create_time = create_time - ?1, update_time = update_time - ?1",
    ms,
  );
  await registry.run(
    "update objects set idle_time = max(1, idle_time - ?) where idle_time > 0",
    ms,
  );
}

const clean = () => registry.runSchedule();

/** The keys of all objects that uploads and blobs have, and of all objects in R2. */
const objects = async () => {
  const rows = await registry.run<{ key: string }>(
    "select key from objects where coalesce(upload_id, blob_id) is not null",
  );
  const stored = await registry.listObjects();
  return { named: rows.map(({ key }) => key).sort(), stored: stored.sort() };
};

const has = async (digest: string) => (await send(target, `blobs/${digest}`)).status === 200;

test("a blob that no manifest needs is deleted after a day, from D1 and R2", async () => {
  const digest = await pushBlob(target, someBytes(100));
  await clean();
  await pass(23);
  await clean();
  const [link] = await registry.run("select 1 from blob_links where idle_time is not null");
  expect(link).toBeDefined();
  await pass(2);
  await clean();
  expect(await has(digest)).toBe(false);
  // The bytes stay for another day, because another organization may just have linked them.
  await pass(25);
  await clean();
  expect(
    await registry.run("select id from blobs where digest = unhex(?)", digest.slice(7)),
  ).toEqual([]);
  const { named, stored } = await objects();
  expect(stored).toEqual(named);
});

test("a blob that a manifest needs stays, however old it is", async () => {
  const image = await pushImage(target, "latest");
  await pass(1000);
  await clean();
  await pass(1000);
  await clean();
  expect(await pullImage(target, "latest")).toEqual(image);
});

test("the blobs of a deleted manifest are deleted after a day, and those of another one stay", async () => {
  const shared = someBytes(300);
  const one = await pushImage(target, "one", newImageOf({ layer: shared }));
  const two = newImageOf({ layer: shared, annotations: { n: "2" }, labels: { n: "2" } });
  await pushImage(target, "two", two);
  const three = await pushImage(target, "three");
  await send(target, `manifests/${one.digest}`, { method: "DELETE" });
  await send(target, `manifests/${three.digest}`, { method: "DELETE" });
  await clean();
  expect(await has(digestOf(three.layer))).toBe(true);
  await pass(25);
  await clean();
  expect(await has(digestOf(three.layer))).toBe(false);
  expect(await pullImage(target, "two")).toEqual(two);
});

test("everything of a deleted repository goes, except blobs of other repositories", async () => {
  const image = newImageOf();
  await pushImage(target, "latest", image);
  const other = await registry.newTarget(`other-${repositories}`);
  await pushImage(other, "latest", image);
  const alone = await pushBlob(target, someBytes(9));
  const open = await begin(target);
  await sendChunk(target, open, someBytes(10), 0);
  await registry.run("delete from repos where name = ?", target.name.split("/")[1]);
  await clean();
  await pass(25);
  await clean();
  expect(await pullImage(other, "latest")).toEqual(image);
  expect(
    await registry.run("select id from blobs where digest = unhex(?)", alone.slice(7)),
  ).toEqual([]);
  const { named, stored } = await objects();
  expect(stored).toEqual(named);
});

test("an upload that gets no bytes for a day ends, with its parts", async () => {
  const location = await begin(target);
  await sendChunk(target, location, someBytes(part + 10), 0);
  await pass(23);
  await clean();
  expect((await send(target, location)).headers.get("range")).toBe(`0-${part + 9}`);
  await pass(2);
  await clean();
  expect(await outcome(send(target, location))).toEqual([404, "BLOB_UPLOAD_UNKNOWN"]);
  await pass(25);
  await clean();
  const { named, stored } = await objects();
  expect(stored).toEqual(named);
});

test("an upload ends after a week, even if it still gets bytes", async () => {
  const location = await begin(target);
  for (let day = 1; day <= 7; day += 1) {
    expect((await sendChunk(target, location, someBytes(1))).status).toBe(202);
    await pass(23);
    await clean();
  }
  expect((await sendChunk(target, location, someBytes(1))).status).toBe(202);
  await pass(8);
  await clean();
  expect(await outcome(send(target, location))).toEqual([404, "BLOB_UPLOAD_UNKNOWN"]);
});

test("an object in R2 that no row has named for a week is deleted, and not before", async () => {
  const image = await pushImage(target, "latest");
  await registry.putObject("0123456789abcdef", "a stray object");
  await clean();
  await pass(24 * 6);
  await clean();
  expect(await registry.listObjects()).toContain("0123456789abcdef");
  await pass(25);
  await clean();
  const { named, stored } = await objects();
  expect(stored).toEqual(named);
  expect(await pullImage(target, "latest")).toEqual(image);
});

test("a cancelled upload, a refused digest and a second copy of a blob leave no object", async () => {
  const bytes = someBytes(part + 10);
  const cancelled = await begin(target);
  await sendChunk(target, cancelled, bytes, 0);
  await send(target, cancelled, { method: "DELETE" });
  const wrong = await begin(target);
  await sendChunk(target, wrong, bytes, 0);
  expect((await end(target, wrong, digestOf("x"))).status).toBe(400);
  await pushBlob(target, bytes);
  await pushBlob(target, bytes);
  const image = newImageOf({ annotations: { long: "x".repeat(100_000) } });
  await pushImage(target, "latest", image);
  await pushImage({ ...target, name: `${target.name}-copy` }, "latest", image);
  await clean();
  const { named, stored } = await objects();
  expect(stored).toEqual(named);
  expect(await pullImage(target, "latest")).toEqual(image);
});

describe("a push loses nothing, whichever of its steps the clean-up follows", () => {
  /** The steps of a push whose client finds the layer in the repository, and uploads the configuration. */
  const steps = (image: Image): (() => Promise<unknown>)[] => {
    let location = "";
    return [
      async () => {
        if (!(await has(digestOf(image.layer)))) await pushBlob(target, image.layer);
      },
      async () => {
        location = await begin(target);
      },
      () => sendChunk(target, location, Buffer.from(image.config).subarray(0, 50), 0),
      () => sendChunk(target, location, Buffer.from(image.config).subarray(50), 50),
      () => end(target, location, digestOf(image.config)),
      () => putManifest(target, "latest", image.text),
    ];
  };

  test.for([0, 1, 2, 3, 4, 5])("after step %i", async (at) => {
    const image = newImageOf();
    await pushBlob(target, image.layer);
    // The layer is old enough to go, unless the client that finds it renews its time.
    await pass(23.5);
    for (const [index, step] of steps(image).entries()) {
      await step();
      if (index === at) {
        await pass(23);
        await clean();
      }
    }
    expect(await pullImage(target, "latest")).toEqual(image);
    await pass(1000);
    await clean();
    expect(await pullImage(target, "latest")).toEqual(image);
  });

  test("and while it runs all the time, every manifest that was accepted can be pulled", async () => {
    let isOver = false;
    const cleaning = (async () => {
      while (!isOver) {
        await pass(25);
        await clean();
      }
    })();
    const push = async (index: number): Promise<Image> => {
      const image = newImageOf({
        layer: Buffer.from(`layer ${index % 3} `.repeat(50)),
        annotations: { index: String(index) },
      });
      for (;;) {
        await pushBlob(target, image.layer);
        await pushBlob(target, image.config);
        const { status } = await putManifest(target, `t${index}`, image.text);
        if (status === 201) return image;
        // The clean-up had already taken a blob: the client sends it again.
        expect([404, 409]).toContain(status);
      }
    };
    const images = await Promise.all(Array.from({ length: 12 }, (_, index) => push(index)));
    isOver = true;
    await cleaning;
    for (const [index, image] of images.entries()) {
      expect(await pullImage(target, `t${index}`)).toMatchObject({ digest: image.digest });
    }
  });
});
