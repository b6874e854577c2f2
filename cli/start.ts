/**
 * `npm start`: the whole platform on one port of this machine. miniflare runs the Worker on an inner port
 * (dev_worker.ts). The front door passes requests to it and also handles native gRPC. All data is in one folder
 * (state.ts). Progress goes to stderr. The address and the next steps go to stdout.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildSite } from "../site/build.ts";
import { discoverPlatform } from "./account/exchange.ts";
import { makePrivate } from "./account/private_files.ts";
import { bootstrapSql } from "./bootstrap.ts";
import { demoIssuer, demoProvider, demoUrl } from "./demo/demo_server.ts";
import type { DevWorker } from "./dev_worker.ts";
import { failureText, refusedFailure, toFailure, usageFailure } from "./failure.ts";
import { grpcBridge } from "./grpc/bridge.ts";
import { databaseFiles, localDatabases } from "./local/databases.ts";
import {
  allowWrites,
  type DiskGuard,
  requireFreeSpace,
  startDiskGuard,
} from "./local/disk_guard.ts";
import { checkPort, type FrontDoor, openFrontDoor } from "./local/front_door.ts";
import { greeting } from "./local/greeting.ts";
import { pendingSql } from "./local/pending_migrations.ts";
import { migrationNames } from "./migrations.ts";
import { printHelpIfAsked } from "./program_help.ts";
import { projectRoot } from "./project.ts";
import { seedSampleData } from "./seed.ts";
import {
  addresses,
  defaultStateDir,
  type OpenState,
  openState,
  readState,
  stateDir,
} from "./state.ts";

/**
 * In milliseconds. `start` is how long the Worker may take to respond, and `stop` how long a child may take to end.
 * `predecessor` is how long an `npm start` that was just killed may hold the folder and the port.
 */
const timeoutMs = { start: 60_000, stop: 5_000, predecessor: 3_000 };

const progress = (text: string) => process.stderr.write(`${text}\n`);

/** A wrangler command that leads its own process group. */
type Wrangler = { child: ChildProcess; exited: Promise<unknown[]>; closed: Promise<unknown> };

const children = new Set<Wrangler>();
let state: OpenState | undefined;
let frontDoor: FrontDoor | undefined;
let diskGuards: DiskGuard[] = [];
let shutdown: Promise<never> | undefined;

async function start(): Promise<void> {
  const { port, dir } = readArguments();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => shutDown());
  endWithNpm();
  for (const path of [dir, projectRoot]) requireFreeSpace(path);
  if (!existsSync(join(dir, "keys.env"))) progress("creating keys…");
  state = await openState(dir, timeoutMs.predecessor);
  await checkPort(port, timeoutMs.predecessor).catch((error) => {
    const why = error.code === "EADDRINUSE" ? "is in use" : `cannot be opened: ${error.code}`;
    throw refusedFailure("PORT", `Port ${port} ${why}. Choose another with --port.`);
  });
  await buildSite();
  makePrivate(dir);
  const databases = localDatabases();
  for (const left of databaseFiles(d1Folder(state), databases)) allowWrites(left);
  await prepareDatabases(state);
  // A folder of an unreleased version is refused before this, and nothing in it changes.
  await state.save(addresses(port));
  const files = databaseFiles(d1Folder(state), databases);
  if (files.length < databases.length)
    throw new Error(`wrangler has no database in ${d1Folder(state)}`);
  diskGuards = files.map((file) => startDiskGuard(file, progress));
  const worker = spawned(state, [devWorker, JSON.stringify(devOptions(state, port))], progress);
  const http1Port = await waitForWorker(worker);
  const opened = state;
  const upstream = new URL(`http://127.0.0.1:${http1Port}`);
  const bridge = grpcBridge(upstream, () => opened.platform.vendor, true);
  const signer = () => readState(dir);
  frontDoor = await openFrontDoor({ port, http1Port, bridge, signer });
  if (!state.platform.seeded) {
    progress("adding sample data…");
    await seedSampleData({ state: await readState(dir) });
    await state.save({ seeded: true });
  }
  const { vendor } = await discoverPlatform(addresses(port).issuer);
  await state.save(vendor ? { vendor } : {});
  if (dir === defaultStateDir) await linkWranglerDev(state);
  const { platform } = await readState(dir);
  process.stdout.write(greeting(dir, platform));
  const [code, signal] = await worker.exited;
  throw refusedFailure("WRANGLER", `The Worker ended unexpectedly with ${signal ?? code}.`);
}

