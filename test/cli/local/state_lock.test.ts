import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StateError } from "../../../cli/failure.ts";
import { openState } from "../../../cli/state.ts";
import { long } from "../../world/tiers.ts";

const holder = join(import.meta.dirname, "folder_holder.ts");
/**
 * In milliseconds, as in `npm start`: the kernel needs time to end a killed process, also on a busy machine.
 */
const moment = 3_000;

let dir = "";
const cleanUp: (() => unknown)[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "state-"));
});
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
  await rm(dir, { recursive: true });
});

const pidFile = () => join(dir, "lock");
const refusalOf = (opening: Promise<unknown>): Promise<unknown> =>
  opening.then(
    () => "none",
    (error) => error,
  );

/** Starts a program and returns a function that reads its next line. The program is killed after the test. */
function start(program: string, args: string[]) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  cleanUp.push(() => child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async (): Promise<string> => (await lines.next()).value ?? "";
  return { pid: child.pid ?? 0, ended: once(child, "exit"), line };
}

/** Another process that opens the folder, now or at a given time, and its output. */
async function other(at = 0) {
  const { pid, line } = start(process.execPath, ["--expose-gc", holder, dir, String(at)]);
  return { pid, said: await line() };
}

test("a second process is rejected with the id of the first and advice, which is not to delete the lock", async () => {
  const { pid, said } = await other();
  expect(said).toBe("open");
  const refusal = await refusalOf(openState(dir));
  expect(refusal).toBeInstanceOf(StateError);
  expect(String(refusal)).toMatch(new RegExp(`Process ${pid} is .*${dir}. Stop it.*--state`));
  expect(String(refusal)).not.toMatch(/delete|remove/i);
});

test("a process holds its folder until it exits, also after garbage collection", async () => {
  expect((await other()).said).toBe("open");
  await pause(200);
  await expect(openState(dir)).rejects.toThrow(StateError);
});

test("a second process is rejected if the id of the first is unknown", async () => {
  await other();
  await rm(pidFile());
  await expect(openState(dir)).rejects.toThrow(/^A process is .*Stop it.*--state/);
});

test("a process can open a folder again once it has released it, and not before", async () => {
  const first = await openState(dir);
  await expect(openState(dir)).rejects.toThrow(`Process ${process.pid} is`);
  await first.release();
  expect(await readdir(dir)).not.toContain("lock");
  await expect(openState(dir)).resolves.toMatchObject({ dir });
});

test("a second release does not affect another process that opened the folder meanwhile", async () => {
  const first = await openState(dir);
  await first.release();
  await openState(dir);
  await first.release();
  expect(await readFile(pidFile(), "utf8")).toBe(`${process.pid}\n`);
  await expect(openState(dir)).rejects.toThrow(`Process ${process.pid} is`);
});

test("the folder of a killed process can be opened at once", async () => {
  const { pid } = await other();
  process.kill(pid, "SIGKILL");
  await openState(dir, moment);
  expect(await readFile(pidFile(), "utf8")).toBe(`${process.pid}\n`);
});

test("a zombie process locks no one out", async () => {
  // The shell becomes a sleep, which never waits for the child that it was left with.
  const script = '"$@" & echo $!; exec sleep 60';
  const { line } = start("sh", ["-c", script, "sh", process.execPath, holder, dir]);
  const pid = Number(await line());
  expect(await line()).toBe("open");
  process.kill(pid, "SIGKILL");
  await openState(dir, moment);
  const stat = execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  expect(stat).toMatch(/^Z/);
});

test("of processes that open a folder at the same moment, exactly one succeeds", long, async () => {
  const at = Date.now() + 1_500;
  const all = await Promise.all([1, 2, 3, 4].map(() => other(at)));
  const winner = all.find(({ said }) => said === "open");
  const losers = all.filter((one) => one !== winner);
  expect(losers.map(({ said }) => said.slice(0, said.indexOf(" is already")))).toEqual(
    losers.map(() => `Process ${winner?.pid}`),
  );
});

test("of two opens in one process at the same moment, exactly one succeeds", async () => {
  const both = await Promise.allSettled([openState(dir), openState(dir)]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a process that waits gets the folder once it is released", async () => {
  const first = await openState(dir);
  const second = openState(dir, 20_000);
  await pause(100);
  await first.release();
  await expect(second).resolves.toMatchObject({ dir });
});

test.each([
  ["a process that has died", "4194303\n"],
  ["an earlier process that had our number", `${process.pid}\n`],
  ["a process that now does something else", `${process.ppid}\n`],
  ["an unknown process", "x"],
  ["a process that died while it wrote", ""],
])("the process id of %s locks no one out", async (_, content) => {
  await writeFile(pidFile(), content);
  const state = await openState(dir);
  expect(await readFile(pidFile(), "utf8")).toBe(`${process.pid}\n`);
  await state.release();
  expect(await readdir(dir)).not.toContain("lock");
});

/** Runs as a user to whom file modes apply. They do not apply to root. */
async function asNobody<T>(action: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return action();
  await chown(dir, 65534, 65534);
  process.seteuid?.(65534);
  return action().finally(() => process.seteuid?.(0));
}

const lockFile = () => join(dir, "lock.db");

test.each<[string, () => Promise<unknown>]>([
  ["may only be read", () => chmod(dir, 0o500)],
  ["has a lock that may only be read", () => writeFile(lockFile(), "", { mode: 0o444 })],
  ["has a folder in place of its lock", () => mkdir(lockFile())],
  ["has another file in place of its lock", () => writeFile(lockFile(), "x".repeat(1_000))],
  ["is on a full disk", () => symlink("/dev/full", pidFile())],
])("a folder that %s is refused by its name, with a way on", async (_, spoil) => {
  await spoil();
  const refusal = await refusalOf(asNobody(() => openState(dir)));
  expect(refusal).toBeInstanceOf(StateError);
  expect(String(refusal)).toMatch(new RegExp(`Cannot lock the data folder ${dir}: .*--state`));
});

test("a folder is not left locked if the process id cannot be written", async () => {
  await symlink("/dev/full", pidFile());
  await expect(openState(dir)).rejects.toThrow("ENOSPC");
  await rm(pidFile());
  await expect(openState(dir)).resolves.toMatchObject({ dir });
});

test("a folder that cannot be created is rejected by its name", async () => {
  await writeFile(join(dir, "file"), "");
  const refusal = await refusalOf(openState(join(dir, "file", "folder")));
  expect(refusal).toBeInstanceOf(StateError);
  expect(String(refusal)).toContain(`Cannot lock the data folder ${join(dir, "file", "folder")}`);
});
