/** Runs the shell commands of a documentation page as they are printed there. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * A few lines of shell, and the lines that they must print, in this order. Between words there can be any
 * number of spaces. `…` stands for any text, and eight hexadecimal digits before it stand for any others.
 * Relative times, the dates they are computed from, and the lengths drawn from them can also differ.
 */
export interface StoryStep {
  code: string;
  expected: string[];
}

/**
 * The steps of a page. In a `bash` block each paragraph is a step, and its lines after `#=>` are parts of the
 * output. A `sh` block is the same, but needs a program that not every machine has, and is left out unless
 * `withTools`. A `console` block has commands after `$ `, each followed by its output.
 */
export function stepsOf(page: string, { withTools = false } = {}): StoryStep[] {
  const blocks = [...page.matchAll(/^```(bash|sh|console)\n([\s\S]*?)^```/gm)];
  return blocks
    .filter(([, kind]) => withTools || kind !== "sh")
    .flatMap(([, kind, block = ""]) => (kind === "console" ? commands(block) : paragraphs(block)));
}

function paragraphs(block: string): StoryStep[] {
  const parts = block.split(/\n\n/).filter((part) => part.trim() !== "");
  return parts.map((part) => {
    const lines = part.trim().split("\n");
    const isExpected = (line: string) => line.startsWith("#=>");
    return {
      code: lines.filter((line) => !isExpected(line)).join("\n"),
      expected: lines.filter(isExpected).map((line) => line.slice("#=>".length).trim()),
    };
  });
}

function commands(block: string): StoryStep[] {
  const steps: StoryStep[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("$ ")) steps.push({ code: line.slice(2), expected: [] });
    else if (line.trim() !== "") steps.at(-1)?.expected.push(line.trim());
  }
  return steps;
}

/** A failure: the step, its output, and the first missing line, if there is one. */
export interface StoryFailure {
  code: string;
  printed: string;
  missing?: string;
}

/** Where and how a story runs. */
export interface StoryEnvironment {
  /** The folder in which the shell starts. */
  folder: string;
  /** The environment of this process by default. */
  env?: NodeJS.ProcessEnv;
  /** Whether programs write to a terminal with 100 columns (`script` of util-linux). */
  onTerminal?: boolean;
  /** The milliseconds after which the shell and its programs are killed. */
  limit?: number;
}

/**
 * Runs the steps in one shell. `platformctl` is in the folder where `npm link` would put it. Ports 9092 to
 * 9099 become free ports. Returns the differences from the page.
 */
export async function runStory(
  story: StoryStep[],
  stage: StoryEnvironment,
): Promise<StoryFailure[]> {
  const steps = await withFreePorts(story);
  const script = steps.map(({ code }, index) => `${code}\necho; echo "@@${index}@@"`).join("\n");
  const output = await shell(script, stage);
  const breaches: StoryFailure[] = [];
  let rest = output;
  for (const [index, { code, expected }] of steps.entries()) {
    const mark = `@@${index}@@`;
    const end = rest.indexOf(mark);
    const printed = end < 0 ? rest : rest.slice(0, end);
    const missing = firstMissing(printed, expected);
    if (missing !== undefined) breaches.push({ code, printed, missing });
    else if (stackTrace.test(printed)) breaches.push({ code, printed });
    if (end < 0) {
      const notRun = steps.slice(index + 1).map((one) => ({
        code: one.code,
        printed: "(the shell had ended before this step)",
      }));
      return [...breaches, { code, printed: `${printed}\n(the shell ended here)` }, ...notRun];
    }
    rest = rest.slice(end + mark.length);
  }
  return breaches;
}

/** The output of a program of Node when it crashes. */
const stackTrace = /^ {4}at .*:\d+\)?$/m;

/** The first of these lines that the text does not contain after the lines before it. */
export function firstMissing(printed: string, expected: string[]): string | undefined {
  let at = 0;
  for (const line of expected) {
    const found = patternOf(line).exec(printed.slice(at));
    if (!found) return line;
    at += found.index + found[0].length;
  }
  return undefined;
}

const varying =
  /(?:\b[0-9a-f]{8})?…|\d{4}-\d\d-\d\dT[\d:.]+Z(?= +\(\d+ \w+ ago)|\d+ (?:second|minute|hour|day|week|month|year)s? ago|[─┄]+|\d+ [dhms] \d+ [dhms](?= +current)/;

function patternOf(line: string): RegExp {
  const literal = (text: string) =>
    text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll(/\s+/g, "[ \\t]+");
  const pattern = line.split(varying).map(literal).join("[^\\n]*?");
  // A number is not a part of another one, and neither is a word.
  return new RegExp(`(?<!\\w)(?:${pattern})(?!\\w)`);
}

async function withFreePorts(story: StoryStep[]): Promise<StoryStep[]> {
  let text = JSON.stringify(story);
  for (const port of new Set(text.match(/\b909[2-9]\b/g))) {
    text = text.replaceAll(port, String(await freePort()));
  }
  return JSON.parse(text) as StoryStep[];
}

/** A port below those that the system assigns to outgoing connections. */
export async function freePort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return free ? port : freePort();
}

async function shell(
  script: string,
  { folder, env = process.env, onTerminal, limit }: StoryEnvironment,
): Promise<string> {
  const own = await mkdtemp(join(tmpdir(), "story-"));
  await mkdir(join(own, "bin"));
  await symlink(join(folder, "cli/platformctl.js"), join(own, "bin/platformctl"));
  const file = join(own, "story.sh");
  // One pipe for both outputs: with two, an error could arrive after the mark of its step.
  await writeFile(file, `exec 2>&1\nstty cols 100 rows 50 2> /dev/null\n${script}`);
  const [program, args] = onTerminal
    ? ["script", ["-qec", `bash ${file}`, "/dev/null"]]
    : ["bash", [file]];
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...env, PATH: `${join(own, "bin")}:${env.PATH}`, XDG_CONFIG_HOME: own },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const end = () => child.pid && process.kill(-child.pid, "SIGKILL");
  const timer = limit ? setTimeout(end, limit) : undefined;
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  await once(child, "close").finally(() => clearTimeout(timer));
  await rm(own, { recursive: true, force: true });
  return stripVTControlCharacters(output).replaceAll("\r", "");
}
