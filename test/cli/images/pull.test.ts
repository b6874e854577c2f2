import { execFile, execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { digestOf, pushImage, someBytes } from "../../distribution/client.ts";
import { newVerified, publicImage, registryToken } from "../../distribution/stored_images.ts";
import { type Organization, randomName, randomUid } from "../../world/personas.ts";
import { baseUrl, sql } from "../../world/platform.ts";
import { startAnonymous } from "../anonymous.ts";
import { commandsOf, newFolder, newStateFolder, root } from "../command.ts";
import { blobFile, filesOf, newIndexLayout, newLayout } from "./layouts.ts";
import { startProxy } from "./proxy.ts";

let organization: Organization;
let platformctl: Awaited<ReturnType<typeof commandsOf>>;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let env: NodeJS.ProcessEnv = {};
beforeAll(async () => {
  organization = await newVerified();
  platformctl = await commandsOf(organization);
  proxy = await startProxy(baseUrl());
  env = {
    PLATFORM_STATE: await newStateFolder(organization, { registryUrl: proxy.url }),
    XDG_STATE_HOME: await newFolder(),
  };
});
afterAll(() => proxy.stop());
beforeEach(() => {
  proxy.seen.length = 0;
  proxy.change = () => undefined;
});

const pull = (...args: string[]) => platformctl(["pull", ...args], { env });
const newPath = async (name = "image") => join(await newFolder(), name);
const host = () => new URL(proxy.url).host;

/** Pushes a layout, and returns the name of the image. */
async function pushed(folder: string): Promise<string> {
  const name = `${organization.name}/${randomName("image")}`;
  const { code, err } = await platformctl(["push", folder, `${name}:1.0`], { env });
  if (code !== 0) throw new Error(err);
  return name;
}

const blobs = async (folder: string) =>
  Object.fromEntries(
    Object.entries(await filesOf(folder)).filter(([path]) => path.startsWith("blobs/")),
  );

describe("targets", () => {
  test("a folder gets the files that were pushed", async () => {
    const { folder, digest } = await newLayout();
    const name = await pushed(folder);
    const path = await newPath();
    const result = await pull(`${name}:1.0`, path);
    expect(result).toMatchObject({ code: 0, out: `${host()}/${name}@${digest}\n` });
    expect(await blobs(path)).toEqual(await blobs(folder));
    const { manifests } = JSON.parse(await readFile(join(path, "index.json"), "utf8"));
    expect(manifests).toMatchObject([
      { digest, annotations: { "org.opencontainers.image.ref.name": "1.0" } },
    ]);
  });

  test("an archive contains the same files, and a manifest for docker load", async () => {
    const { folder, layers } = await newLayout();
    const name = await pushed(folder);
    const archive = await newPath("image.tar");
    expect(await pull(`${name}:1.0`, archive)).toMatchObject({ code: 0 });
    const unpacked = await newFolder();
    execFileSync("tar", ["-xf", archive, "-C", unpacked]);
    expect(await blobs(unpacked)).toEqual(await blobs(folder));
    const [image] = JSON.parse(await readFile(join(unpacked, "manifest.json"), "utf8"));
    expect(image).toMatchObject({
      RepoTags: [`${host()}/${name}:1.0`],
      Layers: layers.map((layer) => blobFile(digestOf(layer))),
    });
    expect(JSON.parse(await readFile(join(unpacked, image.Config), "utf8")).os).toBe("linux");
    // A push reads what a pull has written.
    expect(await platformctl(["push", archive, `${name}:again`], { env })).toMatchObject({
      code: 0,
    });
  });

  test("standard output gets the archive and nothing else", async () => {
    const { folder } = await newLayout();
    const name = await pushed(folder);
    const archive = await newPath("image.tar");
    await pull(`${name}:1.0`, archive);
    // The proxy is in this process, so the command must not block it.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(root, "cli/platformctl.js"), "pull", `${name}:1.0`, "-"],
      { env: { PATH: process.env.PATH, ...env }, encoding: "buffer" },
    );
    expect(stdout).toEqual(await readFile(archive));
  });

  test("standard output is refused on a terminal and with --json", async () => {
    const onTerminal = await platformctl(["pull", "a/b", "-"], {
      env,
      columns: 80,
    });
    expect(onTerminal).toMatchObject({ code: 2, err: expect.stringContaining("terminal") });
    expect(await pull("a/b", "-", "--json")).toMatchObject({ code: 2 });
  });

  test("a folder can have several images, and a newer one replaces the one with its tag", async () => {
    const [first, second] = [await newLayout(), await newLayout()];
    const [one, two] = [await pushed(first.folder), await pushed(second.folder)];
    const path = await newPath();
    await pull(`${one}:1.0`, path);
    await pull(`${one}@${first.digest}`, path);
    await pull(`${two}:1.0`, path);
    const { manifests } = JSON.parse(await readFile(join(path, "index.json"), "utf8"));
    expect(manifests.map(({ digest }: { digest: string }) => digest)).toEqual([
      first.digest,
      second.digest,
    ]);
  });

  test("a folder with other files, and a file with another name, are refused", async () => {
    const folder = await newFolder();
    await writeFile(join(folder, "letter.txt"), "x");
    const { folder: layout } = await newLayout();
    const name = await pushed(layout);
    for (const path of [folder, join(folder, "letter.txt")]) {
      expect(await pull(`${name}:1.0`, path)).toMatchObject({ code: 2, out: "" });
    }
    expect(await readdir(folder)).toEqual(["letter.txt"]);
  });
});

