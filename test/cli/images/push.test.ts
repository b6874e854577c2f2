import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { digestOf, pullImage, send, someBytes } from "../../distribution/client.ts";
import { newVerified, registryToken } from "../../distribution/stored_images.ts";
import { type Organization, randomName } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import { tiers } from "../../world/tiers.ts";
import { startAnonymous } from "../anonymous.ts";
import { commandsOf, newFolder, newStateFolder } from "../command.ts";
import {
  blobFile,
  imageFiles,
  newIndexLayout,
  newLayout,
  newNamedLayout,
  packed,
  writeFiles,
} from "./layouts.ts";
import { type Seen, startProxy } from "./proxy.ts";

const mebibyte = 1024 * 1024;

let organization: Organization;
let platformctl: Awaited<ReturnType<typeof commandsOf>>;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let env: NodeJS.ProcessEnv = {};
let token = "";
beforeAll(async () => {
  organization = await newVerified();
  platformctl = await commandsOf(organization);
  proxy = await startProxy(baseUrl());
  env = {
    PLATFORM_STATE: await newStateFolder(organization, { registryUrl: proxy.url }),
    XDG_STATE_HOME: await newFolder(),
  };
  token = await registryToken(organization.owner.uid);
});
afterAll(() => proxy.stop());
beforeEach(() => {
  proxy.seen.length = 0;
  names.clear();
  proxy.change = () => undefined;
});

/** The images of a test. Requests for others are late ones of a push that has failed in another test. */
const names = new Set<string>();
const isOwn = ({ path }: Seen) => [...names].some((name) => path.includes(name));
const seen = () => proxy.seen.filter(isOwn);

function newName(): string {
  const name = `${organization.name}/${randomName("image")}`;
  names.add(name);
  return name;
}

const push = (args: string[], input?: Uint8Array) =>
  platformctl(["push", ...args], { env, ...(input ? { input } : {}) });
const stored = (name: string, reference: string) => pullImage({ name, token }, reference);
const referenceOf = (name: string, digest: string) =>
  `${new URL(proxy.url).host}/${name}@${digest}\n`;
const sentTo = (method: string) => seen().filter((one) => one.method === method);

