/** A platform on a real D1 whose disk fills up: a disk that reports it, and a real one. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { Failure } from "../../../cli/failure.ts";
import { databaseFiles, localDatabases } from "../../../cli/local/databases.ts";
import {
  allowWrites,
  type DiskGuard,
  freeBytes,
  requireFreeSpace,
  startDiskGuard,
} from "../../../cli/local/disk_guard.ts";
import { isAboutRequest } from "../../world/log_lines.ts";
import { startOwnPlatform } from "../../world/own_platform.ts";
import { randomName, randomUid } from "../../world/personas.ts";
import { audience, tokenFor } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";

const MiB = 1024 * 1024;
const ignore = () => undefined;
/** The expected errors in the log, from the platform or from the runtime. */
const headlines =
  /"message":"(?:The platform's storage is full: |The database is overloaded, was reset or failed\. )|database or disk is full: SQLITE_FULL/;

/** An organization with a new owner on that platform, and calls as that owner. */
async function openWorld(folder: string) {
  const logged: string[] = [];
  // Laid out as by `npm start`, without its door.
  const { db, origin, stop } = await startOwnPlatform({
    folder: join(folder, "v3"),
    log: (message) => logged.push(message),
  });
  onTestFinished(async () => {
    await stop();
    const expected = (message: string) => isAboutRequest(message) || headlines.test(message);
    expect(logged.filter((message) => !expected(message))).toEqual([]);
  });
  const owner = randomUid();
  await db
    .prepare(
      "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'owner', 1, 1, 1)",
    )
    .bind(owner)
    .run();
  const token = await tokenFor(owner);
  const call = async (path: string, body?: object) => {
    const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${origin}${path}`, { ...init, headers });
    return { status: response.status, body: await response.json() };
  };
  const made = (await call("/iam/v2/groups", { name: "full.example" })) as {
    body: { uid: string };
  };
  const { uid } = made.body;
  const create = () => call(`/registry/v2/repos/${uid}`, { name: randomName("repo") });
  const reads = () =>
    Promise.all([
      call("/registry/v2/repos"),
      call(`/iam/v2/groups/${uid}`),
      call(`/sts/exchange?aud=${encodeURIComponent(audience)}`),
    ]).then((answers) => answers.map(({ status }) => status));
  return { uid, call, create, reads, file: databaseFiles(folder, localDatabases())[0] ?? "" };
}

const refused = {
  status: 429,
  body: {
    code: 8,
    message: expect.stringContaining("storage is full"),
    details: [
      expect.objectContaining({ reason: "STORAGE_FULL" }),
      expect.objectContaining({ requestId: expect.any(String) }),
    ],
  },
};

let guard: DiskGuard | undefined;
afterEach(() => {
  guard?.close();
  guard = undefined;
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "platform-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("while a disk is nearly full", () => {
  test("creates fail with STORAGE_FULL, reads and exchanges continue, and creates work again with free space", async () => {
    const world = await openWorld(await newFolder());
    const heard: string[] = [];
    let free = 100 * MiB;
    guard = startDiskGuard(
      world.file,
      (line) => heard.push(line),
      () => free,
    );
    expect(await world.create()).toMatchObject({ status: 200 });

    free = 7 * MiB;
    guard.look();
    expect(await world.create()).toEqual(refused);
    expect(await world.reads()).toEqual([200, 200, 200]);
    const rpc = "/platform.registry.v2.ReposService/CreateRepo";
    expect(await world.call(rpc, { parent: world.uid, repo: { name: "x" } })).toMatchObject({
      body: { code: "resource_exhausted" },
    });
    expect(existsSync(`${world.file}-reserve`)).toBe(false);

    free = 13 * MiB;
    guard.look();
    expect(await world.create()).toEqual(refused);

    free = 14 * MiB;
    guard.look();
    expect(await world.create()).toMatchObject({ status: 200 });
    expect(heard).toEqual([
      expect.stringMatching(/^Storage is full: the disk of .* has 7 MiB left/),
      expect.stringMatching(/^Writes continue: the disk of .* has 14 MiB left/),
    ]);
  });

  test("writes work again after the guard ends, or was killed", async () => {
    const world = await openWorld(await newFolder());
    const shut = () => {
      guard = startDiskGuard(world.file, ignore, () => 0);
      guard.look();
      return guard;
    };
    const first = shut();
    expect(await world.create()).toEqual(refused);
    allowWrites(world.file);
    expect(await world.create()).toMatchObject({ status: 200 });
    first.close();
    const second = shut();
    expect(await world.create()).toEqual(refused);
    second.close();
    guard = undefined;
    expect(await world.create()).toMatchObject({ status: 200 });
    expect(existsSync(`${world.file}-reserve`)).toBe(false);
  });

  test("npm start fails, and says how much space it needs", () => {
    expect(() => requireFreeSpace("/", () => 31 * MiB)).toThrow(Failure);
    expect(() => requireFreeSpace("/", () => 31 * MiB)).toThrow(/31 MiB are free.* 32 MiB/);
    requireFreeSpace("/", () => 32 * MiB);
    expect(freeBytes(join(tmpdir(), "not", "there", "yet"))).toBeGreaterThan(0);
  });
});

/** A separate disk. Undefined if this process cannot mount one. */
async function mounted(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "platform-test-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=40m", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    await rm(folder, { recursive: true });
    return undefined;
  }
  onTestFinished(async () => {
    execFileSync("umount", ["-l", folder]);
    await rm(folder, { recursive: true });
  });
  return folder;
}

/** Fills a disk. Returns a function that frees the space. */
async function fill(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, randomName("filler"));
  const { bavail, bsize } = await statfs(folder);
  await writeFile(file, Buffer.alloc(bavail * bsize, 1));
  return () => rm(file);
}

/** Empties the -wal file. `npm start` finds it empty after commands that have exited. */
function emptyWal(file: string): void {
  const db = new DatabaseSync(file);
  db.exec("pragma wal_checkpoint(truncate)");
  db.close();
}

describe("on a real disk without free space", long, () => {
  test("reads and exchanges continue beyond the length of the -wal file, and writes continue with free space", async (context) => {
    const disk = await mounted();
    if (!disk) return context.skip("this process may not mount a file system");
    const world = await openWorld(disk);
    emptyWal(world.file);
    guard = startDiskGuard(world.file, ignore);
    const free = await fill(disk);
    guard.look();
    // The disk is filled again with the space that the guard freed.
    const freeAgain = await fill(disk);
    expect(await world.create()).toEqual(refused);
    const statuses = new Set<number>();
    for (let i = 0; i < 40; i++) {
      const answers = await Promise.all(Array.from({ length: 20 }, world.reads));
      for (const status of answers.flat()) statuses.add(status);
    }
    expect([...statuses]).toEqual([200]);
    // workerd closes what is idle for ten seconds, and opens it again on the full disk.
    await pause(12_000);
    expect(await world.reads()).toEqual([200, 200, 200]);
    expect(await world.create()).toEqual(refused);
    await free();
    await freeAgain();
    guard.look();
    expect(await world.create()).toMatchObject({ status: 200 });
  }, 60_000);

  test("a call that fails without a guard is DATABASE_UNAVAILABLE, and the next one with free space succeeds", async (context) => {
    const disk = await mounted();
    if (!disk) return context.skip("this process may not mount a file system");
    const world = await openWorld(disk);
    const free = await fill(disk);
    const answers = [];
    for (let i = 0; i < 20; i++) answers.push(await world.create());
    expect(answers.at(-1)).toMatchObject({
      status: 503,
      body: { code: 14, details: [{ reason: "DATABASE_UNAVAILABLE" }, {}] },
    });
    await free();
    expect(await world.create()).toMatchObject({ status: 200 });
  }, 60_000);
});
