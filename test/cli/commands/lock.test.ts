/** `platformctl lock` against a platform: what it writes, prints and refuses. */
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  addMoves,
  digestNumber,
  firstMove,
  hourMs,
  newImage,
  newVerified,
  publicImage,
} from "../../distribution/stored_images.ts";
import type { Organization } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import { startAnonymous } from "../anonymous.ts";
import { newFolder, newStateFolder } from "../command.ts";
import { commandsOf } from "../resources/in_process.ts";

let organization: Organization;
let platformctl: Awaited<ReturnType<typeof commandsOf>>;
let env: NodeJS.ProcessEnv = {};
/** The image with the tags `latest` and `1.0`, with the host of the registry. */
let image = "";
const host = () => new URL(baseUrl()).host;
const at = (n: number, milliseconds = 0) =>
  new Date(firstMove + n * hourMs + milliseconds).toISOString();

beforeAll(async () => {
  organization = await newVerified();
  const repo = await newImage(organization, "python");
  await addMoves(repo, "1.0", 2);
  image = `${host()}/${organization.name}/python`;
  platformctl = await commandsOf(organization);
  env = { PLATFORM_STATE: await newStateFolder(organization, { registryUrl: baseUrl() }) };
});

let cwd = "";
const home = process.cwd();
beforeEach(async () => {
  cwd = await newFolder();
  process.chdir(cwd);
  write("Dockerfile", `FROM ${image}  # newest\n`);
  write(
    "k8s/pod.yaml",
    `apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - image: ${image}:1.0\n`,
  );
});
afterEach(() => process.chdir(home));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}
const read = (path: string) => readFileSync(join(cwd, path), "utf8");
const readLock = () => JSON.parse(read("platform.lock"));
const lock = (...args: string[]) => platformctl(["lock", ...args], { env });
/** Runs the command and returns its rows. It must succeed. */
const rows = async (...args: string[]) => {
  const { code, out, err } = await lock(...args);
  expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
  return out
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
};
/** The digests in the lock, by tag. */
const digests = () =>
  Object.values(readLock().images as Record<string, { tag: string; digest: string }>).map(
    ({ tag, digest }) => `${tag} ${Number.parseInt(digest.slice(-4), 16)}`,
  );