describe("sources", () => {
  test.each<[string, (folder: string) => Promise<[string, Uint8Array?]>]>([
    ["a folder", async (folder) => [folder]],
    ["a tar archive", async (folder) => written("a.tar", packed(folder))],
    ["a tar archive in gzip", async (folder) => written("a.tar.gz", gzipSync(packed(folder)))],
    [
      "a tar archive with pax headers",
      async (folder) => written("p.tar", packed(folder, "--format=pax")),
    ],
    ["standard input", async (folder) => ["-", packed(folder)]],
    ["standard input in gzip", async (folder) => ["-", gzipSync(packed(folder))]],
  ])("the image in %s is the image in the registry", async (_, sourceOf) => {
    const { folder, digest, layers } = await newLayout();
    const name = newName();
    const [source, input] = await sourceOf(folder);
    const result = await push([source, `${name}:1.0`], input);
    expect(result).toMatchObject({ code: 0, out: referenceOf(name, digest) });
    expect(await stored(name, "1.0")).toMatchObject({ digest, layer: layers[0] });
  });

  test("an archive of docker save is pushed with compressed layers, and the same each time", async () => {
    const layer = Buffer.alloc(50_000, "text that compresses well ");
    const config = JSON.stringify({
      architecture: "amd64",
      os: "linux",
      rootfs: { type: "layers" },
    });
    const path = "0123456789/layer.tar";
    const manifest = [{ Config: "config.json", RepoTags: ["app:1.0"], Layers: [path, path] }];
    const folder = await writeFiles({
      "config.json": config,
      [path]: layer,
      "manifest.json": JSON.stringify(manifest),
    });
    const name = newName();
    const first = await push(["-", name], packed(folder));
    expect(first.code).toBe(0);
    const image = await stored(name, "latest");
    expect(gunzipSync(image.layer)).toEqual(layer);
    expect(image.layer.length).toBeLessThan(1000);
    expect(image.config).toBe(config);
    expect(await push(["-", name], packed(folder))).toMatchObject({ out: first.out });
  });

  test("layers that are links in the archive are followed", async () => {
    const folder = await writeFiles({ "one/layer.tar": someBytes(700), "config.json": "{}" });
    await mkdir(join(folder, "two"));
    await symlink("../one/layer.tar", join(folder, "two/layer.tar"));
    const layers = ["one/layer.tar", "two/layer.tar"];
    const manifest = [{ Config: "config.json", RepoTags: null, Layers: layers }];
    await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
    const name = newName();
    expect(await push(["-", name], packed(folder))).toMatchObject({ code: 0 });
    const { text } = await stored(name, "latest");
    const [one, two] = JSON.parse(text).layers;
    expect(one).toEqual(two);
  });

  test("an image for several platforms is pushed with all of them, or with one", async () => {
    const { folder, digest, amd64, arm64 } = await newIndexLayout();
    const name = newName();
    expect(await push([folder, `${name}:all`])).toMatchObject({ out: referenceOf(name, digest) });
    for (const one of [amd64, arm64])
      expect(await stored(name, one)).toMatchObject({ digest: one });
    const one = await push([folder, `${name}:one`, "--platform", "linux/arm64"]);
    expect(one.out).toBe(referenceOf(name, arm64));
    const none = await push([folder, name, "--platform", "windows/amd64"]);
    expect(none).toMatchObject({
      code: 2,
      err: expect.stringContaining("linux/amd64, linux/arm64"),
    });
  });

  test("an index whose manifests are not all there is refused, and the error says how to push the rest", async () => {
    const { folder, amd64 } = await newIndexLayout("arm64");
    const name = newName();
    const refused = await push([folder, name]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("linux/arm64");
    expect(refused.err).toContain("--platform linux/amd64");
    expect(seen()).toEqual([]);
    const pushed = await push([folder, name, "--platform", "linux/amd64"]);
    expect(pushed.out).toBe(referenceOf(name, amd64));
  });

  test("one of several images is chosen by its name or digest", async () => {
    const { folder, one, two } = await newNamedLayout();
    const name = newName();
    expect(await push([folder, name])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/2 images.* --image: \(USAGE\)\n\s*one\n\s*two/),
    });
    expect((await push([folder, name, "--source-image", "two"])).out).toBe(referenceOf(name, two));
    expect((await push([folder, name, "--source-image", one])).out).toBe(referenceOf(name, one));
    expect((await push([folder, name, "--source-image", "three"])).code).toBe(2);
  });
});

async function written(file: string, bytes: Uint8Array): Promise<[string]> {
  const path = join(await newFolder(), file);
  await writeFile(path, bytes);
  return [path];
}

