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

  /** The summary line of the next run, `Tests  1 passed`. Earlier output does not count. */
  async function nextRun(): Promise<string> {
    const sum = /^ *Tests +.*$/m;
    await expect.poll(() => printed, { interval: 50 }).toMatch(sum);
    const [line = ""] = sum.exec(printed) ?? [];
    printed = "";
    return line;
  }

  test("a broken source turns its tests red, and a fixed one turns them green", async () => {
    await expect.poll(() => printed).toMatch(/Waiting for file changes/);
    const source = join(checkout, "src/ping/ping.ts");
    const whole = await readFile(source, "utf8");
    await writeFile(source, whole.replace('"pong"', '"broken"'));
    expect(await readFile(source, "utf8")).not.toBe(whole);
    expect(await nextRun()).toMatch(/ failed/);
    await writeFile(source, whole);
    expect(await nextRun()).toMatch(/ passed/);
  });
});
