/** The servers that a person on this machine would choose between: `npm start`, and CNCF Distribution. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Miniflare, convertV4MiniflareOptions as options } from "miniflare";
import { ownerAccount } from "../../cli/account/credentials.ts";
import { projectRoot } from "../../cli/project.ts";
import { readState } from "../../cli/state.ts";
import type { Program } from "../peers/distribution.ts";
import { endProgram, endWithRun, freePort } from "../programs.ts";
import { bareStorage } from "./bare.ts";
import { bareCarrier, type Carrier, registryCarrier } from "./blobs.ts";
import type { ImageTarget } from "./client.ts";
import { openRegistry } from "./distribution.ts";
import { usesOf } from "./processes.ts";

export const tag = "latest";

/** A server, and the ids of its programs. */
export interface LocalServer {
  name: string;
  programs: number[];
  carrier: Carrier;
  /** The image that it serves. Undefined for the bare Worker. */
  target: ImageTarget | undefined;
  /** A path that reads one row of D1. Only the bare Worker has one. */
  rowUrl: string | undefined;
  stop(): Promise<void>;
}

/** Waits for a line of the output that begins with a text. */
async function waitFor(child: ChildProcess, start: string): Promise<void> {
  if (!child.stdout) throw new Error("the program has no output");
  for await (const line of createInterface(child.stdout)) if (line.startsWith(start)) return;
  throw new Error("npm start has ended");
}

/** Starts the platform in the way of `npm start`, without rate limits. */
export async function openLocal(folder: string): Promise<LocalServer> {
  const state = join(folder, "npm-start");
  const port = await freePort();
  const args = ["--no-warnings", "cli/start.ts", "--port", `${port}`, "--state", state];
  const child = spawn(process.execPath, args, {
    cwd: projectRoot,
    env: { ...process.env, RATE_LIMITS: "off" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  endWithRun(child);
  await waitFor(child, "Reference");
  child.stdout?.resume();
  const { signingKeys, platform } = await readState(state);
  const account = ownerAccount({ signingKeys, platform });
  const { token } = await account.token({ audience: account.registryAudience });
  const origin = `http://127.0.0.1:${port}`;
  const target = { origin, image: `${platform.organization.name}/bench`, token };
  return {
    name: "npm start",
    programs: [child.pid ?? 0],
    carrier: registryCarrier("npm start", target),
    target,
    rowUrl: undefined,
    stop: () => endProgram(child),
  };
}

/** Starts a program of Distribution. */
export async function openPeer(program: Program, folder: string): Promise<LocalServer> {
  const known = new Set(usesOf([process.pid]).map(({ id }) => id));
  const { name, target, stop } = await openRegistry(program, folder, tag);
  const programs = usesOf([process.pid]).flatMap(({ id }) => (known.has(id) ? [] : [id]));
  return {
    name,
    programs,
    carrier: registryCarrier(name, target),
    target,
    rowUrl: undefined,
    stop,
  };
}

/** Starts a Worker that only stores bytes and reads a row, on a D1 and an R2 of miniflare, without a front door. */
export async function openBare(folder: string): Promise<LocalServer> {
  const data = join(folder, "bare");
  await mkdir(data, { recursive: true });
  const known = new Set(usesOf([process.pid]).map(({ id }) => id));
  const { name, script, bucket = "" } = bareStorage;
  const miniflare = new Miniflare(
    options({
      resourcePersistencePath: data,
      workers: [
        {
          name,
          modules: true,
          script,
          compatibilityDate: "2026-10-01",
          r2Buckets: { BLOBS: bucket },
          d1Databases: { DB: "bare" },
          unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
        },
      ],
    }),
  );
  const { origin } = await miniflare.unsafeGetDirectURL(name);
  const programs = usesOf([process.pid]).flatMap(({ id }) => (known.has(id) ? [] : [id]));
  return {
    name: "bare Worker",
    programs,
    carrier: bareCarrier("bare Worker", origin),
    target: undefined,
    rowUrl: `${origin}/row`,
    stop: () => miniflare.dispose(),
  };
}
