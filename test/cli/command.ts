/**
 * Runs the command line programs in folders of the tests. They run in the process of the test. A test of signals,
 * terminals or the start of a program gives the program a process of its own.
 */

import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { createReadStream, openSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { runHelper } from "../../cli/account/credential_helper.ts";
import { run } from "../../cli/commands/run.ts";
import type { Surroundings } from "../../cli/surroundings.ts";
import type { Organization } from "../world/personas.ts";
import { audience, baseUrl, issuer, registryAudience } from "../world/platform.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** How a program ended, and what it printed. The code is NaN after a signal. */
export interface ProgramResult {
  code: number;
  out: string;
  err: string;
}

interface ProgramOptions {
  /** Of our own environment, a program receives only PATH. */
  env?: NodeJS.ProcessEnv;
  input?: string | Uint8Array;
}

export interface CommandOptions extends ProgramOptions {
  /** Makes standard output a terminal of this width, with 16 colors. */
  columns?: number;
  /** Makes standard input and standard error terminals too, so that a person can answer questions. */
  hasPerson?: boolean;
  cwd?: string;
}

const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  PLATFORM_STATE: "/nowhere",
  XDG_CONFIG_HOME: "/nowhere",
  XDG_STATE_HOME: join(tmpdir(), `platformctl-test-state-${process.pid}`),
  ...env,
});

/** Runs a program of cli/ in a process of its own until it exits. */
export async function runProgramFile(
  program: string,
  args: string[],
  { env = {}, input = "" }: ProgramOptions = {},
): Promise<ProgramResult> {
  const child = spawn(process.execPath, [join(root, "cli", program), ...args], {
    env: environment(env),
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const ended: ProgramResult = { code: Number.NaN, out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    ended.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    ended.err += text;
  });
  ended.code = await new Promise((resolve) =>
    child.once("close", (code) => resolve(code ?? Number.NaN)),
  );
  return ended;
}

/** Runs platformctl in a process of its own. */
export const spawnPlatformctl = (args: string[], options: ProgramOptions = {}) =>
  runProgramFile("platformctl.js", args, options);

/** Runs platformctl in the process of the test. Several can run at the same time. */
export const platformctl = (args: string[], options: CommandOptions = {}) =>
  ranHere((surroundings) => run(args, surroundings), options);

/** Runs docker-credential-platform in the process of the test. */
export const credentialHelper = (action: string, options: CommandOptions = {}) =>
  ranHere((surroundings) => runHelper(action, surroundings), options);

/** Returns platformctl as the owner of an organization. */
export async function commandsOf(organization: Organization) {
  const PLATFORM_STATE = await newStateFolder(organization);
  return (args: string[], { env, ...options }: CommandOptions = {}) =>
    platformctl(args, { ...options, env: { PLATFORM_STATE, ...env } });
}

/** Runs a program in the process of the test. Its work leaves the exit code in the surroundings. */
export async function ranHere(
  work: (surroundings: Surroundings) => Promise<void>,
  options: CommandOptions,
): Promise<ProgramResult> {
  const surroundings = await newSurroundings(options);
  const { stdin, stdout, stderr } = surroundings;
  try {
    await work(surroundings);
    surroundings.emit("exit");
  } finally {
    stdin.destroy();
  }
  return { code: surroundings.exitCode, out: stdout.text(), err: stderr.text() };
}

/** The surroundings of a command, which emit `exit` when the test says so. `stdin` is open until it is destroyed. */
export async function newSurroundings(options: CommandOptions) {
  const { env = {}, input = "", columns, hasPerson = false, cwd = "/" } = options;
  const isTTY = columns !== undefined;
  const shows = { TERM: "xterm", LANG: "C.UTF-8" };
  return Object.assign(new EventEmitter(), {
    env: environment({ ...(isTTY ? shows : {}), ...env }),
    stdin: Object.assign(await openInput(input), { isTTY: hasPerson }),
    stdout: Object.assign(new Collected(), { isTTY, columns: columns ?? 80 }),
    stderr: Object.assign(new Collected(), { isTTY: hasPerson, columns: columns ?? 80 }),
    exitCode: 0,
    cwd: () => cwd,
  });
}

class Collected extends Writable {
  readonly #chunks: Buffer[] = [];
  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
  text = () => Buffer.concat(this.#chunks).toString();
}

/** A stream with a file descriptor, which some commands read without it. */
async function openInput(input: string | Uint8Array) {
  if (input.length === 0) return inputOf("/dev/null");
  const folder = await newFolder();
  await writeFile(join(folder, "input"), input);
  const stream = inputOf(join(folder, "input"));
  await rm(folder, { recursive: true });
  return stream;
}

function inputOf(file: string) {
  const fd = openSync(file, "r");
  return Object.assign(createReadStream("", { fd }), { fd });
}

export const newFolder = () => mkdtemp(join(tmpdir(), "platformctl-test-"));

/** Data of a checkout about the tests' platform, with this organization as the first one. */
export const stateOf = (organization: Organization) => ({
  platform: {
    url: baseUrl(),
    registryUrl: `http://${registryAudience}`,
    audience,
    registryAudience,
    issuer,
    organization: { uid: organization.uid, name: organization.name },
    public: { uid: organization.uid, name: organization.name },
    owner: { uid: organization.owner.uid, name: "owner" },
    seeded: true,
    migrations: [],
  },
  signingKeys: JSON.parse(inject("signingKeys")),
});

/** Makes a program believe that it writes to a terminal with 16 colors. */
export const terminal = (columns: number): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import=${new URL("terminal.mjs", import.meta.url)}`,
  TERMINAL_COLUMNS: String(columns),
  TERM: "xterm",
  LANG: "C.UTF-8",
});

/** A folder like the one of `npm start`, for PLATFORM_STATE. */
export async function newStateFolder(
  organization: Organization,
  change: { url?: string; registryUrl?: string } = {},
): Promise<string> {
  const folder = join(await newFolder(), "state");
  await mkdir(folder);
  const { platform } = stateOf(organization);
  await writeFile(join(folder, "platform.json"), JSON.stringify({ ...platform, ...change }));
  const keys = [
    `SIGNING_KEYS='${inject("signingKeys")}'`,
    `PAGE_TOKEN_KEYS='${inject("pageTokenKeys")}'`,
    `ENCRYPTION_KEYS='${inject("encryptionKeys")}'`,
  ];
  await writeFile(join(folder, "keys.env"), `${keys.join("\n")}\n`);
  return folder;
}
