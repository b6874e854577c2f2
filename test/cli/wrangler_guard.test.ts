import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const guardFile = join(import.meta.dirname, "../../cli/wrangler_guard.ts");
/**
 * A stand-in for wrangler. It has a child process, as wrangler has workerd, and a thread, which reports that
 * it runs.
 */
const program = `
  require("node:child_process").spawn("sleep", ["60"], { stdio: "inherit" });
  const { Worker } = require("node:worker_threads");
  new Worker(process.argv[1]).once("message", console.log);
`;
const thread = `
  const { parentPort } = require("node:worker_threads");
  parentPort.on("message", () => {}).postMessage("runs");
`;

let dir = "";
const cleanUp: (() => unknown)[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "guard-"));
  await writeFile(join(dir, "thread.cjs"), thread);
});
afterEach(async () => {
  for (const undo of cleanUp.splice(0)) undo();
  await rm(dir, { recursive: true });
});

/** A wrangler with this parent and lock. `closed` resolves once its whole process group has exited. */
function guarded({ parent = process.pid, name = "wrangler.db" } = {}) {
  const url = pathToFileURL(guardFile);
  const lock = join(dir, name);
  url.search = new URLSearchParams({ parent: String(parent), lock }).toString();
  const args = ["--no-warnings", "--import", url.href, "-e", program, join(dir, "thread.cjs")];
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const end = () => {
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL");
    } catch {
      // It is gone.
    }
  };
  cleanUp.push(end);
  const says = once(createInterface(child.stdout), "line");
  return { child, end, says, closed: once(child, "close") };
}

test("a wrangler without its parent ends, with everything that it started", async () => {
  const { closed } = guarded({ parent: process.pid + 1 });
  expect(await closed).toEqual([null, "SIGKILL"]);
});

test("a wrangler with its parent continues, and so do its threads", async () => {
  const { child, says } = guarded();
  await says;
  await pause(1_200);
  expect(child.signalCode ?? child.exitCode).toBe(null);
});

test("a wrangler starts only after the previous one has ended, and waits for no other", async () => {
  const first = guarded();
  await first.says;
  const second = guarded();
  const order: string[] = [];
  const begun = second.says.then(() => order.push("second begins"));
  await guarded({ name: "elsewhere.db" }).says;
  await pause(500);
  order.push("first ends");
  first.end();
  await begun;
  expect(order).toEqual(["first ends", "second begins"]);
});
