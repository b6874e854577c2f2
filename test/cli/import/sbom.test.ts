import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { manifestType, sha256Of } from "../../registry/images/stored_images.ts";
import {
  cycloneDxDocument,
  largeSpdxDocument,
  spdxDocument,
} from "../../registry/sboms/documents.ts";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { commandsOf, newFolder, newStateFolder, platformctl } from "../command.ts";

let organization: Organization;
let repo: string;
let env: { PLATFORM_STATE: string };
let folder: string;
let run: Awaited<ReturnType<typeof commandsOf>>;
beforeAll(async () => {
  organization = await newOrganization();
  env = { PLATFORM_STATE: await newStateFolder(organization) };
  run = await commandsOf(organization);
  folder = await newFolder();
  const { uid, owner } = organization;
  repo = (await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "app/python" }))
    .uid;
});

const file = async (name: string, content: string | Uint8Array) => {
  await writeFile(join(folder, name), content);
  return join(folder, name);
};

/** Runs an import in this process. */
const load = (path: string, image: string, options: string[] = [], input = "") =>
  run(["import", "sbom", path, "--image", image, ...options], { input });

const raw = async (digest: string) => {
  const { token } = organization.owner;
  const { body } = await callRest(`/registry/v1/repos/${repo}/digest/${digest}/rawsbom`, { token });
  return body.rawSbom;
};

describe("import sbom", () => {
  test("accepts both formats, plain, gzip and from standard input, by name and by uid", async () => {
    const spdx = JSON.stringify(spdxDocument(), null, 2);
    const cyclone = JSON.stringify(cycloneDxDocument());
    const [one, two, three] = ["one", "two", "three"].map(fakeDigest) as [string, string, string];
    const plain = await load(await file("a.spdx.json", spdx), `app/python@${one}`);
    expect(plain).toMatchObject({ code: 0, err: "", out: `${one}  SPDX 2.3  4 packages\n` });
    const packed = await load(await file("a.json.gz", gzipSync(cyclone)), `${repo}@${two}`);
    expect(packed).toMatchObject({ code: 0, out: `${two}  CycloneDX 1.6  5 packages\n` });
    const args = ["import", "sbom", "-", "--image", `${repo}@${three}`, "--json"];
    const piped = await platformctl(args, { env, input: cyclone });
    expect(JSON.parse(piped.out)).toEqual({
      uid: expect.stringMatching(new RegExp(`^${repo}/[0-9a-f]{16}$`)),
      digest: three,
      format: "CycloneDX",
      specVersion: "1.6",
      name: "registry.example/app:1",
      packageCount: 5,
      size: `${cyclone.length}`,
      contentDigest: sha256Of(cyclone),
    });
    expect([await raw(one), await raw(two), await raw(three)]).toEqual([spdx, cyclone, cyclone]);
    expect((await load("-", `${repo}@${three}`, ["--json"], cyclone)).out).toBe(piped.out);
  });

  test("accepts one that is several times larger than a call", async () => {
    const random = () => randomBytes(6).toString("hex");
    const text = JSON.stringify(largeSpdxDocument(4000, random));
    expect(text.length).toBeGreaterThan(4 * 1024 * 1024);
    const digest = fakeDigest("large");
    const { err, out } = await load(await file("large.json", text), `${repo}@${digest}`);
    expect({ err, out }).toEqual({ err: "", out: `${digest}  SPDX 2.3  4,004 packages\n` });
    expect(await raw(digest)).toBe(text);
  });

  test("accepts one of the maximum size", async () => {
    const comment = randomBytes(1_040_000).toString("base64");
    const text = JSON.stringify({ ...spdxDocument(), comment });
    const packed = gzipSync(text, { level: 9 }).length;
    expect(packed).toBeLessThanOrEqual(1024 * 1024);
    expect(packed).toBeGreaterThan(1020 * 1024);
    const digest = fakeDigest("largest");
    const { code, err } = await load(await file("largest.json", text), `${repo}@${digest}`);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(await raw(digest)).toBe(text);
  });

  test("names the position of an error, and rejects a file that is not an SBOM", async () => {
    const broken = { ...spdxDocument(), files: [{ SPDXID: "SPDXRef-f" }] };
    const path = await file("broken.json", JSON.stringify(broken));
    const refused = await load(path, `${repo}@${fakeDigest("broken")}`);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/content: files\[0\]\.fileName is required.*\(INVALID_ARGUMENT\)/);
    const none = await load("-", `${repo}@${fakeDigest("none")}`, [], "{}");
    expect(none.err).toMatch(
      /must be SPDX \(with spdxVersion, or the @context of SPDX 3\) or CycloneDX \(with bomFormat\)/,
    );
    expect(await raw(fakeDigest("broken"))).toBeUndefined();
  });

  test("rejects what it cannot send, before it sends anything", async () => {
    const image = `${repo}@${fakeDigest("unsent")}`;
    const noise = randomBytes(1_500_000).toString("hex");
    const huge = " ".repeat(9 * 1024 * 1024);
    for (const [content, code, text] of [
      [noise, 2, /bytes after compression with gzip, but the platform accepts at most/],
      [huge, 2, /larger than 8388608 bytes/],
      [gzipSync(huge), 2, /larger than 8388608 bytes after decompression/],
      [gzipSync("{}").subarray(0, 15), 4, /the gzip data is damaged/],
    ] as const) {
      const ended = await load(await file("unsent.json", content), image);
      expect(ended).toMatchObject({ code, out: "" });
      expect(ended.err).toMatch(text);
    }
    expect((await load("/nowhere.json", image)).code).toBe(2);
  });

  test("names an unknown repository, and several with the same name", async () => {
    const { uid, owner } = organization;
    const spdx = await file("b.json", JSON.stringify(spdxDocument()));
    const missing = await load(spdx, `nothing@${fakeDigest("x")}`);
    expect(missing.err).toMatch(/There is no repository "nothing" that you can see/);
    const group = await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "team" });
    for (const at of [uid, group.uid]) {
      await createResource(`/registry/v2/repos/${at}`, owner.token, { name: "twin" });
    }
    const output = await load(spdx, `${organization.name}/team/twin@${fakeDigest("x")}`);
    expect(output).toMatchObject({ code: 0, err: "" });
    const twice = await load(spdx, `twin@${fakeDigest("x")}`);
    expect(twice).toMatchObject({ code: 1 });
    expect(twice.err).toMatch(
      /2 repos are named "twin"\. Use one of these uids instead, .*\n {2}[0-9a-f]{40}/,
    );
  });
});

