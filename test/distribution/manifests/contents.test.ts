/** The contents of an image: its manifest and its configuration, for clients that only show the image. */
import { expect, test } from "vitest";
import { newIdentity, newOrganization } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import {
  configType,
  descriptorOf,
  indexType,
  manifestType,
  newImageOf,
  newPusher,
  newTarget,
  outcome,
  pushBlob,
  pushImage,
  putManifest,
  send,
  type Target,
} from "../client.ts";
import { registryToken } from "../stored_images.ts";

const contents = (target: Target, digest: string) => send(target, `_vendor/images/${digest}`);
const read = async (target: Target, digest: string) => {
  const answer = await contents(target, digest);
  expect(answer.status).toBe(200);
  return answer.json() as Promise<Record<string, unknown>>;
};

test("the contents are the manifest and the configuration that it names", async () => {
  const target = await newTarget();
  const image = await pushImage(target, "latest");
  expect(await read(target, image.digest)).toEqual({
    digest: image.digest,
    mediaType: manifestType,
    size: image.text.length,
    manifest: JSON.parse(image.text),
    config: JSON.parse(image.config),
  });
  const head = await send(target, `_vendor/images/${image.digest}`, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

test("an index has no configuration, and neither has an image whose configuration is not a JSON object", async () => {
  const target = await newTarget();
  const image = await pushImage(target, "part");
  const index = JSON.stringify({
    ...{ schemaVersion: 2, mediaType: indexType },
    manifests: [descriptorOf(image.text, manifestType)],
  });
  await putManifest(target, "index", index, indexType);
  const { digest } = descriptorOf(index, indexType);
  expect(await read(target, digest)).toMatchObject({ manifest: JSON.parse(index) });
  expect(await read(target, digest)).not.toHaveProperty("config");
  for (const [bytes, type] of [
    ["not JSON", "application/vnd.example.config.v1+json"],
    ["7", "application/vnd.example.config.v1+json"],
    ["{}", "application/octet-stream"],
  ] as const) {
    await pushBlob(target, bytes);
    const odd = newImageOf({ layer: image.layer, config: descriptorOf(bytes, type) });
    expect((await putManifest(target, "odd", odd.text)).status).toBe(201);
    expect(await read(target, odd.digest)).not.toHaveProperty("config");
  }
});

test("a configuration of more than 1 MiB is left out", async () => {
  const target = await newTarget();
  const layer = (await pushImage(target, "latest")).layer;
  const long = JSON.stringify({ padding: "x".repeat(1024 * 1024) });
  await pushBlob(target, long);
  const type = `${configType.replace("v1", "v9")}`;
  const image = newImageOf({ layer, config: descriptorOf(long, type) });
  expect((await putManifest(target, "long", image.text)).status).toBe(201);
  expect(await read(target, image.digest)).not.toHaveProperty("config");
});

test("a configuration can be nested as deeply as its size allows", async () => {
  const target = await newTarget();
  const layer = (await pushImage(target, "latest")).layer;
  const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  await pushBlob(target, deep);
  const config = descriptorOf(deep, configType.replace("v1", "v9"));
  const image = newImageOf({ layer, config });
  expect((await putManifest(target, "deep", image.text)).status).toBe(201);
  const answer = await contents(target, image.digest);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(await answer.text()).toContain(`"config":${deep}`);
});

test("a look at the contents is not recorded as a pull", async () => {
  const { organization, token } = await newPusher();
  const target = { name: `${organization.uid}/looked-at`, token };
  const image = await pushImage(target, "latest");
  await read(target, image.digest);
  const puller = await newIdentity(organization, "registry.pull");
  const pulling = { ...target, token: await registryToken(puller.uid) };
  await (await send(pulling, `manifests/${image.digest}`)).arrayBuffer();
  const recorded = () =>
    sql<{ identity: string }>(
      "select identity from tag_pulls where reference = ? order by identity",
      image.digest,
    );
  await expect.poll(recorded).toEqual([{ identity: puller.uid }]);
});

test("the contents are refused like a pull", async () => {
  const target = await newTarget();
  const image = await pushImage(target, "latest");
  const missing = image.digest.replace(/.{4}$/, "0000");
  expect(await outcome(contents(target, missing))).toEqual([404, "MANIFEST_UNKNOWN"]);
  expect(await outcome(contents(target, "latest"))).toEqual([404, "MANIFEST_UNKNOWN"]);
  const elsewhere = { ...target, name: `${target.name}-other` };
  expect(await outcome(contents(elsewhere, image.digest))).toEqual([404, "NAME_UNKNOWN"]);
  const stranger = await newOrganization();
  const theirs = { ...target, token: await registryToken(stranger.owner.uid) };
  expect(await outcome(contents(theirs, image.digest))).toEqual([403, "DENIED"]);
  const post = send(target, `_vendor/images/${image.digest}`, { method: "POST" });
  expect(await outcome(post)).toEqual([405, "UNSUPPORTED"]);
});
