/** The bookmark that one run of platformctl leaves for the next one. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

let state: string;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), "bookmarks-"));
});
afterEach(() => rm(state, { recursive: true }));

const module = new URL("../../../cli/account/bookmarks.ts", import.meta.url).href;

interface Process {
  identity?: string;
  url?: string;
  /** The code that ends it. */
  end?: string;
}

const argumentsOf = (
  kept: string[],
  { identity = "i", url = "https://a.example", end }: Process,
) => [
  "--input-type=module",
  "-e",
  `const { keptBookmark } = await import(${JSON.stringify(module)});
   const bookmark = keptBookmark(${JSON.stringify({ url, identity })});
   for (const text of ${JSON.stringify(kept)}) bookmark.keep(() => text);
   console.log(bookmark.first);
   ${end ?? ""}`,
];
const env = () => ({ ...process.env, XDG_STATE_HOME: state });

/** A process that begins with the bookmark of an account and ends with these. Returns what it began with. */
function run(kept: string[], how: Process = {}): string {
  const { stdout, stderr } = spawnSync(process.execPath, argumentsOf(kept, how), {
    ...{ env: env(), encoding: "utf8" },
  });
  if (stdout === "") throw new Error(stderr);
  return stdout.trim();
}

/** A process that has begun. `end` lets it end. */
async function begin(kept: string[]) {
  const end = "await new Promise((done) => process.stdin.once('data', done)); process.exit(0);";
  const child = spawn(process.execPath, argumentsOf(kept, { end }), { env: env() });
  const [first] = await once(child.stdout, "data");
  return {
    first: String(first).trim(),
    async end(signal?: "SIGKILL") {
      const ended = once(child, "exit");
      if (signal) child.kill(signal);
      else child.stdin.write("\n");
      await ended;
    },
  };
}

const allFiles = async () => {
  const found = await readdir(state, { recursive: true, withFileTypes: true });
  return found.flatMap((one) => (one.isFile() ? [join(one.parentPath, one.name)] : []));
};

test("a process begins with what the process before it has seen, for the same account only", () => {
  expect(run(["a"])).toBe("primary");
  expect(run(["b"], { identity: "other" })).toBe("primary");
  expect(run(["c"], { url: "https://b.example" })).toBe("primary");
  expect(run(["d,e", "f"])).toBe("a");
  expect(run([])).toBe("d,e,f");
});

test("during and after processes at the same time, a process reads from the primary", async () => {
  for (const firstEnds of [true, false]) {
    run(["a"]);
    const one = await begin(["b"]);
    const two = await begin(["c"]);
    expect([one.first, two.first]).toEqual(["a", "primary"]);
    for (const each of firstEnds ? [one, two] : [two, one]) await each.end();
    expect(run(["a"])).toBe("primary");
    expect(run([])).toBe("a");
  }
});

test("the same is true if there was no bookmark before", async () => {
  const [one, two] = [await begin(["b"]), await begin(["c"])];
  await one.end();
  await two.end();
  expect(run([])).toBe("primary");
});

test("after a process that was killed, the next one reads from the primary", async () => {
  run(["a"]);
  const killed = await begin(["b"]);
  await killed.end("SIGKILL");
  expect(run([])).toBe("primary");
});

test("only the user can read the file, and a platform without bookmarks leaves none", async () => {
  for (const kept of [[], [""], ["primary"], ["a", "primary"], ["not a bookmark"]]) {
    run(kept);
    expect(await allFiles()).toEqual([]);
  }
  run(["a"], { end: "process.exit(1)" });
  const [file = "", ...more] = await allFiles();
  expect(more).toEqual([]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("a damaged file is not used, and is gone afterwards", async () => {
  run(["a"]);
  const [file = ""] = await allFiles();
  await writeFile(file, "a\nb: c");
  expect(run([])).toBe("primary");
  expect(await allFiles()).toEqual([]);
});
