/** Runs the command line programs as users start them, in folders of the tests. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { Organization } from "../world/personas.ts";
import { audience, baseUrl, issuer, registryAudience } from "../world/platform.ts";

export const root = new URL("../..", import.meta.url).pathname;

/** How a program ended, and what it printed. */
export interface ProgramResult {
  code: number | null;
  out: string;
  err: string;
}

/** Runs a program of cli/ until it exits. Of our environment, it receives only PATH. */
export async function runProgramFile(
  program: string,
  args: string[],
  { env = {}, input = "" }: { env?: NodeJS.ProcessEnv; input?: string | Uint8Array } = {},
): Promise<ProgramResult> {
  const child = spawn(process.execPath, [join(root, "cli", program), ...args], {
    env: {
      PATH: process.env.PATH,
      PLATFORM_STATE: "/nowhere",
      XDG_CONFIG_HOME: "/nowhere",
      ...env,
    },
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const ended: ProgramResult = { code: null, out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    ended.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    ended.err += text;
  });
  ended.code = await new Promise((resolve) => child.once("close", resolve));
  return ended;
}

/** Runs platformctl. */
export const platformctl = (args: string[], options: Parameters<typeof runProgramFile>[2] = {}) =>
  runProgramFile("platformctl.js", args, options);

/**
 * The outcomes of platformctl for each of these command lines, which one process runs (each_line.ts). Use it
 * for the output of a command if the test is not about the program's start, its end or its streams.
 */
export async function platformctlEach(lines: string[][]): Promise<ProgramResult[]> {
  const program = "../test/cli/each_line.ts";
  const { code, out, err } = await runProgramFile(program, [], { input: JSON.stringify(lines) });
  if (code !== 0) throw new Error(`each_line.ts ended with ${code}: ${err}`);
  return JSON.parse(out);
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
  NODE_OPTIONS: `--import=${join(root, "test/cli/terminal.mjs")}`,
  TERMINAL_COLUMNS: String(columns),
  TERM: "xterm",
  LANG: "C.UTF-8",
});

/** Makes wrangler run each command line of `d1 execute --command` only once (wrangler_repeats.mjs). */
export const answerRepeats = async (): Promise<NodeJS.ProcessEnv> => ({
  NODE_OPTIONS: `--import=${join(root, "test/cli/wrangler_repeats.mjs")}`,
  WRANGLER_REPEATS: await newFolder(),
});

/** A folder like the one of `npm start`, for PLATFORM_STATE. */
export async function newStateFolder(
  organization: Organization,
  change: { registryUrl?: string } = {},
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
