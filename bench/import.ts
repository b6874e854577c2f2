/**
 * The import of a whole registry's history, as an operator runs it: `platformctl import tag-moves`
 * against the platform of `npm start`, on a port and in a folder of its own.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Report } from "./report.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Seconds that the import of all moves may take. */
const bound = 60;
const patience = 180_000;

/** What `platformctl import tag-moves --json` answers, of what is checked here. */
interface Outcome {
  createdRepos: number;
  createdTags: number;
  recordedMoves: number;
  unchangedMoves: number;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Starts the development platform and answers once it says its address. */
async function startPlatform(port: number, state: string): Promise<ChildProcess> {
  const args = [join(root, "cli/start.ts"), "--port", String(port), "--state", state];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface(child.stdout);
  const late = setTimeout(() => child.kill(), patience);
  for await (const line of lines) {
    if (!line.startsWith("Platform API")) continue;
    clearTimeout(late);
    child.stdout.resume();
    return child;
  }
  clearTimeout(late);
  throw new Error("the platform did not start");
}

/** Runs `platformctl` and answers its standard output. */
async function platformctl(state: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, "cli/platformctl.js"), ...args],
    { cwd: root, env: { ...process.env, PLATFORM_STATE: state } },
  );
  return stdout;
}

async function makeGroup(url: string, state: string): Promise<string> {
  const headers = { authorization: `Bearer ${(await platformctl(state, "auth", "token")).trim()}` };
  const found = await fetch(`${url}/iam/v2/groups?name=example.com`, { headers });
  const { groups } = (await found.json()) as { groups?: { uid: string }[] };
  const body = JSON.stringify({ name: "bench" });
  const made = await fetch(`${url}/iam/v2/groups/${groups?.[0]?.uid}`, {
    method: "POST",
    headers,
    body,
  });
  const { uid } = (await made.json()) as { uid?: string };
  if (!uid) throw new Error(`no group to import into: ${made.status}`);
  return uid;
}

async function timed(state: string, file: string, group: string) {
  const start = performance.now();
  const answer = await platformctl(state, "import", "tag-moves", file, "--group", group, "--json");
  return { seconds: (performance.now() - start) / 1000, outcome: JSON.parse(answer) as Outcome };
}

/** Imports `file` twice: the first fills an empty group, the second finds everything there. */
export async function importMoves(folder: string, file: string, report: Report): Promise<void> {
  const path = resolve(root, file);
  if (!existsSync(path)) {
    report.line(`Import: no ${file}, nothing measured. Name another file with --moves.`);
    return;
  }
  const state = join(folder, "state");
  const port = await freePort();
  const platform = await startPlatform(port, state);
  try {
    const group = await makeGroup(`http://localhost:${port}`, state);
    const first = await timed(state, path, group);
    const again = await timed(state, path, group);
    const moves = first.outcome.recordedMoves + first.outcome.unchangedMoves;
    const isSlow = first.seconds > bound ? [`over ${bound} s`] : [];
    const isChanged = again.outcome.recordedMoves > 0 ? ["recorded moves twice"] : [];
    report.table(
      `Import of ${moves} moves (at most ${bound} s)`,
      ["", "seconds", "moves a second", "new repos", "new tags", "recorded", "unchanged", ""],
      [
        { name: "into an empty group", ...first, reasons: isSlow },
        { name: "the same again", ...again, reasons: isChanged },
      ].map(({ name, seconds, outcome, reasons }) => [
        name,
        Number(seconds.toFixed(1)),
        Math.round(moves / seconds),
        outcome.createdRepos,
        outcome.createdTags,
        outcome.recordedMoves,
        outcome.unchangedMoves,
        report.verdict(reasons, `import ${name}`),
      ]),
    );
  } finally {
    platform.kill("SIGTERM");
    await once(platform, "exit");
  }
}
