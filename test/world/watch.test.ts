/**
 * `npm run test:watch`, in a temporary checkout: a change in the source of a Worker reaches the tests that
 * call it.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newCheckout } from "../journeys/fresh_checkout.ts";
import { root } from "../journeys/shell_story.ts";
import { long } from "./tiers.ts";
import { patience } from "./times.ts";
import { nearestTests } from "./worker_files.ts";

test.each([
  ["src/registry/tags/pins.ts", ["test/registry/tags/pins.test.ts"]],
  [
    "schema/tables/registry/tags.ts",
    ["test/registry/tags/pins.test.ts", "test/registry/tags/tags.test.ts"],
  ],
  [
    "src/registry/new/new.ts",
    ["test/registry/tags/pins.test.ts", "test/registry/tags/tags.test.ts"],
  ],
  ["src/config.ts", ["test/config.test.ts"]],
  ["cli/start.ts", undefined],
  ["test/schema/generate.test.ts", undefined],
])("a change of %s reruns the tests at its path", (source, nearest) => {
  const tests = ["config", "registry/tags/pins", "registry/tags/tags"];
  expect(
    nearestTests(
      source,
      tests.map((name) => `test/${name}.test.ts`),
    ),
  ).toEqual(nearest);
});

describe("npm run test:watch", long, () => {
  let checkout: string;
  let watcher: ChildProcessWithoutNullStreams;
  let printed = "";

  beforeAll(async () => {
    checkout = await newCheckout();
    // A watcher stops at a folder of this name, and walks through a link.
    const modules = join(checkout, "node_modules");
    const names = await readdir(modules);
    await rm(modules);
    await mkdir(modules);
    for (const name of names) await symlink(join(root, "node_modules", name), join(modules, name));
    const args = [".ci/test.ts", "--watch", "--reporter=dot"];
    const env = { ...process.env, NO_COLOR: "1", VITEST: undefined };
    watcher = spawn(process.execPath, args, {
      cwd: checkout,
      env,
      stdio: "pipe",
    });
    // The failures of the red run go to stderr. They are not failures of the run that contains this test.
    for (const stream of [watcher.stdout, watcher.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        printed += text;
      });
    }
  });
  afterAll(async () => {
    watcher.kill();
    await rm(checkout, { recursive: true });
  });

  /**
   * Writes the file and waits for a run with this summary. A watcher says that it waits for changes before it has
   * found all files, so the file is written again until a run begins.
   */
  async function writeUntil(file: string, text: string, summary: RegExp): Promise<void> {
    printed = "";
    const write = async () => {
      if (!printed.includes("RERUN")) await writeFile(file, text);
      return printed;
    };
    // A run starts the whole platform again, next to the tests of this run.
    await expect.poll(write, { interval: 1_000, timeout: 4 * patience }).toMatch(summary);
  }

  test("a broken source turns its tests red, and a fixed one turns them green", async () => {
    await expect.poll(() => printed).toMatch(/Waiting for file changes/);
    const source = join(checkout, "src/ping/ping.ts");
    const whole = await readFile(source, "utf8");
    const broken = whole.replace('"pong"', '"broken"');
    expect(broken).not.toBe(whole);
    await writeUntil(source, broken, /^ *Tests +\d+ failed/m);
    await writeUntil(source, whole, /^ *Tests +\d+ passed/m);
    expect(printed).toMatch(/RERUN/);
  });
});
