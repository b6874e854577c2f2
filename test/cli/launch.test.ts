import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder, root } from "./command.ts";

const program = join(root, "cli/platformctl.js");

/** A Node that may be too old for TypeScript, if the machine has one. */
const systemNode = existsSync("/usr/bin/node") ? "/usr/bin/node" : process.execPath;

test("platformctl runs on the system's Node, from any directory", async () => {
  const { status, stdout } = spawnSync(systemNode, [program, "--help"], {
    cwd: "/",
    encoding: "utf8",
  });
  expect(stdout).toMatch(/^Usage: platformctl/);
  expect(status).toBe(0);
});

test("platformctl runs through a symbolic link, as docker and npm start it", async () => {
  const link = join(await newFolder(), "platformctl");
  await symlink(program, link);
  const { status, stdout } = spawnSync(link, ["--help"], { cwd: "/", encoding: "utf8" });
  expect(stdout).toMatch(/^Usage: platformctl/);
  expect(status).toBe(0);
});

test("the exit code and both outputs are passed on unchanged", () => {
  const ended = spawnSync(systemNode, [program, "nonsense", "--json"], { encoding: "utf8" });
  expect(ended.status).toBe(2);
  expect(ended.stdout).toBe("");
  expect(JSON.parse(ended.stderr).error.code).toBe("USAGE");
});

test("a signal to the launcher ends the program that it launched", async () => {
  const port = await freePort();
  const args = ["grpc-bridge", "--bind", String(port), "--upstream", "http://localhost:1"];
  const child = spawn(systemNode, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  expect(await isOpen(port)).toBe(true);
  child.kill("SIGTERM");
  const [code, signal] = await once(child, "exit");
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  expect(await isOpen(port)).toBe(false);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address ? address.port : 0;
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