/**
 * Stops all child processes, releases the folder and exits: with 0 if the user asked for it, otherwise with a message.
 */
function shutDown(error?: unknown): Promise<never> {
  shutdown ??= (async () => {
    await frontDoor?.close();
    await Promise.all([...children].map(stop));
    for (const guard of diskGuards) guard.close();
    await state?.release();
    if (error === undefined) process.exit(0);
    const failure = toFailure(error);
    process.stderr.write(failureText(failure));
    process.exit(failure.exitCode);
  })();
  return shutdown;
}

/**
 * Makes `wrangler dev` without options find the keys and the database of this folder, where it looks for both
 * (local/wrangler_dev.js). It leaves what someone has put there.
 */
async function linkWranglerDev(opened: OpenState): Promise<void> {
  const links = { ".dev.vars": opened.keysFile, ".wrangler/state": d1Folder(opened) };
  await mkdir(join(projectRoot, ".wrangler"), { recursive: true });
  for (const [name, target] of Object.entries(links))
    await symlink(target, join(projectRoot, name)).catch(() => undefined);
}

/** If npm is killed, no signal arrives here and the port would stay in use. */
function endWithNpm(): void {
  const parent = process.ppid;
  const look = () => process.ppid !== parent && shutDown();
  if (process.env.npm_lifecycle_event === "start") setInterval(look, 1_000).unref();
}

const usageText = "Usage: npm start -- [--port N] [--state DIR]";

const helpText = `${usageText}

Start a platform on this machine, with sample data.

  --port N     Port to listen on (default: 8787).
  --state DIR  Folder of the database and the keys (default: PLATFORM_STATE, otherwise .platform).`;

function readArguments(): { port: number; dir: string } {
  printHelpIfAsked(helpText);
  try {
    const { values } = parseArgs({
      options: { port: { type: "string", default: "8787" }, state: { type: "string" } },
    });
    const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : 0;
    if (port < 1 || port > 65535)
      throw new Error(`The port must be a number from 1 to 65535; you gave "${values.port}"`);
    return { port, dir: values.state ? resolve(values.state) : stateDir() };
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw usageFailure(`${why}. ${usageText}`);
  }
}

/**
 * Creates the tables of each database, and the first rows in the first one. It runs wrangler only once for each new
 * database, because wrangler takes over a second to start.
 */
async function prepareDatabases(state: OpenState): Promise<void> {
  const migrations = await migrationNames();
  for (const { binding, id } of localDatabases()) {
    const [file] = databaseFiles(d1Folder(state), [{ id }]);
    const isMigrated = file !== undefined && `${state.platform.migrations}` === `${migrations}`;
    const parts: string[] = [];
    if (!isMigrated) {
      progress("applying migrations…");
      parts.push(await pendingSql(file));
    }
    if (!state.platform.seeded && binding === "DB") {
      progress("creating the organization…");
      parts.push(await nameFirstRows(state));
    }
    await executeLocal(state, binding, parts);
  }
  await state.save({ migrations });
}

/** Runs SQL in one local database, as a whole or not at all. */
async function executeLocal(state: OpenState, binding: string, parts: string[]): Promise<void> {
  if (parts.every((part) => part === "")) return;
  const file = join(state.dir, "database.sql");
  await writeFile(file, parts.join("\n"));
  const where = ["--local", ...persistence(state)];
  await run(state, ["d1", "execute", binding, "--yes", "--file", file, ...where]);
  await rm(file);
}

/**
 * Returns the SQL for the two root groups and their owner. The uids are saved first, so that an interrupted run can
 * continue.
 */
async function nameFirstRows(state: OpenState): Promise<string> {
  const { organization, owner, public: free } = state.platform;
  const rows = bootstrapSql({
    organizations: [organization ?? { name: "acme.example" }, free ?? { name: "public" }],
    owner: owner ?? { name: "owner" },
  });
  const [first, second] = rows.organizations;
  if (!first || !second) throw new Error("bootstrap created fewer organizations than requested");
  await state.save({ organization: first, public: second, owner: rows.owner, seeded: false });
  return rows.sql;
}

const d1Folder = (state: OpenState) => join(state.dir, "d1");
const persistence = (state: OpenState) => ["--persist-to", d1Folder(state)];

/** The addresses of `npm run demo-issuer` and `demo-provider`. Everyone whom they authenticate may register. */
const demoIssuers = () => [demoIssuer, demoProvider].map((demo) => demoUrl(demo)).join(" ");

