/** `npm run demo-issuer` and `npm run demo-provider`: the port they use, and the key they keep. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readOrCreatePrivate } from "../../cli/account/private_files.ts";
import { freePort } from "../journeys/shell_story.ts";
import { tiers } from "../world/tiers.ts";
import { root } from "./command.ts";

let folder: string;
let port: number;
const running: ChildProcess[] = [];
const servers: Server[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "demo-"));
  port = await freePort();
});
afterEach(async () => {
  for (const child of running.splice(0)) await stop(child);
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true });
});

const keyFile = () => join(folder, "state/demo_issuer.json");

/** Starts a demo. Resolves with its output once it listens or has exited. */
async function start(name: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [join(root, `cli/demo/${name}.ts`), ...args], {
    env: { ...process.env, PLATFORM_STATE: join(folder, "state"), ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  running.push(child);
  let text = "";
  const ended = once(child, "close");
  const listens = new Promise<void>((resolve) => {
    child.stderr.on("data", (chunk) => {
      text += chunk;
      if (/ at http/.test(text)) resolve();
    });
  });
  await Promise.race([listens, ended]);
  return { child, text, code: child.exitCode };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, "close");
}

const keysAt = async (at: number) => (await fetch(`http://localhost:${at}/jwks`)).json();

test("the issuer's key is that of the previous run, in a file for its owner only", async () => {
  const first = await start("issuer", ["--port", `${port}`]);
  const keys = await keysAt(port);
  expect(keys).toEqual({ keys: [expect.objectContaining({ kty: "RSA", use: "sig" })] });
  expect(keys.keys[0]).not.toHaveProperty("d");
  await stop(first.child);
  chmodSync(keyFile(), 0o644);
  await start("issuer", [], { DEMO_ISSUER_PORT: `${port}` });
  expect(await keysAt(port)).toEqual(keys);
  expect((lstatSync(keyFile()).mode & 0o777).toString(8)).toBe("600");
  expect((lstatSync(join(folder, "state")).mode & 0o777).toString(8)).toBe("700");
});

test("the issuer's next key has another id after the first one was deleted", async () => {
  const first = await start("issuer", ["--port", `${port}`]);
  const before = await keysAt(port);
  await stop(first.child);
  rmSync(keyFile());
  await start("issuer", ["--port", `${port}`]);
  expect((await keysAt(port)).keys[0].kid).not.toBe(before.keys[0].kid);
});

test("an unreadable key is named, and stays", async () => {
  await readOrCreatePrivate(keyFile(), async () => "{}");
  const { code, text } = await start("issuer", ["--port", `${port}`]);
  expect({ code, text }).toEqual({
    code: 1,
    text: `error: ${keyFile()} has no private RSA key. Delete the file, and the next run creates a new key. (STATE)\n`,
  });
});

const ports: [string, string, string][] = [
  ["issuer", "DEMO_ISSUER_PORT", "127.0.0.1"],
  ["identity_provider", "DEMO_PROVIDER_PORT", "::1"],
];
for (const [some, tier] of tiers(ports, () => "port"))
  test.for(some)(
    "%s reports that its port is in use, and how to choose another: %s",
    tier,
    async ([name, variable, host]) => {
      const server = createServer().listen(port, host);
      servers.push(server);
      await once(server, "listening");
      const { code, text } = await start(name, [], { [variable]: `${port}` });
      expect(code).toBe(1);
      expect(text).toContain(
        `error: Port ${port} is in use. Choose another with --port or ${variable}. (PORT)\n`,
      );
      expect(text).not.toMatch(/^ {4}at /m);
    },
  );

test.each([
  ["an invalid port of the environment", [], { DEMO_ISSUER_PORT: "http" }, "DEMO_ISSUER_PORT"],
  ["an invalid port", ["--port", "0"], {}, "--port"],
  ["an option that does not exist", ["--prt", "1"], {}, "--prt"],
])("%s is rejected without a stack", async (_, args, env, named) => {
  const { code, text } = await start("issuer", args, env);
  expect(code).toBe(2);
  expect(text).toContain(named);
  expect(text).not.toMatch(/^ {4}at /m);
});

test("programs that store one file at the same time get the same text", async () => {
  const file = join(folder, "new/kept");
  const texts = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      readOrCreatePrivate(file, async () => {
        await new Promise((resolve) => setTimeout(resolve, index));
        return `${index}`;
      }),
    ),
  );
  expect(new Set(texts).size).toBe(1);
  writeFileSync(file, "other");
  expect(await readOrCreatePrivate(file, async () => "new")).toBe("other");
});
