/**
 * Measures the import of a whole registry's history as an operator runs it: `platformctl import tag-moves` against the
 * platform of `npm start`, on its own port and in its own folder.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { databaseFiles, localDatabases } from "../../cli/local/databases.ts";
import { endProgram, endWithRun, freePort } from "../programs.ts";
import type { Findings, Goal } from "../report/findings.ts";
import { measureBytes } from "./bytes.ts";
import { writeMoves } from "./moves.ts";
import { measureWarnings } from "./warnings.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The seconds that the import of all moves may take. */
const maxSeconds = 60;
const timeoutMs = 300_000;
/** The number of made-up moves, if no file is given. */
const generatedMoves = 50_000;

/** The output of `platformctl import tag-moves --json` that is checked here. */
interface Outcome {
  createdRepos: number;
  createdTags: number;
  recordedMoves: number;
  unchangedMoves: number;
}

/** Starts the development platform and resolves once it prints its address. */
async function startPlatform(port: number, state: string): Promise<ChildProcess> {
  const args = [join(root, "cli/start.ts"), "--port", String(port), "--state", state];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  endWithRun(child);
  const lines = createInterface(child.stdout);
  const late = setTimeout(() => child.kill(), timeoutMs);
  for await (const line of lines) {
    if (!line.startsWith("Platform API")) continue;
    clearTimeout(late);
    child.stdout.resume();
    return child;
  }
  clearTimeout(late);
  throw new Error("the platform did not start");
}

/** Runs `platformctl` and returns its standard output. */
async function platformctl(state: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, "cli/platformctl.js"), ...args],
    { cwd: root, env: { ...process.env, PLATFORM_STATE: state } },
  );
  return stdout;
}

async function makeGroup(url: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/iam/v2/groups?name=acme.example`, { headers });
  const { groups } = (await response.json()) as { groups?: { uid: string }[] };
  const body = JSON.stringify({ name: "bench" });
  const made = await fetch(`${url}/iam/v2/groups/${groups?.[0]?.uid}`, {
    method: "POST",
    headers,
    body,
  });
  const { uid } = (await made.json()) as { uid?: string };
  if (!uid) throw new Error(`there is no group to import into: ${made.status}`);
  return uid;
}

async function timed(state: string, file: string, group: string) {
  const start = performance.now();
  const answer = await platformctl(state, "import", "tag-moves", file, "--group", group, "--json");
  return { seconds: (performance.now() - start) / 1000, outcome: JSON.parse(answer) as Outcome };
}

/**
 * Imports twice. The first import fills an empty group, and the second finds everything there. `file` contains JSON
 * lines, plain or gzip. Without it, the moves are made up.
 */
export async function measureImport(
  folder: string,
  file: string | undefined,
  say: (line: string) => void,
): Promise<Pick<Findings, "tables" | "goals">> {
  const path = file ?? join(folder, "tag-moves.jsonl");
  if (file === undefined) await writeMoves(path, generatedMoves);
  const state = join(folder, "state");
  const port = await freePort();
  say("starting a development platform to import into");
  const platform = await startPlatform(port, state);
  const parts: Pick<Findings, "tables" | "goals">[] = [];
  try {
    const url = `http://localhost:${port}`;
    const token = (await platformctl(state, "auth", "token")).trim();
    const group = await makeGroup(url, token);
    say("importing tag moves");
    const first = await timed(state, path, group);
    const again = await timed(state, path, group);
    parts.push(findingsOf(first, again));
    parts.push({ goals: [], tables: await measureWarnings(url, token, group) });
  } finally {
    await endProgram(platform);
  }
  const [database] = databaseFiles(join(state, "d1"), localDatabases());
  if (database) parts.push(measureBytes(database));
  return {
    goals: parts.flatMap(({ goals }) => goals),
    tables: parts.flatMap(({ tables }) => tables),
  };
}

type Run = Awaited<ReturnType<typeof timed>>;

function findingsOf(first: Run, again: Run): Pick<Findings, "tables" | "goals"> {
  const moves = first.outcome.recordedMoves + first.outcome.unchangedMoves;
  if (first.outcome.recordedMoves === 0) throw new Error("nothing was imported");
  const goals: Goal[] = [
    {
      what: `import of ${moves} tag moves into an empty group`,
      bound: `at most ${maxSeconds} s`,
      measured: `${first.seconds.toFixed(1)} s`,
      kept: first.seconds <= maxSeconds,
    },
    {
      what: `import of the same ${moves} tag moves again`,
      bound: "records nothing",
      measured: `${again.outcome.recordedMoves} recorded`,
      kept: again.outcome.recordedMoves === 0 && again.outcome.unchangedMoves === moves,
    },
  ];
  const rows = [
    { name: "into an empty group", ...first },
    { name: "the same moves again", ...again },
  ].map(({ name, seconds, outcome }) => [
    name,
    Number(seconds.toFixed(1)),
    Math.round(moves / seconds),
    outcome.createdRepos,
    outcome.createdTags,
    outcome.recordedMoves,
    outcome.unchangedMoves,
  ]);
  return {
    goals,
    tables: [
      {
        title: `Import of ${moves} tag moves`,
        text: "`platformctl import tag-moves` runs against the platform of `npm start`, in separate processes. The time includes the start of the command.",
        head: ["", "seconds", "moves per second", "new repos", "new tags", "recorded", "unchanged"],
        rows,
      },
    ],
  };
}