test("import manifest accepts one of 1 MiB, and no larger one", async () => {
  const whole = (bytes: number) => {
    const config = { digest: fakeDigest("none"), size: 1 };
    const annotations = { a: "" };
    const text = JSON.stringify({ mediaType: manifestType, config, layers: [], annotations });
    return text.replace('"a":""', `"a":"${"x".repeat(bytes - text.length)}"`);
  };
  const load = async (content: string) =>
    run(["import", "manifest", await file("large.json", content), "--repo", repo]);
  const largest = whole(1024 * 1024);
  const { code, out, err } = await load(largest);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain(sha256Of(largest));
  expect(await load(whole(1024 * 1024 + 1))).toMatchObject({ code: 2, out: "" });
});

test("import manifest --config stores the configuration with it", async () => {
  const config = JSON.stringify({
    architecture: "amd64",
    os: "linux",
    config: { User: "nonroot" },
  });
  const content = JSON.stringify({
    mediaType: manifestType,
    config: { digest: sha256Of(config), size: config.length },
    layers: [],
  });
  const [manifest, configFile] = [await file("m.json", content), await file("c.json", config)];
  const args = ["import", "manifest", manifest, "--repo", repo, "--config"];
  const { out, err } = await platformctl([...args, configFile], { env });
  expect({ out, err }).toEqual({
    out: `${sha256Of(content)}  ${manifestType}  amd64  ${config.length} bytes\n`,
    err: "",
  });
  const at = `/registry/v1/repos/${repo}/digests/${sha256Of(content)}/imageconfig`;
  const { body } = await callRest(at, { token: organization.owner.token });
  expect(body).toEqual({ user: "nonroot" });
  const other = await run([...args, manifest]);
  expect(other).toMatchObject({
    code: 1,
    err: expect.stringMatching(/config must have the digest that the content names/),
  });
  const twice = ["import", "manifest", "-", "--repo", repo, "--config", "-"];
  expect((await run(twice)).code).toBe(2);
});