test("the lock has the digest of each tag, since when, and as of which time", async () => {
  const before = Date.now();
  const { code, out, err } = await lock();
  expect({ code, err }).toEqual({ code: 0, err: "Wrote platform.lock with 2 images: 2 added.\n" });
  expect(out.split("\n").map((line) => line.split("\t"))).toEqual([
    ["added", `${image}:1.0`, "", "", digestNumber(1), at(1), "k8s/pod.yaml:5:14"],
    ["added", `${image}:latest`, "", "", digestNumber(2), at(2), "Dockerfile:1:6"],
    [""],
  ]);
  const { asOf } = readLock().images[`${image}:latest`];
  expect(Date.parse(asOf)).toBeGreaterThanOrEqual(before);
  expect(readLock()).toEqual({
    version: 1,
    registry: host(),
    images: {
      [`${image}:1.0`]: { tag: "1.0", digest: digestNumber(1), since: at(1), asOf },
      [`${image}:latest`]: { tag: "latest", digest: digestNumber(2), since: at(2), asOf },
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
  write("compose.yaml", `services: {x: {image: "${image}:1.0"}, y: {image: "${image}:latest"}}`);
  write("Dockerfile", "FROM scratch\n");
  expect(await rows()).toEqual([[""]]);
  write("compose.yaml", `services: {x: {image: "${image}:1.0"}}`);
  expect((await rows()).map(([change, reference]) => [change, reference])).toEqual([
    ["removed", `${image}:latest`],
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
    expect(readLock().images[`${image}:latest`]).toMatchObject({ since: at(0), asOf: at(1, -1) });
  });

  test("before a tag existed, it names the first digest, and nothing is written", async () => {
    const { code, out, err } = await lock("--at", at(0, -1));
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(
      `Dockerfile:1:6: error: ${organization.name}/python:latest did not exist at ${at(0, -1)}. Its first digest is from ${at(0)}`,
    );
    expect(err).toContain("Nothing was written, because of 2 problems.");
    expect(existsSync(join(cwd, "platform.lock"))).toBe(false);
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
      `${image}:1.0`,
      digestNumber(0),
      at(0),
      digestNumber(1),
      at(1),
      "k8s/pod.yaml:5:14",
    ],
    [
      "updated",
      `${image}:latest`,
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
  const { out } = await platformctl(["lock", "--update"], {
    ...{ env: { ...env, NO_COLOR: "1" }, columns: 200 },
  });
  expect(out).toMatch(/^CHANGE +IMAGE +FROM +FROM SINCE +TO +TO SINCE +FILES\n/);
  expect(out).toMatch(
    /python:latest +000000000000 +\d+ months ago +000000000000 +\d+ months ago +Dockerfile:1:6\n/,
  );
});

describe("--rewrite", () => {
  test("writes the digests into the files, changes no other byte, and then has nothing to do", async () => {
    chmodSync(join(cwd, "Dockerfile"), 0o640);
    const { err } = await lock("--rewrite");
    expect(err).toBe(
      "Wrote platform.lock with 2 images: 2 added. Rewrote 2 references in 2 files.\n",
    );
    expect(read("Dockerfile")).toBe(`FROM ${image}:latest@${digestNumber(2)}  # newest\n`);
    expect(read("k8s/pod.yaml")).toContain(`- image: ${image}:1.0@${digestNumber(1)}\n`);
    expect(statSync(join(cwd, "Dockerfile")).mode & 0o777).toBe(0o640);
    const { err: again } = await lock("--rewrite");
    expect(again).toBe("platform.lock is up to date: 2 images.\n");
  });

  test("with --at, replaces the digests in the files", async () => {
    await lock("--rewrite");
    await lock("--rewrite", "--at", at(0));
    expect(read("Dockerfile")).toBe(`FROM ${image}:latest@${digestNumber(0)}  # newest\n`);
    expect(await lock("--check")).toMatchObject({ code: 0, out: "" });
  });

  test("reports a digest that cannot be written, and writes nothing", async () => {
    const text = `ARG T=1.0\nFROM ${image}:$T\nRUN echo $T\n`;
    write("Dockerfile", text);
    const { code, err } = await lock("--rewrite");
    expect(code).toBe(1);
    expect(err).toContain("Dockerfile:2:6: error: The digest of");
    expect([read("Dockerfile"), existsSync(join(cwd, "platform.lock"))]).toEqual([text, false]);
    expect(await lock()).toMatchObject({ code: 0 });
  });

  test("does not write through a link out of the folder", async () => {
    const outside = join(await newFolder(), "Dockerfile");
    writeFileSync(outside, `FROM ${image}\n`);
    symlinkSync(outside, join(cwd, "web.Dockerfile"));
    const { code, err } = await lock("--rewrite", "web.Dockerfile");
    expect(code).toBe(1);
    expect(err).toContain("web.Dockerfile is a link to");
    expect(readFileSync(outside, "utf8")).toBe(`FROM ${image}\n`);
    expect(existsSync(join(cwd, "platform.lock"))).toBe(false);
  });
});

describe("a digest that is in a file before there is an entry", () => {
  test("becomes the entry, with the time since when the tag pointed to it", async () => {
    write("Dockerfile", `FROM ${image}:latest@${digestNumber(1)}\n`);
    await lock();
    expect(readLock().images[`${image}:latest`]).toMatchObject({
      digest: digestNumber(1),
      since: at(1),
    });
  });

  test("is an error if the tag never pointed to it, until --update replaces it", async () => {
    write("Dockerfile", `FROM ${image}:latest@${digestNumber(99)}\n`);
    const { code, err } = await lock();
    expect(code).toBe(1);
    expect(err).toContain(
      `Dockerfile:1:6: error: ${organization.name}/python:latest never pointed to`,
    );
    expect(await lock("--update", "--rewrite")).toMatchObject({ code: 0 });
    expect(read("Dockerfile")).toContain(digestNumber(2));
  });

  test("is an error if another file has another one", async () => {
    write("Dockerfile", `FROM ${image}:latest@${digestNumber(1)}\n`);
    write("b.Dockerfile", `FROM ${image}:latest@${digestNumber(2)}\n`);
    const { code, err } = await lock();
    expect(code).toBe(1);
    expect(err).toMatch(/^Dockerfile:1:6: error: The files have different digests/m);
    expect(err).toMatch(/^b\.Dockerfile:1:6: error: The files have different digests/m);
  });
});

describe("--check", () => {
  const check = (...args: string[]) =>
    // Nothing answers there, so a request would fail.
    platformctl(["lock", "--check", ...args], {
      env: { PLATFORM_URL: "http://localhost:9", PLATFORM_STATE: "/nowhere" },
    });

  test("succeeds without a request if files and lock agree", async () => {
    await lock();
    expect(await check()).toEqual({
      ...{ code: 0, out: "" },
      err: "The files agree with platform.lock: 2 images in 2 places.\n",
    });
    await lock("--rewrite");
    expect(await check()).toMatchObject({ code: 0, out: "" });
  });

  test("lists every reference that is not locked, has another digest or is gone, and ends with 1", async () => {
    await lock("--at", at(0));
    write("Dockerfile", `FROM ${image}:2.0\nFROM ${image}:1.0@${digestNumber(1)}\n`);
    const { code, out, err } = await check();
    expect(code).toBe(1);
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t")),
    ).toEqual([
      ["Dockerfile:1:6", `${image}:2.0`, "not locked"],
      ["Dockerfile:2:6", `${image}:1.0`, "other digest"],
      ["", `${image}:latest`, "unused"],
    ]);
    expect(err).toContain("The files differ from platform.lock in 3 places.");
    const { code: partial, out: only } = await check("k8s");
    expect([partial, only]).toEqual([0, ""]);
  });

  test("fails for a reference that cannot be read", async () => {
    await lock();
    write("x.Dockerfile", `FROM ${image}:$TAG\n`);
    const { code, err } = await check();
    expect(code).toBe(1);
    expect(err).toContain("x.Dockerfile:1:6: error: The value needs the variable TAG");
  });

  test("without a lock, says how to write one", async () => {
    const { code, err } = await check();
    expect(code).toBe(1);
    expect(err).toContain("platform.lock does not exist. To write it, run: platformctl lock");
  });

  test.each(["--update", "--rewrite", "--keep-going", "--at=1d"])(
    "with %s is bad usage",
    async (option) => {
      expect(await check(option)).toMatchObject({ code: 2, out: "" });
    },
  );
});

describe("an image that cannot be locked", () => {
  const broken = () =>
    write(
      "compose.yaml",
      `services:\n  a: {image: "${image}:nope"}\n  b: {image: "${host()}/no.example/x:1"}\n`,
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
    expect(existsSync(join(cwd, "platform.lock"))).toBe(false);
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
  write("x.Dockerfile", `FROM ${image}:$TAG\n`);
  const { code, out, err } = await lock("--json", "--keep-going", "--rewrite");
  expect({ code, err }).toEqual({ code: 1, err: "" });
  const place = { file: "Dockerfile", line: 1, column: 6 };
  expect(JSON.parse(out)).toMatchObject({
    ...{ lockFile: "platform.lock", registry: host(), isWritten: true, filesRead: 3 },
    images: [
      { reference: `${image}:1.0`, digest: digestNumber(1) },
      {
        reference: `${image}:latest`,
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
  write("Dockerfile", `FROM ${image}:3\n`);
  const checked = await lock("--check", "--json");
  expect(checked).toMatchObject({ code: 1, err: "" });
  expect(JSON.parse(checked.out).strays).toMatchObject([
    { ...place, kind: "not-locked", reference: `${image}:3` },
    { kind: "unused", reference: `${image}:latest` },
  ]);
});

test("a lock of another registry is refused, and so is a file that is no lock", async () => {
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
  expect(existsSync(join(cwd, "platform.lock"))).toBe(false);
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
    const { code, err } = await platformctl(["lock", "--keep-going"], { env: anonymous.env });
    expect(code).toBe(1);
    expect(digests()).toEqual(["latest 2"]);
    expect(err).toMatch(
      /^k8s\/pod\.yaml:5:14: error: [\s\S]*To log in, run: platformctl auth login/m,
    );
  });
});

test("each tag takes one request, however many files use it", async () => {
  const asked: string[] = [];
  const registry = createServer((request, response) => {
    const own = `http://localhost:${(registry.address() as AddressInfo).port}`;
    const path = request.url?.replace(/\?.*/, "") ?? "";
    if (path.includes("/history/")) asked.push(path);
    const discovery = {
      ...{ issuer: own, platform_api_url: own, platform_api_audience: own },
      ...{ platform_registry_url: own, platform_registry_audience: own },
      platform_registry_vendor: "acme",
    };
    const history = [{ updateTimestamp: at(0), digest: digestNumber(7) }];
    const answers = { history, token: "t", expires_in: 60, ...discovery };
    response.setHeader("content-type", "application/json").end(JSON.stringify(answers));
  }).listen(0, "127.0.0.1");
  await once(registry, "listening");
  const { port } = registry.address() as AddressInfo;
  for (let file = 0; file < 30; file += 1) {
    write(`${file}.Dockerfile`, `FROM localhost:${port}/a/b:1\nFROM localhost:${port}/a/c\n`);
  }
  const env = { PLATFORM_URL: `http://localhost:${port}`, PLATFORM_STATE: "/nowhere" };
  const { code } = await platformctl(["lock"], { env });
  registry.close();
  expect(code).toBe(0);
  expect(asked.sort()).toEqual(["/v2/a/b/_acme/history/1", "/v2/a/c/_acme/history/latest"]);
});

test("if the platform does not answer, nothing is written", async () => {
  const env = {
    PLATFORM_STATE: await newStateFolder(organization, { registryUrl: "http://localhost:9" }),
  };
  write("Dockerfile", `FROM localhost:9/${organization.name}/python\n`);
  expect(await platformctl(["lock", "--keep-going"], { env })).toMatchObject({ code: 3, out: "" });
  expect(existsSync(join(cwd, "platform.lock"))).toBe(false);
});
