import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bench-run-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts a run that keeps all its temporary files in `folder`. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [join(root, "bench/run.ts"), ...args], {
    cwd: root,
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  child.stdout.on("data", (text) => {
    said.out += text;
  });
  child.stderr.on("data", (text) => {
    said.err += text;
  });
  return { child, said };
}

async function run(...args: string[]) {
  const { child, said } = start(...args);
  const [code] = await once(child, "close");
  return { code, ...said };
}

test("wrong arguments exit with code 2, the manual on standard error, and nothing on standard output", async () => {
  const { code, out, err } = await run("cost", "--rows", "5", "--json");
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^--rows must be whole numbers/);
  expect(err).toContain("Usage: npm run bench");
});

test("--help prints the manual", async () => {
  const { code, out } = await run("--help");
  expect(code).toBe(0);
  expect(out).toMatch(/^Usage: npm run bench/);
});

test.each(["SIGINT", "SIGTERM"] as const)("a run stopped by %s leaves no file", async (signal) => {
  const { child, said } = start("peers");
  while (!said.err.includes("bundling")) await once(child.stderr, "data");
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^platform-bench-/)]);
  child.kill(signal);
  const [code] = await once(child, "close");
  expect(code).toBe(signal === "SIGINT" ? 130 : 143);
  expect(await readdir(folder)).toEqual([]);
  expect(said.out).toBe("");
});
