/** Public images: anyone can pull `latest` and `latest-dev`, and nothing else. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  descriptorOf,
  digestOf,
  indexType,
  manifestType,
  newImageOf,
  outcome,
  pullImage,
  pushImage,
  putManifest,
  send,
  type Target,
} from "./client.ts";
import { startOwnRegistry } from "./own_registry.ts";

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
beforeAll(async () => {
  registry = await startOwnRegistry();
  await registry.run("update groups set name = 'public' where uid = ?", registry.organization);
});
afterAll(() => registry.stop());

/** A public image, as its owner and as anyone see it. */
async function newPublic(name: string): Promise<{ owner: Target; anyone: Target }> {
  const { token, origin } = await registry.newTarget();
  const owner = { name: `public/${name}`, token, ...(origin ? { origin } : {}) };
  const asked = await fetch(`${origin}/token?scope=repository:public/${name}:pull`);
  const { token: open } = (await asked.json()) as { token: string };
  return { owner, anyone: { ...owner, token: open } };
}

test("anyone can pull latest and latest-dev, and other tags are unknown to them", async () => {
  const { owner, anyone } = await newPublic("nginx");
  const latest = await pushImage(owner, "latest");
  const dev = await pushImage(owner, "latest-dev");
  const secret = await pushImage(owner, "1.0");
  expect(await pullImage(anyone, "latest")).toEqual(latest);
  expect(await pullImage(anyone, "latest-dev")).toEqual(dev);
  const unknown = [404, "MANIFEST_UNKNOWN"];
  expect(await outcome(send(anyone, "manifests/1.0"))).toEqual(unknown);
  expect(await outcome(send(anyone, `manifests/${secret.digest}`))).toEqual(unknown);
  expect(await outcome(send(anyone, `_vendor/images/${secret.digest}`))).toEqual(unknown);
  expect(await outcome(send(anyone, `_vendor/images/${latest.digest}`))).toEqual([200]);
  expect(await outcome(send(anyone, `blobs/${digestOf(secret.layer)}`))).toEqual([
    404,
    "BLOB_UNKNOWN",
  ]);
  const listed = (await (await send(anyone, "tags/list")).json()) as { tags: string[] };
  expect(listed.tags).toEqual(["latest", "latest-dev"]);
  expect(await pullImage(owner, "1.0")).toEqual(secret);
});

test("anyone can pull what latest leads to: the manifests of an index and their blobs", async () => {
  const { owner, anyone } = await newPublic("index");
  const image = await pushImage(owner, "part");
  const manifests = [
    { ...descriptorOf(image.text, manifestType), platform: { os: "linux", architecture: "amd64" } },
  ];
  const index = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests });
  expect(await outcome(send(anyone, `manifests/${image.digest}`))).toEqual([
    404,
    "MANIFEST_UNKNOWN",
  ]);
  await putManifest(owner, "latest", index, indexType);
  expect((await send(anyone, "manifests/latest")).status).toBe(200);
  expect(await pullImage(anyone, image.digest)).toEqual(image);
});

test("a digest that latest pointed to can still be pulled, because builds pin it", async () => {
  const { owner, anyone } = await newPublic("pinned");
  const before = await pushImage(owner, "latest");
  await pushImage(owner, "latest");
  expect(await pullImage(anyone, before.digest)).toEqual(before);
});

test("without a login, nothing can be pushed, deleted or mounted", async () => {
  const { owner, anyone } = await newPublic("closed");
  const { layer, text } = await pushImage(owner, "latest");
  for (const [method, path] of [
    ["POST", "blobs/uploads/"],
    ["POST", `blobs/uploads/?mount=${digestOf(layer)}&from=public/nginx`],
    ["PUT", "manifests/latest"],
    ["DELETE", "manifests/latest"],
    ["DELETE", `blobs/${digestOf(layer)}`],
  ] as const) {
    const body = method === "PUT" ? { body: text } : {};
    expect(await outcome(send(anyone, path, { method, ...body }))).toEqual([401, "UNAUTHORIZED"]);
  }
  expect((await send(anyone, "manifests/latest")).status).toBe(200);
});

test("referrers of public images are not shown without a login", async () => {
  const { owner, anyone } = await newPublic("signed");
  const image = await pushImage(owner, "latest");
  const signature = newImageOf({
    artifactType: "application/vnd.example.signature",
    subject: descriptorOf(image.text, manifestType),
  });
  await pushImage(owner, "signature", signature);
  const read = async (as: Target) =>
    ((await (await send(as, `referrers/${image.digest}`)).json()) as { manifests: unknown[] })
      .manifests;
  expect(await read(owner)).toHaveLength(1);
  expect(await read(anyone)).toEqual([]);
});
