/** `platformctl lock` against a platform: the lock, its output and its errors. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { digestNumber, publicImage } from "../../distribution/stored_images.ts";
import { startAnonymous } from "../anonymous.ts";
import { newStateFolder } from "../command.ts";
import {
  at,
  digests,
  host,
  lock,
  read,
  readLock,
  rows,
  rowsOf,
  useLockFolder,
  world,
  write,
} from "../lock/lock_folder.ts";

useLockFolder();

test("the lock has the digest of each tag, when the tag moved to it, and when it was looked up", async () => {
  const before = Date.now();
  const { code, out, err } = await lock();
  expect({ code, err }).toEqual({ code: 0, err: "Wrote platform.lock with 2 images: 2 added.\n" });
  expect(rowsOf(out)).toEqual([
    ["added", `${world.image}:1.0`, "", "", digestNumber(1), at(1), "k8s/pod.yaml:5:14"],
    ["added", `${world.image}:latest`, "", "", digestNumber(2), at(2), "Dockerfile:1:6"],
  ]);
  const { asOf } = readLock().images[`${world.image}:latest`];
  expect(Date.parse(asOf)).toBeGreaterThanOrEqual(before);
  expect(readLock()).toEqual({
    version: 1,
    registry: host(),
    images: {
      [`${world.image}:1.0`]: { tag: "1.0", digest: digestNumber(1), since: at(1), asOf },
      [`${world.image}:latest`]: { tag: "latest", digest: digestNumber(2), since: at(2), asOf },
    },
  });
});

test("a second run keeps the entries, adds new ones and removes unused ones", async () => {
  await lock("--at", at(0));
  const first = read("platform.lock");
  expect(await lock()).toEqual({
    code: 0,
    out: "",
    err: "platform.lock is up to date: 2 images.\n",
  });
  expect(read("platform.lock")).toBe(first);
  write("k8s/pod.yaml", "");
  write(
    "compose.yaml",
    `services: {x: {image: "${world.image}:1.0"}, y: {image: "${world.image}:latest"}}`,
  );
  write("Dockerfile", "FROM scratch\n");
  expect(await rows()).toEqual([[""]]);
  write("compose.yaml", `services: {x: {image: "${world.image}:1.0"}}`);
  expect((await rows()).map(([change, reference]) => [change, reference])).toEqual([
    ["removed", `${world.image}:latest`],
  ]);
  expect(digests()).toEqual(["1.0 0"]);
});

test("with a path, only entries of its files are added, and none is removed", async () => {
  await lock("Dockerfile");
  expect(digests()).toEqual(["latest 2"]);
  await lock("k8s");
  expect(digests()).toEqual(["1.0 1", "latest 2"]);
});

describe("--at", () => {
  test("pins all entries to an earlier state", async () => {
    await lock();
    expect(digests()).toEqual(["1.0 1", "latest 2"]);
    await lock("--at", at(1, -1));
    expect(digests()).toEqual(["1.0 0", "latest 0"]);
    expect(readLock().images[`${world.image}:latest`]).toMatchObject({
      since: at(0),
      asOf: at(1, -1),
    });
  });

  test("with a time before the tag existed, shows the first digest and writes nothing", async () => {
    const { code, out, err } = await lock("--at", at(0, -1));
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(
      `Dockerfile:1:6: error: ${world.organization.name}/python:latest did not exist at ${at(0, -1)}. Its first digest is from ${at(0)}`,
    );
    expect(err).toContain("Nothing was written, because of 2 problems.");
    expect(existsSync(join(world.cwd, "platform.lock"))).toBe(false);
  });

  test.each(["2999-01-01", "soon"])("%s is bad usage", async (time) => {
    expect(await lock("--at", time)).toMatchObject({ code: 2, out: "" });
  });
});

test("--update shows the old and the new digest, since when each was current, and the files", async () => {
  await lock("--at", at(0));
  expect(await rows("--update")).toEqual([
    [
      "updated",
      `${world.image}:1.0`,
      digestNumber(0),
      at(0),
      digestNumber(1),
      at(1),
      "k8s/pod.yaml:5:14",
    ],
    [
      "updated",
      `${world.image}:latest`,
      digestNumber(0),
      at(0),
      digestNumber(2),
      at(2),
      "Dockerfile:1:6",
    ],
  ]);
  const updated = read("platform.lock");
  expect(await lock("--update")).toMatchObject({ code: 0, out: "" });
  expect(read("platform.lock")).toBe(updated);
});

test("on a terminal, --update shows the age of both digests", async () => {
  await lock("--at", at(0));
  const { env, image } = world;
  const shown = await world.platformctl(["lock", "--update"], { env, columns: 200 });
  const out = stripVTControlCharacters(shown.out);
  expect(out).not.toContain(image);
  expect(out).toMatch(/^CHANGE +IMAGE +FROM +FROM SINCE +TO +TO SINCE +FILES\n/);
  expect(out).toMatch(
    /python:latest +000000000000 +\d+ months ago +000000000000 +\d+ months ago +Dockerfile:1:6\n/,
  );
});

describe("an image that cannot be locked", () => {
  const broken = () =>
    write(
      "compose.yaml",
      `services:\n  a: {image: "${world.image}:nope"}\n  b: {image: "${host()}/no.example/x:1"}\n`,
    );

  test("is an error with its place and a next step, and nothing is written", async () => {
    broken();
    const { code, out, err } = await lock("--rewrite");
    expect(code).toBe(1);
    expect(out).not.toContain("nope");
    expect(err).toMatch(
      /^compose\.yaml:2:15: error: No image in the repository has ever had the tag nope\n {2}To list its tags, run: platformctl/m,
    );
    expect(err).toMatch(/^compose\.yaml:3:15: error: /m);
    expect(err).toContain(
      "Nothing was written, because of 2 problems. To write the rest, add --keep-going.",
    );
    expect(existsSync(join(world.cwd, "platform.lock"))).toBe(false);
    expect(read("Dockerfile")).not.toContain("sha256");
  });

  test("with --keep-going, keeps its entry, and all others are written", async () => {
    await lock();
    broken();
    const { code } = await lock("--keep-going", "--rewrite");
    expect(code).toBe(1);
    expect(digests()).toEqual(["1.0 1", "latest 2"]);
    expect(read("Dockerfile")).toContain(digestNumber(2));
  });
});

test("--json prints images, changes, rewritten files and problems in one document", async () => {
  write("x.Dockerfile", `FROM ${world.image}:$TAG\n`);
  const { code, out, err } = await lock("--json", "--keep-going", "--rewrite");
  expect({ code, err }).toEqual({ code: 1, err: "" });
  const place = { file: "Dockerfile", line: 1, column: 6 };
  expect(JSON.parse(out)).toMatchObject({
    ...{ lockFile: "platform.lock", registry: host(), isWritten: true, filesRead: 3 },
    images: [
      { reference: `${world.image}:1.0`, digest: digestNumber(1) },
      {
        reference: `${world.image}:latest`,
        tag: "latest",
        digest: digestNumber(2),
        since: at(2),
        places: [place],
      },
    ],
    changes: [
      { kind: "added" },
      { kind: "added", after: { digest: digestNumber(2) }, places: [place] },
    ],
    rewritten: [
      { file: "Dockerfile", count: 1 },
      { file: "k8s/pod.yaml", count: 1 },
    ],
    problems: [{ file: "x.Dockerfile", line: 1, column: 6 }],
    ...{ strays: [], notes: [] },
  });
  write("Dockerfile", `FROM ${world.image}:3\n`);
  const checked = await lock("--check", "--json");
  expect(checked).toMatchObject({ code: 1, err: "" });
  expect(JSON.parse(checked.out).strays).toMatchObject([
    { ...place, kind: "not-locked", reference: `${world.image}:3` },
    { kind: "unused", reference: `${world.image}:latest` },
  ]);
});

test("a lock of another registry is refused, and so is any other file", async () => {
  const other = { version: 1, registry: "registry.example.com", images: {} };
  write("platform.lock", JSON.stringify(other));
  const { code, err } = await lock();
  expect(code).toBe(1);
  expect(err).toContain("platform.lock is about registry.example.com, and the registry of this");
  write("platform.lock", "{");
  expect((await lock()).err).toContain("platform.lock is not a lock: it is not JSON");
  expect(read("platform.lock")).toBe("{");
});

test("without images of the platform, no lock is written", async () => {
  write("Dockerfile", "FROM python\n");
  write("k8s/pod.yaml", "");
  expect(await lock()).toEqual({ code: 0, out: "", err: `No file uses an image of ${host()}.\n` });
  expect(existsSync(join(world.cwd, "platform.lock"))).toBe(false);
});

describe("without a login,", () => {
  let anonymous: Awaited<ReturnType<typeof startAnonymous>>;
  beforeAll(async () => {
    anonymous = await startAnonymous();
  });
  afterAll(() => anonymous.stop());

  test("a free image is locked, and a private one is an error that says how to log in", async () => {
    const { name } = await publicImage(["latest"]);
    write("Dockerfile", `FROM ${host()}/${name}\n`);
    const { code, err } = await world.platformctl(["lock", "--keep-going"], { env: anonymous.env });
    expect(code).toBe(1);
    expect(digests()).toEqual(["latest 2"]);
    expect(err).toMatch(
      /^k8s\/pod\.yaml:5:14: error: [\s\S]*To log in, run: platformctl auth login/m,
    );
  });
});

test("each tag takes two requests, however many files use it", async () => {
  const asked: string[] = [];
  const registry = createServer((request, response) => {
    const own = `http://localhost:${(registry.address() as AddressInfo).port}`;
    const path = request.url?.replace(/\?.*/, "") ?? "";
    if (path.startsWith("/v2/")) asked.push(`${request.method} ${path}`);
    const discovery = {
      ...{ issuer: own, platform_api_url: own, platform_api_audience: own },
      ...{ platform_registry_url: own, platform_registry_audience: own },
      platform_registry_vendor: "acme",
    };
    const history = [{ updateTimestamp: at(0), digest: digestNumber(7) }];
    const answers = { history, token: "t", expires_in: 60, ...discovery };
    response.setHeader("docker-content-digest", digestNumber(7));
    response.setHeader("content-type", "application/json").end(JSON.stringify(answers));
  }).listen(0, "127.0.0.1");
  await once(registry, "listening");
  const { port } = registry.address() as AddressInfo;
  for (let file = 0; file < 30; file += 1) {
    write(`${file}.Dockerfile`, `FROM localhost:${port}/a/b:1\nFROM localhost:${port}/a/c\n`);
  }
  const env = { PLATFORM_URL: `http://localhost:${port}`, PLATFORM_STATE: "/nowhere" };
  const { code } = await world.platformctl(["lock"], { env });
  registry.close();
  expect(code).toBe(0);
  expect(asked.sort()).toEqual([
    "GET /v2/a/b/_acme/history/1",
    "GET /v2/a/c/_acme/history/latest",
    "HEAD /v2/a/b/manifests/1",
    "HEAD /v2/a/c/manifests/latest",
  ]);
});

test("if the platform does not respond, nothing is written", async () => {
  const env = {
    PLATFORM_STATE: await newStateFolder(world.organization, { registryUrl: "http://localhost:9" }),
  };
  write("Dockerfile", `FROM localhost:9/${world.organization.name}/python\n`);
  expect(await world.platformctl(["lock", "--keep-going"], { env })).toMatchObject({
    code: 3,
    out: "",
  });
  expect(existsSync(join(world.cwd, "platform.lock"))).toBe(false);
});
