/** `platformctl lock --rewrite` and `--check`: the digests in the files. */
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { digestNumber } from "../../distribution/stored_images.ts";
import { newFolder } from "../command.ts";
import {
  at,
  lock,
  read,
  readLock,
  rowsOf,
  useLockFolder,
  world,
  write,
} from "../lock/lock_folder.ts";

useLockFolder();

describe("--rewrite", () => {
  test("writes the digests into the files, changes no other byte, and then has nothing to do", async () => {
    chmodSync(join(world.cwd, "Dockerfile"), 0o640);
    const { err } = await lock("--rewrite");
    expect(err).toBe(
      "Wrote platform.lock with 2 images: 2 added. Rewrote 2 references in 2 files.\n",
    );
    expect(read("Dockerfile")).toBe(`FROM ${world.image}:latest@${digestNumber(2)}  # newest\n`);
    expect(read("k8s/pod.yaml")).toContain(`- image: ${world.image}:1.0@${digestNumber(1)}\n`);
    expect(statSync(join(world.cwd, "Dockerfile")).mode & 0o777).toBe(0o640);
    const { err: again } = await lock("--rewrite");
    expect(again).toBe("platform.lock is up to date: 2 images.\n");
  });

  test("with --at, replaces the digests in the files", async () => {
    await lock("--rewrite");
    await lock("--rewrite", "--at", at(0));
    expect(read("Dockerfile")).toBe(`FROM ${world.image}:latest@${digestNumber(0)}  # newest\n`);
    expect(await lock("--check")).toMatchObject({ code: 0, out: "" });
  });

  test("reports a digest that cannot be written, and writes nothing", async () => {
    const text = `ARG T=1.0\nFROM ${world.image}:$T\nRUN echo $T\n`;
    write("Dockerfile", text);
    const { code, err } = await lock("--rewrite");
    expect(code).toBe(1);
    expect(err).toContain("Dockerfile:2:6: error: The digest of");
    expect([read("Dockerfile"), existsSync(join(world.cwd, "platform.lock"))]).toEqual([
      text,
      false,
    ]);
    expect(await lock()).toMatchObject({ code: 0 });
  });

  test("does not write through a link out of the folder", async () => {
    const outside = join(await newFolder(), "Dockerfile");
    writeFileSync(outside, `FROM ${world.image}\n`);
    symlinkSync(outside, join(world.cwd, "web.Dockerfile"));
    const { code, err } = await lock("--rewrite", "web.Dockerfile");
    expect(code).toBe(1);
    expect(err).toContain("web.Dockerfile is a link to");
    expect(readFileSync(outside, "utf8")).toBe(`FROM ${world.image}\n`);
    expect(existsSync(join(world.cwd, "platform.lock"))).toBe(false);
  });
});

describe("a digest that is in a file before there is an entry", () => {
  test("becomes the entry, with the time since when the tag pointed to it", async () => {
    write("Dockerfile", `FROM ${world.image}:latest@${digestNumber(1)}\n`);
    await lock();
    expect(readLock().images[`${world.image}:latest`]).toMatchObject({
      digest: digestNumber(1),
      since: at(1),
    });
  });

  test("is an error if the tag never pointed to it, until --update replaces it", async () => {
    write("Dockerfile", `FROM ${world.image}:latest@${digestNumber(99)}\n`);
    const { code, err } = await lock();
    expect(code).toBe(1);
    expect(err).toContain(
      `Dockerfile:1:6: error: ${world.organization.name}/python:latest never pointed to`,
    );
    expect(await lock("--update", "--rewrite")).toMatchObject({ code: 0 });
    expect(read("Dockerfile")).toContain(digestNumber(2));
  });

  test("is an error if another file has a different digest", async () => {
    write("Dockerfile", `FROM ${world.image}:latest@${digestNumber(1)}\n`);
    write("b.Dockerfile", `FROM ${world.image}:latest@${digestNumber(2)}\n`);
    const { code, err } = await lock();
    expect(code).toBe(1);
    expect(err).toMatch(/^Dockerfile:1:6: error: The files have different digests/m);
    expect(err).toMatch(/^b\.Dockerfile:1:6: error: The files have different digests/m);
  });
});

describe("--check", () => {
  const check = (...args: string[]) =>
    // Nothing answers there, so a request would fail.
    world.platformctl(["lock", "--check", ...args], {
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
    write("Dockerfile", `FROM ${world.image}:2.0\nFROM ${world.image}:1.0@${digestNumber(1)}\n`);
    const { code, out, err } = await check();
    expect(code).toBe(1);
    expect(rowsOf(out)).toEqual([
      ["Dockerfile:1:6", `${world.image}:2.0`, "not locked"],
      ["Dockerfile:2:6", `${world.image}:1.0`, "other digest"],
      ["", `${world.image}:latest`, "unused"],
    ]);
    expect(err).toContain("The files differ from platform.lock in 3 places.");
    const { code: partial, out: only } = await check("k8s");
    expect([partial, only]).toEqual([0, ""]);
  });

  test("fails for a reference that cannot be read", async () => {
    await lock();
    write("x.Dockerfile", `FROM ${world.image}:$TAG\n`);
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
