/** The example that mirrors a tag, as a process, between two registries and against the platform. */

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newSecret, tagDelivery, withSignature } from "../client/webhooks/delivery.ts";
import { createResource, newOrganization } from "../world/personas.ts";
import { baseUrl } from "../world/platform.ts";
import { long } from "../world/tiers.ts";
import { patience } from "../world/times.ts";
import { OciRegistry, sha256 } from "./oci_registry.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const secret = newSecret();
const from = "example.com/python";
const to = "mirror/python";

let source: OciRegistry;
let target: OciRegistry;
let folder: string;
let mirror: ChildProcess;
let url: string;
let repoUid: string;
beforeEach(async () => {
  [source, target] = await Promise.all([OciRegistry.start("bearer"), OciRegistry.start("basic")]);
  const org = await newOrganization();
  const repo = await createResource(`/registry/v2/repos/${org.uid}`, org.owner.token, {
    name: "python",
  });
  repoUid = repo.uid;
  folder = await mkdtemp(join(tmpdir(), "mirror-"));
  const command = join(folder, "platformctl");
  await writeFile(command, `#!/bin/sh\necho "${org.owner.token}"\n`);
  await chmod(command, 0o755);
  [mirror, url] = await startMirror();
});
afterEach(async () => {
  mirror?.kill();
  await Promise.all([source?.close(), target?.close()]);
  await rm(folder, { recursive: true, force: true });
});

