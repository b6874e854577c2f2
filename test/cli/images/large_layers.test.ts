/**
 * Layers that are larger than one request may be. LAYER_BYTES sets the size of the layer, such as 5368709120 for 5 GiB.
 * @module-tag long
 */
import { createHash, randomFillSync } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  configType,
  descriptorOf,
  digestOf,
  layerType,
  manifestType,
} from "../../distribution/client.ts";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import type { Organization } from "../../world/personas.ts";
import { commandsOf, newFolder, newStateFolder } from "../command.ts";
import { blobFile } from "./layouts.ts";
import { startProxy } from "./proxy.ts";

const layerBytes = Number(process.env.LAYER_BYTES ?? 300_000_000);
/** The limit of Cloudflare's smallest plans. */
const bodyLimit = 100_000_000;
/** In milliseconds: a 5 GiB layer takes some minutes. */
const timeout = 60_000 + layerBytes / 10_000;

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let platformctl: Awaited<ReturnType<typeof commandsOf>>;
let env: NodeJS.ProcessEnv = {};
let folder = "";
beforeAll(async () => {
  registry = await startOwnRegistry({ bindings: { MAX_BODY_BYTES: String(bodyLimit) } });
  proxy = await startProxy(registry.origin);
  const { uid, name } = { uid: registry.organization, name: "own" };
  const organization = { uid, name, owner: { uid: registry.owner, token: "" } } as Organization;
  platformctl = await commandsOf(organization);
  folder = await newFolder();
  env = {
    PLATFORM_STATE: await newStateFolder(organization, { registryUrl: proxy.url }),
    XDG_STATE_HOME: folder,
  };
});
afterAll(async () => {
  proxy.stop();
  await registry.stop();
  await rm(folder, { recursive: true });
});

const hashFile = async (path: string) => {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return `sha256:${hash.digest("hex")}`;
};

/** Writes a layout with one large layer, and returns the digest of the layer. */
async function writeLayout(path: string): Promise<string> {
  await mkdir(join(path, "blobs/sha256"), { recursive: true });
  const file = await open(join(path, "layer"), "w");
  const bytes = Buffer.alloc(4 * 1024 * 1024);
  for (let left = layerBytes; left > 0; left -= bytes.length) {
    await file.write(randomFillSync(bytes), 0, Math.min(left, bytes.length));
  }
  await file.close();
  const digest = await hashFile(join(path, "layer"));
  await rename(join(path, "layer"), join(path, blobFile(digest)));
  const config = JSON.stringify({ architecture: "amd64", os: "linux" });
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config: descriptorOf(config, configType),
    layers: [{ mediaType: layerType, digest, size: layerBytes }],
  });
  for (const text of [config, manifest])
    await writeFile(join(path, blobFile(digestOf(text))), text);
  const manifests = [descriptorOf(manifest, manifestType)];
  await writeFile(join(path, "index.json"), JSON.stringify({ schemaVersion: 2, manifests }));
  await writeFile(join(path, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}');
  return digest;
}

test("a layer over the limit of a request is pushed in chunks through cuts, and pulled through cuts", {
  timeout,
}, async () => {
  const digest = await writeLayout(join(folder, "layout"));
  const name = `${registry.organization}/large`;
  let patches = 0;
  let reads = 0;
  proxy.change = ({ method, path }) => {
    if (method === "PATCH" && ++patches === 2) return { cutRequestAfter: 10_000_000 };
    if (method === "GET" && path.endsWith(digest) && ++reads === 1) {
      return { cutResponseAfter: 150_000_000 };
    }
    return undefined;
  };
  const pushed = await platformctl(["push", join(folder, "layout"), name], { env });
  expect(pushed).toMatchObject({ code: 0 });
  const sizes = proxy.seen.map(({ headers }) => Number(headers["content-length"] ?? 0));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(bodyLimit);
  // At most one chunk is sent twice.
  const received = proxy.seen.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(received).toBeLessThan(layerBytes + bodyLimit);
  const target = join(folder, "copy");
  expect(await platformctl(["pull", name, target], { env })).toMatchObject({ code: 0 });
  expect(reads).toBe(2);
  const copy = join(target, blobFile(digest));
  expect((await stat(copy)).size).toBe(layerBytes);
  expect(await hashFile(copy)).toBe(digest);
});
