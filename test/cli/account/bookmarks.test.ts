/** The bookmark that one run of platformctl leaves for the next one. */
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keptBookmark } from "../../../cli/account/bookmarks.ts";
import { within } from "../../../cli/surroundings.ts";
import { newSurroundings } from "../command.ts";

let state: string;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), "bookmarks-"));
});
afterEach(() => rm(state, { recursive: true }));

/** A process that has begun with the bookmark of an account, and has seen these. `end` lets it end. */
async function begin(kept: string[], { identity = "i", url = "https://a.example" } = {}) {
  const surroundings = await newSurroundings({ env: { XDG_STATE_HOME: state } });
  surroundings.stdin.destroy();
  return within(surroundings, async () => {
    const bookmark = keptBookmark({ url, identity });
    for (const text of kept) bookmark.keep(() => text);
    return { first: bookmark.first, end: () => surroundings.emit("exit") };
  });
}

/** A process that begins and ends. Returns what it began with. */
async function run(kept: string[], how?: { identity?: string; url?: string }): Promise<string> {
  const { first, end } = await begin(kept, how);
  end();
  return first;
}

const allFiles = async () => {
  const found = await readdir(state, { recursive: true, withFileTypes: true });
  return found.flatMap((one) => (one.isFile() ? [join(one.parentPath, one.name)] : []));
};

test("a process begins with what the process before it has seen, for the same account only", async () => {
  expect(await run(["a"])).toBe("primary");
  expect(await run(["b"], { identity: "other" })).toBe("primary");
  expect(await run(["c"], { url: "https://b.example" })).toBe("primary");
  expect(await run(["d,e", "f"])).toBe("a");
  expect(await run([])).toBe("d,e,f");
});

test("during and after processes at the same time, a process reads from the primary", async () => {
  for (const firstEnds of [true, false]) {
    await run(["a"]);
    const one = await begin(["b"]);
    const two = await begin(["c"]);
    expect([one.first, two.first]).toEqual(["a", "primary"]);
    for (const each of firstEnds ? [one, two] : [two, one]) each.end();
    expect(await run(["a"])).toBe("primary");
    expect(await run([])).toBe("a");
  }
});

test("the same is true if there was no bookmark before", async () => {
  const [one, two] = [await begin(["b"]), await begin(["c"])];
  one.end();
  two.end();
  expect(await run([])).toBe("primary");
});

test("after a process that was killed, the next one reads from the primary", async () => {
  await run(["a"]);
  await begin(["b"]);
  expect(await run([])).toBe("primary");
});

test("only the user can read the file, and a platform without bookmarks leaves none", async () => {
  for (const kept of [[], [""], ["primary"], ["a", "primary"], ["not a bookmark"]]) {
    await run(kept);
    expect(await allFiles()).toEqual([]);
  }
  await run(["a"]);
  const [file = "", ...more] = await allFiles();
  expect(more).toEqual([]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("a damaged file is not used, and is gone afterwards", async () => {
  await run(["a"]);
  const [file = ""] = await allFiles();
  await writeFile(file, "a\nb: c");
  expect(await run([])).toBe("primary");
  expect(await allFiles()).toEqual([]);
});

test("a process that ends by itself keeps its bookmark", () => {
  const module = new URL("../../../cli/account/bookmarks.ts", import.meta.url).href;
  const script = `const { keptBookmark } = await import(${JSON.stringify(module)});
    const { first, keep } = keptBookmark({ url: "https://a.example", identity: "i" });
    keep(() => "a");
    console.log(first);
    process.exit(1);`;
  const env = { ...process.env, XDG_STATE_HOME: state };
  const args = ["--input-type=module", "-e", script];
  const begun = () => spawnSync(process.execPath, args, { env, encoding: "utf8" }).stdout;
  expect([begun(), begun()]).toEqual(["primary\n", "a\n"]);
});