async function startMirror(patienceSeconds = patience / 1000): Promise<[ChildProcess, string]> {
  const { username, password } = source.account;
  const env = {
    ...{ PATH: folder + delimiter + process.env.PATH, PORT: "0" },
    PATIENCE_SECONDS: String(patienceSeconds),
    ...{ PLATFORM_URL: baseUrl(), WEBHOOK_SECRET: secret },
    ...{ SOURCE_URL: source.url, SOURCE_NAMESPACE: "example.com" },
    ...{ SOURCE_USERNAME: username, SOURCE_PASSWORD: password },
    ...{ TARGET_URL: target.url, TARGET_NAMESPACE: "mirror" },
    ...{ TARGET_USERNAME: username, TARGET_PASSWORD: password },
  };
  const program = ["--conditions=checkout", "examples/mirror-tag/mirror.ts"];
  const child = spawn(process.execPath, program, {
    ...{ cwd: root, env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(child.stdout), "line");
  return [child, `http://127.0.0.1:${/\d+/.exec(line)?.[0]}`];
}

/** An image with a config, a layer, and a layer elsewhere. Returns its manifest. */
function newImage(layer = randomBytes(100_000)) {
  return {
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    schemaVersion: 2,
    config: source.putBlob(
      from,
      Buffer.from(JSON.stringify({ id: randomBytes(4).toString("hex") })),
    ),
    layers: [
      source.putBlob(from, layer),
      { mediaType: "x", digest: sha256("elsewhere"), size: 9, urls: ["https://layers.example/x"] },
    ],
  };
}

/** An index of two images. */
function newIndex() {
  return {
    mediaType: "application/vnd.oci.image.index.v1+json",
    schemaVersion: 2,
    manifests: [newImage(), newImage()].map((image) => source.putManifest(from, image)),
  };
}

const delivery = (digest: string, name = "latest") => {
  const subject = `${repoUid}/${"5".repeat(16)}`;
  const body = { uid: subject, name, digest, deprecated: false };
  const headers = { "ce-subject": subject };
  return withSignature(tagDelivery(headers, { actor: { subject: "a" }, body }), secret);
};

/** Delivers the move of a tag. Returns the status. */
async function deliver(...given: Parameters<typeof delivery>): Promise<number> {
  return (await fetch(url, { method: "POST", ...delivery(...given) })).status;
}

const writesOf = ({ log }: OciRegistry) => log.filter((line) => /^(PUT|POST)/.test(line));

test("an index is copied with its images and their blobs, and the tag moves last", async () => {
  const { digest } = source.putManifest(from, newIndex(), "latest");
  expect(await deliver(digest)).toBe(200);
  const copied = target.manifests.get(`${to} latest`);
  expect(copied?.type).toBe("application/vnd.oci.image.index.v1+json");
  expect(sha256(copied?.bytes ?? "")).toBe(digest);
  const ofTarget = (keys: Iterable<string>) => [...keys].map((key) => key.replace(to, from));
  expect(ofTarget(target.blobs.keys()).sort()).toEqual([...source.blobs.keys()].sort());
  expect(ofTarget(target.manifests.keys()).sort()).toEqual([...source.manifests.keys()].sort());
  expect(writesOf(target).at(-1)).toBe(`PUT /v2/${to}/manifests/latest`);
  expect(source.log).toContain(`GET /token repository:${from}:pull`);
});

test("a second delivery changes nothing, and a new image copies only its new layers", async () => {
  const layer = randomBytes(1000);
  const first = source.putManifest(from, newImage(layer));
  expect(await deliver(first.digest)).toBe(200);
  const writes = writesOf(target).length;
  expect(await deliver(first.digest)).toBe(200);
  expect(writesOf(target)).toHaveLength(writes);
  const second = source.putManifest(from, newImage(layer));
  expect(await deliver(second.digest)).toBe(200);
  expect(
    writesOf(target)
      .slice(writes)
      .map((line) => line.replace(/ .*\//, " ")),
  ).toEqual(["POST ", "PUT session", "PUT latest"]);
  expect(sha256(target.manifests.get(`${to} latest`)?.bytes ?? "")).toBe(second.digest);
});

test("two deliveries at once share one copy", async () => {
  const { digest } = source.putManifest(from, newImage());
  expect(await Promise.all([deliver(digest), deliver(digest)])).toEqual([200, 200]);
  expect(writesOf(target).filter((line) => line.endsWith("/latest"))).toHaveLength(1);
});

test("a blob with other bytes than its digest is refused, and the tag does not move", async () => {
  const image = newImage();
  const { digest } = source.putManifest(from, image, "latest");
  const [layer] = image.layers;
  source.blobs.set(`${from} ${layer?.digest}`, randomBytes(layer?.size ?? 0));
  // This target would accept anything.
  target.before = ({ method }) => (method === "PUT" ? { status: 201 } : undefined);
  expect(await deliver(digest)).toBe(500);
  expect(writesOf(target).filter((line) => line.includes("/manifests/"))).toEqual([]);
});

test("a manifest with other bytes than its digest is refused", async () => {
  const { digest } = source.putManifest(from, newImage());
  const other = { ...newImage(), annotations: { evil: "yes" } };
  const bytes = Buffer.from(JSON.stringify(other));
  source.manifests.set(`${from} ${digest}`, { bytes, type: other.mediaType });
  expect(await deliver(digest)).toBe(500);
  expect(writesOf(target)).toEqual([]);
});

test("a digest that is a path is refused, so that it leads to no other address", async () => {
  const image = { ...newImage(), layers: [{ digest: "../../../admin", size: 1 }] };
  const { digest } = source.putManifest(from, image);
  expect(await deliver(digest)).toBe(500);
  expect([...source.log, ...target.log].filter((line) => line.includes("admin"))).toEqual([]);
});

test("a copy that fails in the middle continues with the next delivery", async () => {
  const { digest } = source.putManifest(from, newIndex());
  let count = 0;
  target.before = ({ method }) => {
    if (method === "PUT") count += 1;
    return method === "PUT" && count === 3 ? { status: 500 } : undefined;
  };
  expect(await deliver(digest)).toBe(500);
  const stored = target.blobs.size;
  expect(stored).toBeGreaterThan(0);
  const before = writesOf(target).filter((line) => line.startsWith("POST")).length;
  expect(await deliver(digest)).toBe(200);
  const after = writesOf(target).filter((line) => line.startsWith("POST")).length;
  expect(after - before).toBe(source.blobs.size - stored);
  expect(target.blobs.size).toBe(source.blobs.size);
});

test(
  "a copy that takes long continues, and a later delivery is acknowledged once it is complete",
  long,
  async () => {
    mirror.kill();
    [mirror, url] = await startMirror(2);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    target.before = async ({ method, url: { pathname } }) => {
      if (method === "PUT" && pathname.endsWith("/latest")) await held;
      return undefined;
    };
    const { digest } = source.putManifest(from, newImage());
    expect(await deliver(digest)).toBe(500);
    expect(target.manifests.has(`${to} latest`)).toBe(false);
    release();
    expect(await deliver(digest)).toBe(200);
    expect(target.manifests.has(`${to} latest`)).toBe(true);
    expect(writesOf(target).filter((line) => line.endsWith("/latest"))).toHaveLength(1);
  },
);

test("the credential of the target is not sent to another host of an upload", async () => {
  const seen: (string | undefined)[] = [];
  const other = await OciRegistry.start("none");
  try {
    other.before = ({ method, headers, body }) => {
      seen.push(headers.authorization);
      if (method === "PUT") target.putBlob(to, body);
      return { status: 201 };
    };
    target.before = ({ method, headers }) =>
      method === "POST" && headers.authorization
        ? { status: 202, headers: { location: `${other.url}/uploads/1` } }
        : undefined;
    const { digest } = source.putManifest(from, newImage());
    expect(await deliver(digest)).toBe(200);
    expect(seen).toEqual([undefined, undefined]);
  } finally {
    await other.close();
  }
});

test("a forged delivery is refused before any registry is asked", async () => {
  const { digest } = source.putManifest(from, newImage());
  const { headers, body } = delivery(digest);
  const forged = await fetch(url, {
    method: "POST",
    headers,
    body: body.replace("latest", "other"),
  });
  expect(forged.status).toBe(403);
  expect([...source.log, ...target.log]).toEqual([]);
});
