/** How `platformctl proxy` ends: with its command, or with Ctrl-C. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { begin, digestOf, end, send, someBytes, type Target } from "../../distribution/client.ts";
import { newVerified } from "../../distribution/stored_images.ts";
import { type Organization, randomName } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import { newFolder, newStateFolder, root, spawnPlatformctl } from "../command.ts";
import { startProxy } from "../images/proxy.ts";
import { startRunning } from "./running.ts";

let organization: Organization;
let front: Awaited<ReturnType<typeof startProxy>>;
let env: NodeJS.ProcessEnv = {};
beforeAll(async () => {
  organization = await newVerified();
  front = await startProxy(baseUrl());
  env = {
    PATH: process.env.PATH,
    PLATFORM_STATE: await newStateFolder(organization, { registryUrl: front.url }),
    XDG_STATE_HOME: await newFolder(),
  };
});
afterAll(() => front.stop());
afterEach(() => {
  front.change = () => undefined;
});

describe("with a command", () => {
  /** A program in Node, as the command of the proxy. */
  const around = (program: string, ...args: string[]) => [
    "proxy",
    ...["--port", "0", "--", process.execPath, "-e", program, ...args],
  ];

  test("the proxy listens while the command runs, and ends with its exit code", async () => {
    const program = `
      const answer = await fetch("http://" + process.env.PLATFORM_PROXY + "/v2/");
      console.log(answer.status, process.env.PLATFORM_PROXY, process.argv[1]);
      process.exitCode = 7;`;
    const ended = await spawnPlatformctl(around(program, "--", "--json"), { env });
    expect(ended).toMatchObject({ code: 7, err: "" });
    expect(ended.out).toMatch(/^200 localhost:\d+ --json\n$/);
    const [address] = /localhost:\d+/.exec(ended.out) ?? [];
    await expect(fetch(`http://${address}/v2/`)).rejects.toThrow();
  });

  test("a layer that the command pushes is one line of plain text", async () => {
    const name = `${organization.name}/${randomName("image")}`;
    const layer = "a layer";
    const program = `
      const place = "http://" + process.env.PLATFORM_PROXY + "/v2/${name}/blobs/uploads/";
      await fetch(place + "?digest=${digestOf(layer)}", { method: "POST", body: "${layer}" });`;
    const { code, out, err } = await spawnPlatformctl(around(program), { env });
    expect([code, out]).toEqual([0, ""]);
    const start = digestOf(layer).slice(7, 19);
    expect(err).toMatch(new RegExp(`^Pushed ${start} to ${name}: 0 MiB in [^\\n]+\\.\\n$`));
    const quiet = around(program).toSpliced(1, 0, "--quiet");
    expect(await spawnPlatformctl(quiet, { env })).toMatchObject({ code: 0, err: "" });
  });

  test("a command that a signal ends has the exit code of a shell", async () => {
    const ended = await spawnPlatformctl(around("process.kill(process.pid, 'SIGKILL')"), { env });
    expect(ended.code).toBe(128 + 9);
  });

  test("a program that does not exist is a usage error", async () => {
    const args = ["proxy", "--port", "0", "--", "/nowhere/program"];
    const ended = await spawnPlatformctl(args, { env });
    expect([ended.code, ended.err]).toEqual([2, expect.stringContaining("/nowhere/program")]);
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s reaches the command, which decides",
    async (signal) => {
      const program = `
      process.on("${signal}", () => process.exit(5));
      setInterval(() => {}, 1000);
      console.log("ready");`;
      const child = spawn(
        process.execPath,
        [join(root, "cli/platformctl.js"), ...around(program)],
        {
          env,
          stdio: ["ignore", "pipe", "ignore"],
        },
      );
      await once(child.stdout, "data");
      child.kill(signal);
      expect(await once(child, "exit")).toEqual([5, null]);
    },
  );
});

describe("Ctrl-C", () => {
  /** A proxy with a layer that is underway until `release` is called. */
  async function startHeld() {
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    front.change = ({ method }) => (method === "PATCH" ? { hold } : undefined);
    front.seen.length = 0;
    const running = await startRunning([], env);
    const name = `${organization.name}/${randomName("image")}`;
    const target: Target = { name, token: "", origin: running.url };
    const location = await begin(target);
    const answered = send(target, location, { method: "PATCH", body: someBytes(1000) });
    answered.catch(() => {});
    await expect.poll(() => front.seen.some(({ method }) => method === "PATCH")).toBe(true);
    return { running, target, answered, release };
  }

  test("ends an idle proxy at once and prints nothing", async () => {
    const running = await startRunning([], env);
    const target: Target = { name: `${organization.name}/image`, token: "", origin: running.url };
    const layer = someBytes(10);
    await end(target, await begin(target), digestOf(layer), layer);
    const { code, err } = await running.stop();
    expect([code, err]).toEqual([0, expect.stringMatching(/^Pushed .*\n$/)]);
  });

  test("waits for a layer that is underway", async () => {
    const { running, answered, release } = await startHeld();
    running.interrupt();
    await expect.poll(running.err).toContain("Waiting for the layers that are underway.");
    release();
    expect((await answered).status).toBe(202);
    await running.ended;
    expect((await running.stop()).code).toBe(0);
  });

  test("pressed twice, it stops at once", async () => {
    const { running, answered, release } = await startHeld();
    running.interrupt();
    const { code, err } = await running.stop();
    expect(code).toBe(130);
    expect(err).toBe(
      "Waiting for the layers that are underway. To stop at once, press Ctrl-C again.\n",
    );
    await expect(answered).rejects.toThrow();
    release();
  });
});