describe("references", () => {
  test("an image for several platforms is copied with all of them, or with one", async () => {
    const { folder, digest, arm64 } = await newIndexLayout();
    const name = await pushed(folder);
    const [all, one] = [await newPath(), await newPath()];
    expect((await pull(`${name}:1.0`, all)).out).toBe(`${host()}/${name}@${digest}\n`);
    expect(await blobs(all)).toEqual(await blobs(folder));
    const result = await pull(`${name}@${digest}`, one, "--platform", "linux/arm64");
    expect(result.out).toBe(`${host()}/${name}@${arm64}\n`);
    expect(Object.keys(await blobs(one))).toHaveLength(3);
    const none = await pull(`${name}:1.0`, one, "--platform", "linux/s390x");
    expect(none).toMatchObject({
      code: 2,
      err: expect.stringContaining("linux/amd64, linux/arm64"),
    });
  });

  test.each([
    ["a tag that does not exist", ":nope", 1, "has no manifest nope"],
    ["a digest that does not exist", `@sha256:${"0".repeat(64)}`, 1, "has no manifest sha256:000"],
    ["a text that is not a digest", "@sha256:12", 2, "is not a sha256"],
    ["a tag with a space", ":a b", 2, "is not a tag"],
  ])("%s is an error, and no folder is made", async (_, reference, code, reason) => {
    const { folder } = await newLayout();
    const name = await pushed(folder);
    const path = await newPath();
    const result = await pull(`${name}${reference}`, path);
    expect(result).toMatchObject({ code, out: "", err: expect.stringContaining(reason) });
    await expect(readdir(path)).rejects.toThrow("ENOENT");
  });

  test("without a login, public images can be copied and others cannot", async () => {
    const { name, uid } = await publicImage([]);
    const [group = ""] = uid.split("/");
    const token = await registryToken(await insertOwner(group));
    const image = await pushImage({ name, token }, "latest");
    const anonymous = await startAnonymous(proxy.url);
    const open = await platformctl(["pull", name, await newPath()], anonymous);
    const { folder } = await newLayout();
    const closed = await platformctl(
      ["pull", `${await pushed(folder)}:1.0`, await newPath()],
      anonymous,
    );
    anonymous.stop();
    expect(open).toMatchObject({ code: 0, out: `${host()}/${name}@${image.digest}\n` });
    expect(closed).toMatchObject({
      code: 1,
      err: expect.stringContaining("platformctl auth login"),
    });
  });
});

/** An identity with the role owner in a group that has none. */
async function insertOwner(group: string): Promise<string> {
  const [identity, binding] = [randomUid(), randomUid()].map(
    (uid) => `${group}/${uid.slice(0, 16)}`,
  );
  const role = "select uid from roles where name = 'owner' and length(uid) = 40";
  await sql(
    `insert into identities (uid, name, last_seen_time, create_time, update_time)
     values (?, 'pusher', 1, 1, 1)`,
    identity,
  );
  await sql(
    `insert into role_bindings (uid, identity_uid, role_uid, accepted, create_time, update_time)
     values (?, ?, (${role}), 1, 1, 1)`,
    binding,
    identity,
  );
  return identity ?? "";
}