describe("input that is not an image", () => {
  const cases: [string, () => Promise<string>, string][] = [
    ["a path that does not exist", async () => "/nowhere/image", "cannot be read: ENOENT"],
    ["a folder without an image", () => writeFiles({ a: "b" }), "neither index.json"],
    ["an index that is not JSON", () => writeFiles({ "index.json": "{" }), "not a JSON object"],
    ["an empty index", () => writeFiles({ "index.json": '{"manifests":[]}' }), "contains no image"],
    [
      "a digest that leads elsewhere",
      () => brokenLayout({ digest: "sha256:../../etc" }),
      "is not a sha256",
    ],
    ["a layer that is missing", () => brokenLayout({ lost: true }), "lacks the blob"],
    ["a layer with another size", () => brokenLayout({ layer: someBytes(9) }), "has 9 bytes"],
    [
      "a file that is not an archive",
      async () => (await written("x", someBytes(2000)))[0],
      "no tar header",
    ],
    [
      "an empty archive",
      async () => (await written("x", Buffer.alloc(1024)))[0],
      "neither index.json",
    ],
    [
      "an archive that ends early",
      async () => (await written("x", cutArchive()))[0],
      "ends in the middle",
    ],
    [
      "gzip that ends early",
      async () => (await written("x.gz", cutGzip()))[0],
      "not a complete gzip file",
    ],
  ];
  test.each(cases)("%s is refused, and nothing is sent", async (_, source, reason) => {
    const { code, out, err } = await push([await source(), newName()]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(reason);
    expect(seen()).toEqual([]);
  });

  async function brokenLayout(broken: { digest?: string; lost?: boolean; layer?: Uint8Array }) {
    const original = someBytes(100);
    const { files, descriptor } = imageFiles([original]);
    const path = blobFile(digestOf(original));
    const others = Object.fromEntries(Object.entries(files).filter(([one]) => one !== path));
    const digest = broken.digest ?? descriptor.digest;
    return writeFiles({
      ...others,
      ...(broken.lost ? {} : { [path]: broken.layer ?? original }),
      "index.json": JSON.stringify({ manifests: [{ ...descriptor, digest }] }),
    });
  }
  function cutArchive(): Buffer {
    const archive = Buffer.alloc(2000);
    archive.write("name", 0);
    archive.write("00000010000\0", 124);
    archive.write("0", 156);
    const sum = archive.subarray(0, 512).reduce((total, byte) => total + byte, 8 * 32);
    archive.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return archive.subarray(0, 1000);
  }
  const cutGzip = () => gzipSync(someBytes(5000)).subarray(0, 3000);

  test("a layer with other bytes than its digest says is refused by the registry", async () => {
    const { folder, layers } = await newLayout();
    await writeFile(join(folder, blobFile(digestOf(layers[0] ?? ""))), someBytes(1000));
    const name = newName();
    const { code, err } = await push([folder, name]);
    expect([code, err]).toEqual([1, expect.stringContaining("he bytes have the digest")]);
    expect((await send({ name, token }, "manifests/latest")).status).toBe(404);
  });

  test.each([
    ["a reference with a digest", ["x/y@sha256:1"], "already contains a digest"],
    ["a name in capitals", ["x/Y"], "is not an image"],
    ["a chunk size of zero", ["x/y", "--chunk-size", "0"], "from 1 to 5000"],
    ["a platform of one word", ["x/y", "--platform", "linux"], "OS/ARCHITECTURE"],
  ])("%s is refused", async (_, args, reason) => {
    const { folder } = await newLayout();
    expect(await push([folder, ...args])).toMatchObject({
      code: 2,
      err: expect.stringContaining(reason),
    });
  });
});

describe("uploads", () => {
  const uploads = () => sentTo("PATCH").map(({ headers }) => headers["content-range"]);

  test("a large layer is sent in chunks, and a second push sends nothing", async () => {
    const { folder, digest } = await newLayout([someBytes(2.5 * mebibyte)]);
    const name = newName();
    expect(await push([folder, name, "--chunk-size", "1"])).toMatchObject({ code: 0 });
    expect(uploads()).toEqual(["0-1048575", "1048576-2097151", "2097152-2621439"]);
    proxy.seen.length = 0;
    const again = await push([folder, `${name}:other`, "--json"]);
    expect(JSON.parse(again.out)).toEqual({
      reference: referenceOf(name, digest).trimEnd(),
      ...{ tag: "other", digest, bytes: 0 },
      blobs: { exists: 2, mounted: 0, uploaded: 0 },
    });
    expect([...sentTo("POST"), ...sentTo("PATCH")]).toEqual([]);
  });

  test("a layer of another repository is mounted", async () => {
    const { folder } = await newLayout();
    const [from, name] = [newName(), newName()];
    await push([folder, from]);
    const { out } = await push([folder, name, "--mount-from", from, "--json"]);
    expect(JSON.parse(out).blobs).toEqual({ exists: 0, mounted: 3, uploaded: 0 });
  });

  test("chunks get smaller until the registry accepts them", async () => {
    const layer = someBytes(5 * mebibyte);
    const { folder } = await newLayout([layer]);
    const name = newName();
    proxy.change = ({ headers }) =>
      Number(headers["content-length"] ?? 0) > 1.5 * mebibyte ? { status: 413 } : undefined;
    expect(await push([folder, name])).toMatchObject({ code: 0 });
    expect(await stored(name, "latest")).toMatchObject({ layer });
    expect(seen().filter(({ status }) => status === 413)).toHaveLength(2);
  });

  test("a registry that accepts no chunk is an error, not a loop", async () => {
    const { folder } = await newLayout([someBytes(3 * mebibyte)]);
    proxy.change = ({ method }) =>
      method === "PATCH" || method === "PUT" ? { status: 413 } : undefined;
    expect(await push([folder, newName()])).toMatchObject({ code: 1 });
  });

  test("after a cut in the middle of a chunk, the upload continues", async () => {
    const layer = someBytes(3 * mebibyte);
    const { folder } = await newLayout([layer]);
    const name = newName();
    proxy.change = cutOnce(2, 300_000);
    expect(await push([folder, name, "--chunk-size", "1"])).toMatchObject({ code: 0 });
    expect(await stored(name, "latest")).toMatchObject({ layer });
    const first = uploads().filter((range) => range?.startsWith("0-"));
    expect(first).toHaveLength(1);
  });

  for (const [some, tier] of tiers([500, 502, 503, 429], () => "status"))
    test.for(some)("after a %i, the request is sent again", tier, async (status) => {
      const { folder, digest } = await newLayout();
      const name = newName();
      const failed = new Set<string>();
      proxy.change = ({ method, path }) => {
        const key = `${method} ${path.replace(/\?.*/, "")}`;
        if (failed.has(key) || method === "HEAD") return undefined;
        failed.add(key);
        return { status };
      };
      expect(await push([folder, name])).toMatchObject({ out: referenceOf(name, digest) });
    });

  test("a run that was interrupted is continued by the next one", async () => {
    const layer = someBytes(4 * mebibyte);
    const { folder } = await newLayout([layer]);
    const name = newName();
    const chunks = () => uploads().length;
    proxy.change = ({ method }) =>
      method === "PATCH" && chunks() > 2 ? { status: 400 } : undefined;
    expect(await push([folder, name, "--chunk-size", "1"])).toMatchObject({
      code: expect.not.stringMatching("0"),
    });
    proxy.change = () => undefined;
    proxy.seen.length = 0;
    expect(await push([folder, name, "--chunk-size", "1"])).toMatchObject({ code: 0 });
    expect(uploads()).toEqual(["2097152-3145727", "3145728-4194303"]);
    expect(await stored(name, "latest")).toMatchObject({ layer });
  });

  test("an upload that the registry no longer has begins again", async () => {
    const layer = someBytes(3 * mebibyte);
    const { folder } = await newLayout([layer]);
    const name = newName();
    proxy.change = ({ method }) =>
      method === "PATCH" && uploads().length > 1 ? { status: 400 } : undefined;
    await push([folder, name, "--chunk-size", "1"]);
    proxy.change = () => undefined;
    const [begun] = sentTo("PATCH");
    expect((await send({ name, token }, begun?.path ?? "", { method: "DELETE" })).status).toBe(204);
    expect(await push([folder, name, "--chunk-size", "1"])).toMatchObject({ code: 0 });
    expect(await stored(name, "latest")).toMatchObject({ layer });
  });

  /** Cuts the connection of the nth chunk after some bytes, once. */
  function cutOnce(nth: number, bytes: number) {
    let count = 0;
    return (one: Seen) => {
      if (one.method !== "PATCH" || !isOwn(one) || ++count !== nth) return undefined;
      return { cutRequestAfter: bytes };
    };
  }
});

test("without the permission, the error names the capabilities", async () => {
  const { folder } = await newLayout();
  const other = await newVerified();
  const { code, err } = await push([folder, `${other.name}/image`]);
  expect([code, err]).toEqual([1, expect.stringContaining("manifest.create")]);
});

test("without a login, the command says how to log in", async () => {
  const { folder } = await newLayout();
  const anonymous = await startAnonymous(proxy.url);
  const { code, err } = await platformctl(["push", folder, newName()], anonymous);
  anonymous.stop();
  expect([code, err]).toEqual([2, expect.stringContaining("platformctl auth login")]);
  expect(seen()).toEqual([]);
});