/** Variables that can be set for a run: to try out a limit of the registry, or reads from a replica. */
const passed = [
  ...["MAX_BODY_BYTES", "SIGNATURE_ROOTS", "SPARSE_IMAGES", "STORAGE_LIMIT_BYTES"],
  ...["READS", "READS_MAX_AGE", "RATE_LIMITS", "MIRRORS"],
];

const passedVariables = () =>
  Object.fromEntries(
    passed.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );

function devOptions(state: OpenState, port: number): DevWorker {
  const { url, registryUrl, issuer, audience, registryAudience } = addresses(port);
  return {
    keysFile: state.keysFile,
    persistTo: d1Folder(state),
    vars: {
      BASE_URL: url,
      REGISTRY_URL: registryUrl,
      ISSUER_URL: issuer,
      AUDIENCE: audience,
      REGISTRY_AUDIENCE: registryAudience,
      REGISTRATION_ISSUERS: process.env.REGISTRATION_ISSUERS ?? demoIssuers(),
      ...passedVariables(),
    },
  };
}

const devWorker = fileURLToPath(new URL("dev_worker.ts", import.meta.url));
const wranglerCommand = fileURLToPath(import.meta.resolve("wrangler"));

/** Runs wrangler, or a program that uses it. */
function spawned(state: OpenState, args: string[], onLine: (line: string) => void): Wrangler {
  const diskGuard = new URL("wrangler_guard.ts", import.meta.url);
  const lock = join(state.dir, "wrangler.db");
  diskGuard.search = `${new URLSearchParams({ parent: `${process.pid}`, lock })}`;
  const child = spawn(process.execPath, ["--no-warnings", "--import", diskGuard.href, ...args], {
    cwd: projectRoot,
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      ...process.env,
      // It starts a quarter faster with this cache, because it is a single file of 15 MB.
      NODE_COMPILE_CACHE: join(projectRoot, "node_modules/.cache/node"),
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_LOG: "warn",
      WRANGLER_HIDE_BANNER: "true",
      WRANGLER_SEND_METRICS: "false",
      X_LOCAL_EXPLORER: "false",
      X_LOCAL_OBSERVABILITY: "false",
    },
  });
  for (const output of [child.stdout, child.stderr]) {
    if (output) createInterface(output).on("line", onLine);
  }
  const command = { child, exited: once(child, "exit"), closed: once(child, "close") };
  children.add(command);
  return command;
}

/** Prints the output of wrangler only if it fails. */
async function run(state: OpenState, args: string[]): Promise<void> {
  const lines: string[] = [];
  const command = spawned(state, [wranglerCommand, ...args], (line) => lines.push(line));
  await command.closed;
  children.delete(command);
  if (command.child.exitCode === 0) return;
  if (!shutdown) progress(lines.slice(-20).join("\n"));
  throw refusedFailure("WRANGLER", `wrangler ${args.slice(0, 3).join(" ")} failed.`);
}

async function stop({ child, exited, closed }: Wrangler): Promise<void> {
  const kill = (signal: NodeJS.Signals) => {
    try {
      if (child.pid) process.kill(-child.pid, signal);
    } catch {
      // All processes have ended.
    }
  };
  kill("SIGTERM");
  const timer = setTimeout(kill, timeoutMs.stop, "SIGKILL");
  await exited;
  clearTimeout(timer);
  // The leader has ended, but its children may still run.
  kill("SIGKILL");
  await closed;
}

/** Waits until the Worker responds to a ping, and returns its port. */
async function waitForWorker({ child, exited }: Wrangler): Promise<number> {
  const late = AbortSignal.timeout(timeoutMs.start);
  const pinged = async () => {
    const [message] = await once(child, "message");
    const { port }: { port: number } = JSON.parse(message);
    while (!late.aborted) {
      const answer = await fetch(`http://127.0.0.1:${port}/ping/v2/ping`).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.status === 200) break;
      await pause(100);
    }
    return port;
  };
  const failed = async (event: Promise<unknown>, what: string) => {
    await event;
    throw refusedFailure("WRANGLER", what);
  };
  return Promise.race([
    pinged(),
    failed(exited, "The Worker did not start."),
    failed(once(late, "abort"), `The platform did not respond within ${timeoutMs.start / 1000} s.`),
  ]);
}

try {
  await start();
} catch (error) {
  await shutDown(error);
}