describe("transfers", () => {
  const mebibyte = 1024 * 1024;
  const isLayer =
    (layer: Uint8Array) =>
    ({ method, path }: { method: string; path: string }) =>
      method === "GET" && path.endsWith(digestOf(layer));
  const ranges = (layer: Uint8Array) =>
    proxy.seen.filter(isLayer(layer)).map(({ headers }) => headers.range);

  test.each(["a folder", "an archive"])(
    "after a cut, the rest of a layer follows in %s",
    async (kind) => {
      const { folder, layers } = await newLayout([someBytes(3 * mebibyte)]);
      const [layer = new Uint8Array()] = layers;
      const name = await pushed(folder);
      proxy.seen.length = 0;
      proxy.change = (one) =>
        isLayer(layer)(one) && ranges(layer).length === 1
          ? { cutResponseAfter: mebibyte }
          : undefined;
      const path = await newPath(kind === "a folder" ? "image" : "image.tar");
      expect(await pull(`${name}:1.0`, path)).toMatchObject({ code: 0 });
      const [first, second] = ranges(layer);
      expect(first).toBeUndefined();
      expect(second).toMatch(/^bytes=[1-9]\d+-$/);
      if (kind === "a folder") expect(await blobs(path)).toEqual(await blobs(folder));
      else
        expect(
          execFileSync("tar", ["-xOf", path, blobFile(digestOf(layer))], { maxBuffer: 1e8 }),
        ).toEqual(Buffer.from(layer));
    },
  );

  test("a proxy that ignores Range does no harm", async () => {
    const { folder, layers } = await newLayout([someBytes(2 * mebibyte)]);
    const [layer = new Uint8Array()] = layers;
    const name = await pushed(folder);
    proxy.seen.length = 0;
    proxy.change = (one) => {
      if (!isLayer(layer)(one)) return undefined;
      return ranges(layer).length === 1 ? { cutResponseAfter: mebibyte } : { withoutRange: true };
    };
    const path = await newPath();
    expect(await pull(`${name}:1.0`, path)).toMatchObject({ code: 0 });
    expect(await blobs(path)).toEqual(await blobs(folder));
  });

  test("a run that was interrupted is continued by the next one, and complete layers are not read again", async () => {
    const { folder, layers } = await newLayout([someBytes(2 * mebibyte), someBytes(1000)]);
    const [large = new Uint8Array(), small = new Uint8Array()] = layers;
    const name = await pushed(folder);
    const path = await newPath();
    await pull(`${name}:1.0`, path);
    const file = join(path, blobFile(digestOf(large)));
    await writeFile(`${file}.partial`, large.subarray(0, mebibyte));
    execFileSync("rm", [file]);
    proxy.seen.length = 0;
    expect(await pull(`${name}:1.0`, path)).toMatchObject({ code: 0 });
    expect(ranges(large)).toEqual([`bytes=${mebibyte}-`]);
    expect(ranges(small)).toEqual([]);
    expect(await blobs(path)).toEqual(await blobs(folder));
  });

  test("a layer on the disk that has changed is read again", async () => {
    const { folder, layers } = await newLayout();
    const name = await pushed(folder);
    const path = await newPath();
    await pull(`${name}:1.0`, path);
    await writeFile(join(path, blobFile(digestOf(layers[0] ?? ""))), someBytes(1000));
    expect(await pull(`${name}:1.0`, path)).toMatchObject({ code: 0 });
    expect(await blobs(path)).toEqual(await blobs(folder));
  });

  test.each(["image", "image.tar"])(
    "wrong bytes are an error, and %s does not name the image",
    async (file) => {
      const { folder, layers } = await newLayout();
      const [layer = new Uint8Array()] = layers;
      const name = await pushed(folder);
      proxy.change = (one) =>
        isLayer(layer)(one) ? { body: Buffer.from(someBytes(1000)) } : undefined;
      const path = await newPath(file);
      const { code, err } = await pull(`${name}:1.0`, path);
      expect([code, err]).toEqual([1, expect.stringContaining("DATA_LOSS")]);
      const names = Object.keys(await filesOf(join(path, "..")));
      // The beginning of another blob, whose transfer this error has ended, stays for the next run.
      const [, hash = ""] = digestOf(layer).split(":");
      const isLeft = (one: string) => /index\.json|\.tar$/.test(one) || one.includes(hash);
      expect(names.filter(isLeft)).toEqual([]);
      proxy.change = () => undefined;
      expect(await pull(`${name}:1.0`, path)).toMatchObject({ code: 0 });
    },
  );

  test("a manifest with other bytes than its digest says is an error", async () => {
    const { folder, digest } = await newLayout();
    const name = await pushed(folder);
    proxy.change = ({ path }) =>
      path.includes("/manifests/") ? { body: Buffer.from('{"schemaVersion":2}') } : undefined;
    const result = await pull(`${name}@${digest}`, await newPath());
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining("DATA_LOSS") });
  });
});
